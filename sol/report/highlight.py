"""C text → HTML with comments, keywords, types and numbers marked."""

from __future__ import annotations

import re
from html import escape

_WORDS = "if else for while do return break continue switch case default goto sizeof static const inline extern volatile typedef struct"
_TYPES = "void char short int long float double signed unsigned vf vi u?int(?:8|16|32|64)_t size_t sol_team sol_call"
_TOKEN = re.compile(
    r"(?P<c>/\*.*?\*/|//[^\n]*)"
    r"|(?P<p>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)"
    r'|(?P<s>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    rf"|(?P<k>\b(?:{'|'.join(_WORDS.split())})\b)"
    rf"|(?P<t>\b(?:{'|'.join(_TYPES.split())})\b)"
    r"|(?P<n>\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)[uUlLfF]*\b)",
    re.DOTALL | re.MULTILINE,
)


def highlight(text: str) -> str:
    """Safe HTML for inside ``<pre>``: spans of class c (comment), p (preprocessor), s (string), k (keyword), t (type), n (number)."""
    parts, at = [], 0
    for match in _TOKEN.finditer(text):
        parts.append(escape(text[at : match.start()]))
        parts.append(f'<span class="{match.lastgroup}">{escape(match.group())}</span>')
        at = match.end()
    return "".join([*parts, escape(text[at:])])
