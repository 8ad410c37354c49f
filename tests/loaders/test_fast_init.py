"""A class made quick to build is in all else the frozen dataclass that it was."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from rollout_loaders.model import Item, Place, StoredPart, TextPiece, ToolCall, Turn
from rollout_loaders.model.fast_init import changed, fast_init


@fast_init
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


@pytest.mark.parametrize("made", [Item, Place, StoredPart, TextPiece, ToolCall, Turn])
def test_the_signature_still_names_every_field_in_order(made: Any) -> None:
    assert list(inspect.signature(made).parameters) == [one.name for one in fields(made)]


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


def test_a_class_that_is_not_made_quick_is_changed_by_replace() -> None:
    @dataclass(frozen=True, slots=True)
    class Slow:
        name: str

    assert changed(Slow("a"), name="b") == Slow("b")
