"""Keystrokes as they are written in a batch, and the bytes that a terminal sends for them."""

import re

_NAMED = {
    "Enter": b"\r",
    "Tab": b"\t",
    "BTab": b"\x1b[Z",
    "Escape": b"\x1b",
    "Space": b" ",
    "BSpace": b"\x7f",
    "DC": b"\x1b[3~",
    "Delete": b"\x1b[3~",
    "IC": b"\x1b[2~",
    "Insert": b"\x1b[2~",
    "PageUp": b"\x1b[5~",
    "PPage": b"\x1b[5~",
    "PgUp": b"\x1b[5~",
    "PageDown": b"\x1b[6~",
    "NPage": b"\x1b[6~",
    "PgDn": b"\x1b[6~",
    **dict(
        zip(("F1", "F2", "F3", "F4"), (b"\x1bOP", b"\x1bOQ", b"\x1bOR", b"\x1bOS"), strict=True)
    ),
    **{
        f"F{number}": b"\x1b[%d~" % code
        for number, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)
    },
}
_MOVES = {"Up": b"A", "Down": b"B", "Right": b"C", "Left": b"D", "Home": b"H", "End": b"F"}
_CONTROL = re.compile(r"(?:C-|\^)([a-zA-Z@\[\]\\^_ ])")
_META = re.compile(r"M-([!-~])")


def keystrokes(text: str, *, application: bool = False) -> bytes:
    """What is sent for one entry of a batch.

    A text that is as a whole the name of a key (``C-c``, ``Enter``, ``Up``, ``F1``, ``M-f``; a line
    end may follow) is that key; any other text is typed as it is.

    Args:
        application: the program asked for the other codes of the cursor keys.
    """
    name = text.removesuffix("\n")
    key = _key(name, application)
    if key is not None:
        return key + b"\n" * (name != text)
    return text.encode("utf-8", "replace").replace(b"\0", b"")


def _key(name: str, application: bool) -> bytes | None:
    if name in _NAMED:
        return _NAMED[name]
    if name in _MOVES:
        return (b"\x1bO" if application else b"\x1b[") + _MOVES[name]
    if match := _CONTROL.fullmatch(name):
        return bytes([ord(match[1].upper()) & 0x1F])
    if match := _META.fullmatch(name):
        return b"\x1b" + match[1].encode()
    return None
