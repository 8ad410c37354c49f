"""Presentation as data: a rollout as sections and blocks, and what is made of them. No user interface library.

Begin at `transcript` (lenses, outline, blocks), `verdict` and `why`; `plain_text`, `static_html`, `markdown_text` and
`notebook_document` draw blocks; `table`, `filtering` and `searching` serve lists. Every foreign string passes
`foreign`.
"""
