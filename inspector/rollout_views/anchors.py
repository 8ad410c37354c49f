"""Ids for HTML elements, made from foreign ids: escaped, unique in their document, the same on every run."""

from __future__ import annotations

import re

from rollout_loaders.model import Place

from .block import Block

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LINK = re.compile(r'<a href="#([A-Za-z0-9_-]+)">(.*?)</a>', re.DOTALL)
_ID = re.compile(r' id="([A-Za-z0-9_-]+)"')
LONGEST = 80


class Anchors:
    """The anchors of one document, and where a place is found in it."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = _UNSAFE.sub("-", prefix)
        self._reserved: dict[tuple[str | None, int | None, str | None], str] = {}
        self._taken: dict[str, int] = {}
        self._places: dict[tuple[str | None, int | None, str | None], str] = {}

    def take(self, name: str) -> str:
        """Return an id that starts with the letters of `name` and that nothing else in this document has."""
        slug = self._prefix + (_UNSAFE.sub("-", name)[:LONGEST].strip("-") or "x")
        if not slug[0].isalpha():
            slug = f"x-{slug}"
        times = self._taken.get(slug, 0) + 1
        self._taken[slug] = times
        return self.take(f"{name[: LONGEST - 12]}-{times}") if times > 1 else slug

    def reserve(self, invocation: str | None, turn: int) -> None:
        """Give a turn its id before it is drawn, so that what stands above it can lead to it."""
        key = (invocation, turn, None)
        if key not in self._places:
            self._places[key] = self._reserved[key] = self.take(f"turn-{turn}")

    def take_for(self, block: Block) -> str:
        """Return the id of a block and remember its place; a turn's head stands for the turn."""
        place = block.place
        is_head = block.is_head
        name = f"turn-{place.turn}" if is_head and place.turn is not None else f"item-{block.id}"
        reserved = self._reserved.pop((place.invocation, place.turn, None), None) if is_head else None
        ident = reserved or self.take(name)
        if is_head:
            self._places.setdefault((place.invocation, place.turn, None), ident)
        self._places.setdefault((place.invocation, place.turn, place.item_id), ident)
        if place.item_id is not None:
            self._places.setdefault((place.invocation, None, place.item_id), ident)
        return ident

    def without_dangling(self, html: str) -> str:
        """Return our HTML with the links to what was left out of it as plain words."""
        present = set(_ID.findall(html))
        return _LINK.sub(lambda match: match[0] if match[1] in present else match[2], html)

    def find(self, place: Place) -> str | None:
        """Return the id of the element for a place, its turn's where the item has none; None when it is not here."""
        for key in (
            (place.invocation, place.turn, place.item_id),
            (place.invocation, None, place.item_id),
            (place.invocation, place.turn, None),
        ):
            if key in self._places and (key[1] is not None or key[2] is not None):
                return self._places[key]
        return None
