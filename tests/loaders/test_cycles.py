"""The collector rests while a rollout is built, and never longer."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from rollout_loaders import cycles
from rollout_loaders.cycles import built, keep, no_cycles


@pytest.fixture(autouse=True)
def _collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(cycles, "_KEPT", cycles.Kept())  # an app that ran in this process may have kept things
    gc.unfreeze()
    gc.enable()
    yield
    gc.enable()


def test_it_is_off_inside_and_on_again_behind_also_after_an_error() -> None:
    with pytest.raises(ValueError, match="x"), no_cycles():
        assert not gc.isenabled()
        with no_cycles():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise ValueError("x")
    assert gc.isenabled()


def test_who_turned_it_off_keeps_it_off() -> None:
    gc.disable()
    with no_cycles():
        pass
    assert not gc.isenabled()


def test_items_are_made_without_and_used_with_it_and_their_source_is_closed() -> None:
    closed: list[bool] = []

    def source() -> Iterator[bool]:
        try:
            while True:
                yield gc.isenabled()
        finally:
            closed.append(True)

    items = built(source())
    assert next(items) is False
    assert gc.isenabled()
    assert next(items) is False
    del items
    assert closed == [True]
    assert gc.isenabled()
    assert list(built(iter([1, 2]))) == [1, 2]


def test_what_was_built_is_not_looked_through_again_when_the_collector_goes_on() -> None:
    kept: list[object] = []
    with no_cycles():
        kept += [[number] for number in range(30_000)]
    young = {id(one) for one in gc.get_objects(generation=0)}
    assert not any(id(one) in young for one in kept)
    assert gc.get_freeze_count() == 0
    assert gc.isenabled()


def test_what_was_kept_stays_out_of_sight_whatever_is_built_after_it() -> None:
    keep()
    many = gc.get_freeze_count()
    with no_cycles():
        built_later = [[number] for number in range(30_000)]
    assert gc.get_freeze_count() > many // 2 > 0  # some of what was kept may be dropped meanwhile
    assert built_later
    gc.unfreeze()
