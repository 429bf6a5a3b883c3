"""What belongs to JSON answers: their fields, exit codes, what the file tools report."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.dialects.jsontext import parse_json
from worldline.domains.terminal.rules.asked import Claim, complains
from worldline.domains.terminal.session import Session, only_command

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@.*")
_NUMBERED = re.compile(r" *(\d{1,9})\|")
_FAILS = {"cat", "ls", "rm", "cp", "mv", "mkdir", "rmdir", "touch", "cd", "head", "tail", "wc"}
_FAILS |= {"stat", "sort", "chmod", "ln", "find", "cut", "md5sum", "sha256sum", "du", "tac"}
_NEVER_FAILS = {"echo", "printf", "pwd"}


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
    failed = [row for row in rows if row.startswith(f"{name}: ") or "command not found" in row]
    if code == 0 and name in _FAILS and rows and len(failed) == len(rows):
        yield Claim("exit", f"{name} says that it failed, yet the exit code is 0", rows[0])
    odd = "" if not rows else rows[0]
    silent = not any(complains(row, (f"{name}: ",)) for row in rows)
    if heard and silent and code in (1, 2, 127) and name in (_FAILS | _NEVER_FAILS):
        yield Claim("exit", f"{name} complains of nothing, yet the exit code is {code}", odd)
    if name == "grep" and code in (0, 1) and not any(one[:2] in ("-q", "--") for one in words):
        matched = bool(rows) and not all(complains(row, ("grep: ",)) for row in rows)
        counted = any("c" in one for one in words[1:] if one[:1] == "-")
        listed = any("L" in one for one in words[1:] if one[:1] == "-")
        if matched != (code == 0) and not counted and not listed:
            said = "lines, yet the exit code is 1" if matched else "nothing, yet the exit code is 0"
            yield Claim("exit", f"grep prints {said}", rows[0] if rows else None)
