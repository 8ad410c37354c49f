"""The style sheet of a standalone page: light and dark by translucent greys, printable. Nothing hides without it."""

from __future__ import annotations

STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 62em; margin: 0 auto; padding: 1.5em 1em 4em; }
h1 { font-size: 1.3em; overflow-wrap: anywhere; }
h1 + p { font-weight: 600; }
h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid rgba(127,127,127,.4); }
h4 { margin: .2em 0 .6em; font-size: 1em; font-weight: 500; }
p { margin: .3em 0; overflow-wrap: anywhere; }
p > strong:first-child, h4 > strong:first-child { display: inline-block; min-width: 5.75em; }
pre, code { font: .88em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; }
blockquote { margin: .2em 0 .6em; padding-left: .8em; border-left: 1px solid rgba(127,127,127,.3); }
p:has(> strong:first-child) { padding-left: 6em; text-indent: -6em; }
p > *, h4 > * { text-indent: 0; }
summary > p, summary > p:has(> strong:first-child) { display: inline; padding-left: 0; text-indent: 0; }
details { margin: .3em 0; }
em { opacity: .8; }
hr { border: 0; border-top: 2px dashed rgba(127,127,127,.6); }
:target { background: rgba(127,127,127,.25); }
@media print {
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  details::details-content { content-visibility: visible; display: block; }
  section { break-inside: auto; }
  h4 { break-after: avoid; }
}
"""
