"""A class made quick to build is in all else the frozen dataclass that it was."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace
from functools import cached_property
from typing import Any

import pytest

from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.model import Place, TextPiece, Turn


@dataclass(frozen=True, slots=True)
class Made:
    name: str
    number: int = 3
    words: list[str] = field(default_factory=lambda: [])


def test_it_is_of_its_own_class_and_no_field_can_be_set_or_deleted() -> None:
    made = Made("a")
    assert type(made) is Made
    for name in ("name", "words"):
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, "b")
    with pytest.raises(FrozenInstanceError):
        delattr(made, "name")


def test_defaults_are_those_of_the_class_and_a_factory_makes_each_its_own() -> None:
    one, other = Made("a"), Made(name="b", number=4)
    assert (one.name, one.number, one.words) == ("a", 3, [])
    assert (other.name, other.number) == ("b", 4)
    assert one.words is not other.words


def test_wrong_arguments_are_a_type_error_that_names_them() -> None:
    make: Any = Made
    with pytest.raises(TypeError, match="name"):
        make()
    with pytest.raises(TypeError, match="other"):
        make("a", other=1)


def test_copies_and_pickles_are_equal_and_frozen() -> None:
    made = Turn(1, "m", answer=(TextPiece("p", "x"),))
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made)), replace(made, number=1)):
        assert again == made
        assert type(again) is Turn
        assert type(again.answer[0]) is TextPiece
    assert replace(made, number=2) != made
    assert hash(Place("root", 1)) == hash(Place("root", 1))


@pytest.mark.parametrize("made", [Place("root", 1), TextPiece("p", "x"), Turn(1, "m")])
def test_once_one_was_made_the_signature_names_every_field_in_order(made: Any) -> None:
    assert list(inspect.signature(made.__init__).parameters) == [one.name for one in fields(made)]


def test_a_changed_copy_is_that_of_replace_and_leaves_the_first_as_it_was() -> None:
    made = Made("a", 4, ["x"])
    other = changed(made, number=5)
    assert (other, type(other)) == (replace(made, number=5), Made)
    assert other.words is made.words
    assert made == Made("a", 4, ["x"])
    with pytest.raises(FrozenInstanceError):
        other.name = "b"  # type: ignore[misc]


def test_a_field_that_is_not_there_is_changed_by_neither() -> None:
    unknown: Any = {"size": 3}
    with pytest.raises((AttributeError, TypeError)):
        changed(Made("a"), **unknown)


def test_a_class_of_the_standard_library_is_changed_by_replace() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Slow:
        name: str

    assert changed(Slow("a"), name="b") == Slow("b")


@dataclass(slots=True)
class Open:
    name: str
    words: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Alone:
    number: float


@dataclass(frozen=True, slots=True)
class Empty:
    """No fields."""


@dataclass(slots=True)
class Counted:
    name: str
    size: int = 0

    def __post_init__(self) -> None:
        self.size = len(self.name)


@dataclasses.dataclass(frozen=True, slots=True)
class Slow:
    name: str
    number: int = 3
    words: list[str] = field(default_factory=lambda: [])


def test_it_says_what_the_standard_library_says_of_it() -> None:
    assert repr(Made("a\n")) == repr(Slow("a\n")).replace("Slow", "Made")
    assert repr(Empty()) == "Empty()"
    assert (dataclasses.is_dataclass(Made), dataclasses.asdict(Made("a"))) == (True, dataclasses.asdict(Slow("a")))
    match Made("a", 4):
        case Made(name, number):
            assert (name, number) == ("a", 4)


def test_it_is_equal_by_its_fields_and_only_to_its_own_class() -> None:
    assert Made("a") == Made("a") != Made("b")
    other: Any = Slow("a")
    assert Made("a") != other
    assert Empty() == Empty()
    assert Alone(1) == Alone(1.0) != Alone(2)
    nan = float("nan")
    assert Alone(nan) == Alone(nan), "a field is equal to itself, as in the tuples that are compared elsewhere"
    assert hash(Alone(2)) == hash(Alone(2)) and len({Empty(), Empty(), Alone(2), Alone(2)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Made("a"))


def test_one_that_is_not_frozen_can_be_set_and_not_hashed() -> None:
    made = Open("a")
    made.name = "b"
    assert made == Open("b") and made.words is not Open("b").words
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)
    assert not hasattr(made, "__dict__")
    assert changed(made, name="c") == Open("c")
    assert Counted("four").size == 4


def test_what_it_holds_can_lead_back_to_it() -> None:
    made = Open("a")
    made.words.append(made)  # type: ignore[arg-type]
    assert repr(made) == "Open(name='a', words=[...])"


def test_a_frozen_one_has_no_subclass() -> None:
    with pytest.raises(TypeError, match="Made is frozen"):
        type("Other", (Made,), {})


@dataclass(frozen=True, slots=True)
class Checked:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("negative")


@dataclass(frozen=True)
class WithCache:
    number: int

    @cached_property
    def double(self) -> int:
        return 2 * self.number


@dataclass(slots=True)
class Named:
    number: int = field(kw_only=True, default=1)
    name: str = "a"


def test_what_a_class_asks_for_beyond_its_fields_is_kept() -> None:
    with pytest.raises(ValueError, match="negative"):
        changed(Checked(1), number=-1)
    cached = WithCache(2)
    assert cached.double == 4 and copy.copy(cached).__dict__ == {"number": 2, "double": 4}
    assert Named("b").name == "b" and Named(number=2).number == 2
