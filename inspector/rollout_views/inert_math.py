r"""Text that a notebook's MathJax leaves alone: `$5 and $6` in a rollout is no formula, and typesetting would hide it.

JupyterLab, nbconvert and nbviewer typeset every HTML output, whoever wrote it. A delimiter cut in two by an element is
none to any MathJax version, and its text stays what it was. `pre` and `code` are never typeset.
"""

from __future__ import annotations

import re

UNTYPESET = '<div class="mathjax_ignore tex2jax_ignore" style="line-height:1.5;overflow-wrap:break-word">\n'
"""Opens an output of a notebook: none of ours is mathematics, and no long word makes a page wider.

Its text is inert also where a sanitiser takes the classes away. The caller closes it with `</div>`.
"""
_PIECES = re.compile(r"<pre\b.*?</pre>|<code>.*?</code>|<[^>]*>|\$|\\(?:[()\[\]]|begin\b|end\b)", re.DOTALL)


def inert_math(html: str) -> str:
    """Return an HTML fragment, foreign text in it escaped already, without anything that MathJax would take."""
    return _PIECES.sub(_cut, html) if "$" in html or "\\" in html else html


def _cut(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "<":
        return found
    return "<span>$</span>" if found == "$" else f"\\<span>{found[1:]}</span>"
