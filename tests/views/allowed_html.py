"""What may come out of the HTML renderers, checked with the standard library's parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

TAGS = frozenset(
    {"html", "head", "meta", "title", "style", "body", "main", "nav", "section", "h1", "h2", "h3", "h4", "p", "strong"}
    | {"em", "code", "pre", "blockquote", "br", "hr", "ul", "li", "a", "details", "summary", "span", "div", "mark"}
    | {"table", "thead", "tbody", "tr", "th", "td"}
)
VOID = frozenset({"meta", "br", "hr"})
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_STYLE = re.compile(r"[a-z-]+:[A-Za-z0-9 .,()-]+(?:;[a-z-]+:[A-Za-z0-9 .,()-]+)*")
_ATTRIBUTES = {
    "id": _ID,
    "href": re.compile(r"#[A-Za-z][A-Za-z0-9_-]*"),
    "style": _STYLE,
    "class": re.compile("mathjax_ignore tex2jax_ignore"),
    "lang": re.compile("en"),
    "charset": re.compile("utf-8"),
    "name": re.compile("viewport"),
    "http-equiv": re.compile("Content-Security-Policy"),
    "content": re.compile("width=device-width, initial-scale=1|default-src 'none'; style-src 'unsafe-inline'"),
}


class Checked(HTMLParser):
    """Parses HTML, remembering what is not allowed, what is not closed, ids, links and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self._texts: list[str] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        if self._open:
            self.problems.append(f"not closed: {self._open}")

    @property
    def text(self) -> str:
        """What a reader sees."""
        return "".join(self._texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in TAGS:
            self.problems.append(f"tag {tag}")
        for name, value in attrs:
            pattern = _ATTRIBUTES.get(name)
            if pattern is None or value is None or pattern.fullmatch(value) is None:
                self.problems.append(f"attribute {name}={value!r} of {tag}")
            if name == "id" and value is not None:
                self.ids.append(value)
            if name == "href" and value is not None:
                self.targets.append(value[1:])
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"badly nested: /{tag}")

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self._texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.problems.append(f"comment {data!r}")

    def handle_pi(self, data: str) -> None:
        self.problems.append(f"processing instruction {data!r}")
