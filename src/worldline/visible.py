"""Untrusted text on a person's terminal: shown, never obeyed.

Models, tools and files may print escape sequences that move the cursor, rewrite what was read,
set the clipboard (OSC 52) or reverse the reading order. `visible` turns every character that a
terminal would act on into a visible form; line ends and tabs stay.
"""

import re

_KEPT = {"\n", "\t"}
# C0 and C1 controls, DEL, bidirectional overrides and isolates, zero-width and invisible
# formatting characters, line separators some terminals obey, and lone surrogates (unprintable).
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def visible(text: str) -> str:
    """`text` with every acting character shown: ESC as ``␛``, others as ``\\x9b`` or ``\\u202e``.

    A carriage return at the end of a line is dropped, as it changes nothing that is seen.
    """
    return _UNSAFE.sub(_show, text.replace("\r\n", "\n"))


def _show(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def first_line(text: str | None, width: int) -> str:
    """The first line that says something, safe to print and cut to `width` columns."""
    for line in visible(text or "").split("\n"):
        if line.strip():
            line = line.replace("\t", " ").rstrip()
            return line if len(line) <= width else line[: width - 1] + "…"
    return ""
