"""Untrusted text on a person's terminal: shown, never obeyed.

Models, tools and files may print escape sequences that move the cursor, rewrite what was read,
set the clipboard (OSC 52) or reverse the reading order, and text may hold characters that nobody
sees. `visible` turns every character that a terminal would act on, or not show, into a visible
form; line ends and tabs stay.
"""

import re

_KEPT = {"\n", "\t"}
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
"""C0, C1 and DEL, line separators some terminals obey, lone surrogates (unprintable)."""
_FORMAT = (
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
"""Unicode's format characters (Cf): they turn the reading order, join, or are not seen."""
_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff"
)
"""What else Unicode lets a reader not see (Default_Ignorable_Code_Point)."""
# U+FE0E and U+FE0F choose how the sign before them looks, as in many an emoji: one of them stays.
_UNSAFE = re.compile(
    f"[{_CONTROLS}{_FORMAT}{_IGNORABLE}]|(?:\\A|(?<=[\\s\ufe00-\ufe0f]))[\ufe0e\ufe0f]"
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
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def first_line(text: str | None, width: int) -> str:
    """The first line that says something, safe to print and cut to `width` columns."""
    for line in visible(text or "").split("\n"):
        if line.strip():
            line = line.replace("\t", " ").rstrip()
            return line if len(line) <= width else line[: width - 1] + "…"
    return ""
