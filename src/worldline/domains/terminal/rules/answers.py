"""What belongs to JSON answers: their fields, exit codes, what the file tools report."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.dialects.jsontext import parse_json
from worldline.domains.terminal.observations import Complaint, parse_line
from worldline.domains.terminal.rules.asked import Claim, complains
from worldline.domains.terminal.session import Session, only_command

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@.*")
_NUMBERED = re.compile(r" *(\d{1,9})\|")
_FAILS = {"cat", "ls", "rm", "cp", "mv", "mkdir", "rmdir", "touch", "cd", "head", "tail", "wc"}
_FAILS |= {"stat", "sort", "chmod", "ln", "find", "cut", "md5sum", "sha256sum", "du", "tac"}
_NEVER_FAILS = {"echo", "printf", "pwd"}
_QUIETLY = {"sort": "cC", "chmod": "f", "cp": "nui", "mv": "nui", "md5sum": "c", "sha256sum": "c"}
"""Options with which a program may fail and say nothing."""
_SIMPLE = re.compile(r"-[niEFwxHhrRso]{1,6}")
_REFUSED = re.compile(
    r": (?:missing|extra|invalid|unrecognized|unknown) (?:\S+ )?(?:operand|option)"
)
_LETTER = re.compile(r"(?<!\\)[A-Za-z0-9_](?![*?{\\])")


def answers(session: Session, deeds: list[Deed], observation: str) -> Iterator[Claim]:
    """What an answer cannot say, whatever the tool did."""
    found = parse_json(observation)
    value = found.value if found is not None else None
    if not deeds or not isinstance(deeds[0], Run | Call):
        return
    if isinstance(deeds[0], Run):
        yield from _shape(session, value)
    elif isinstance(value, dict):
        yield from _tool(deeds[0], value)


def _shape(session: Session, value: Any) -> Iterator[Claim]:
    """The shell tool answers with the fields it has always had."""
    keys = session.look.keys
    if keys is None:
        return
    missing = [key for key in keys if not isinstance(value, dict) or key not in value]
    if missing:
        yield Claim("shape", f"lacks {', '.join(missing)} of the result's fields")
    elif not isinstance(value["output"], str) or isinstance(value["exit_code"], str | float | bool):
        yield Claim("shape", "the output is a text and the exit code a number")


def _tool(deed: Call, value: dict[str, Any]) -> Iterator[Claim]:
    written, content = value.get("bytes_written"), deed.arguments.get("content")
    if deed.name == "write_file" and isinstance(written, int) and isinstance(content, str):
        size = len(content.encode("utf-8", "surrogatepass"))
        if written != size:
            said = f"{size} bytes were handed over, but {written} are said to be written"
            yield Claim("written", said, str(written))
    if deed.name == "read_file" and isinstance(value.get("content"), str):
        yield from _numbers(value)
    if isinstance(value.get("diff"), str):
        yield from hunks(value["diff"])


def _numbers(value: dict[str, Any]) -> Iterator[Claim]:
    """Lines are numbered one after the other, and there are no more than the file has."""
    rows = value["content"].split("\n")
    numbers = [int(match[1]) for row in rows if (match := _NUMBERED.match(row))]
    if len(numbers) < len(rows):
        return
    for number, (one, other) in enumerate(pairwise(numbers), 1):
        if other != one + 1:
            yield Claim("view", f"line {other} follows line {one}", rows[number])
            return
    total = value.get("total_lines")
    if isinstance(total, int) and numbers and numbers[-1] > total + 1:
        yield Claim("view", f"line {numbers[-1]} of a file of {total}", rows[-1])


def hunks(diff: str) -> Iterator[Claim]:
    """The rows of a unified diff are as many as the head of their hunk says."""
    rows = diff.rstrip("\n").split("\n")
    at = 0
    while at < len(rows):
        head = _HUNK.fullmatch(rows[at])
        at += 1
        if head is None:
            continue
        old, new = (1 if count is None else int(count) for count in head.groups())
        while at < len(rows) and (old > 0 or new > 0):
            mark = rows[at][:1]
            if mark == "\\":
                at += 1
                continue
            if mark not in ("+", "-", " ", ""):
                break
            old -= mark in "- "
            new -= mark in "+ "
            at += 1
        blank = at >= len(rows) and old == new  # rows without text at the end may be cut off
        if (old or new) and not blank:
            yield Claim("diff", "the hunk has other rows than its head says", head[0])
            return


def codes(text: str, output: str, code: int | None, *, heard: bool) -> Iterator[Claim]:
    """The exit code of one command fits what it said.

    Args:
        heard: error messages are part of the output.
    """
    words = only_command(text)
    if code is None or not words:
        return
    name = words[0]
    rows = [row for row in output.split("\n") if row.strip()]
    failed = [row for row in rows if _failed(words, row)]
    if code == 0 and name in _FAILS and rows and len(failed) == len(rows):
        yield Claim("exit", f"{name} says that it failed, yet the exit code is 0", rows[0])
    odd = "" if not rows else rows[0]
    silent = not any(complains(row, (f"{name}: ",)) for row in rows)
    mute = _mute(words)
    if heard and silent and not mute and code in (1, 2, 127) and name in (_FAILS | _NEVER_FAILS):
        yield Claim("exit", f"{name} complains of nothing, yet the exit code is {code}", odd)
    if name == "grep" and code in (0, 1):
        yield from _grep(words, rows, code)


def _failed(words: list[str], row: str) -> bool:
    """Whether a line is this command's complaint, and no text that it read."""
    if "command not found" in row:
        return row.partition(": ")[0].rpartition("/")[2].startswith(("bash", "sh", "-bash"))
    found = parse_line(row)
    if isinstance(found, Complaint) and found.program == words[0]:
        return not found.about or any(word in found.about for word in words[1:]) or len(words) == 1
    return row.startswith(f"{words[0]}: ") and bool(_REFUSED.search(row))


def _mute(words: list[str]) -> bool:
    """Whether options let the command fail without a word."""
    letters = set("".join(word[1:] for word in words[1:] if word[:1] == "-"))
    if words[0] == "find":
        return any(word in ("-exec", "-execdir", "-ok", "-okdir", "-delete") for word in words)
    return any(word[:2] == "--" for word in words) or bool(
        letters & set(_QUIETLY.get(words[0], ""))
    )


def _grep(words: list[str], rows: list[str], code: int) -> Iterator[Claim]:
    """It succeeds if it prints a line, and the other way round; a blank line may not be seen."""
    options = [word for word in words[1:] if word[:1] == "-" and word != "-"]
    rest = [word for word in words[1:] if word not in options]
    if not all(map(_SIMPLE.fullmatch, options)) or not rest:
        return
    told = [row for row in rows if _BINARY in row or not complains(row, ("grep: ",))]
    if told and code == 1:
        yield Claim("exit", "grep prints lines, yet the exit code is 1", told[0])
    elif not told and code == 0 and all(map(_SAID.match, rows)) and _shows(rest[0]):
        yield Claim(
            "exit", "grep prints nothing, yet the exit code is 0", rows[0] if rows else None
        )


_BINARY = ": binary file matches"
_SAID = re.compile(r"grep: |-?[\w./-]{0,80}sh(?:: line \d{1,6})?: ")


def _shows(pattern: str) -> bool:
    """Whether a line with this pattern is certainly not blank."""
    bare = re.sub(r"\[[^\]]*\]", "[", pattern)
    if re.search(r"\)\\?[*?{]", bare):
        return False
    return all(map(_LETTER.search, re.split(r"\\?\|", bare)))
