"""What a session has shown of its repository and its tests, which later answers must agree with.

Nothing here foretells a whole answer; it only rules some out. It is forgotten as soon as anything
may have changed it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from worldline.domains.terminal.session import only_command, parsed
from worldline.domains.terminal.shell.footprint import of_text
from worldline.domains.terminal.shell.grammar import literal

_HEAD = re.compile(r"(?m)^\[File: (/[^\n]{1,400}) \((\d{1,7}) lines total\)\]$")
MOST = 200
"""Files, or runs of tests, that are kept."""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What later answers must agree with."""

    tests: Mapping[str, int] = {}
    """Directory and targets of a run of tests -> how many ran, nothing written since."""
    commit: tuple[str, str] | None = None
    """Hash and subject of the newest commit."""
    changed: frozenset[str] = frozenset()
    """Files that git says differ from the index."""
    place: str = ""
    """The directory in which git said so: another one may belong to another repository."""
    before: Mapping[str, str] = {}
    """Path -> the text that a tool's edit changed, nothing done to the file since."""
    lengths: Mapping[str, int] = {}
    """Path -> how many lines the head of a view counted, nothing done to the file since."""


def ran(past: Past, place: str, text: str, output: str) -> Past:
    """What is known after a command line.

    Args:
        place: the directory it ran in, or what is known of it.
        output: what it printed.
    """
    target = targets(text)
    if target is not None:
        found = total(output)
        tests = dict(past.tests) if len(past.tests) < MOST else {}
        key = f"{place}\0{target}"
        tests.pop(key, None)
        kept = tests if found is None else {**tests, key: found}
        return msgspec.structs.replace(past, tests=kept, changed=frozenset(), before={}, lengths={})
    doing = of_text(text, None)
    if not doing.writes:
        return _looked(past, place, text, output)
    moved = doing.everything or re.search(r"\bgit\b", text)
    commit = committed(text, output) if moved else past.commit
    where = place if moved else past.place
    if doing.everything or doing.links:
        return Past(commit=commit, place=where)
    names = {path.rstrip("/").rpartition("/")[2] for path in doing.paths}
    return Past(
        commit=commit,
        place=where,
        before=_apart(past.before, names),
        lengths=_apart(past.lengths, names),
    )


def _apart(kept: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """What is kept of files that have none of these names in their paths."""
    return {path: one for path, one in kept.items() if not names & set(path.split("/"))}


def viewed(past: Past, output: str) -> Past:
    """What is known after views of files: how long they are."""
    found = {path: int(count) for path, count in _HEAD.findall(output)}
    if not found:
        return past
    kept = past.lengths if len(past.lengths) < MOST else {}
    return msgspec.structs.replace(past, lengths={**kept, **found})


def edited(past: Past, path: str, before: str | None, swaps: Sequence[tuple[str, str]]) -> Past:
    """What is known after a tool changed a file, whose text was `before`."""
    kept = dict(past.before) if len(past.before) < MOST else {}
    kept.pop(path, None)
    lengths = {one: count for one, count in past.lengths.items() if one != path}
    telling = any(_bare(old) != _bare(new) for old, new in swaps)
    if before is not None and telling:
        kept[path] = before
    return Past(commit=past.commit, place=past.place, before=kept, lengths=lengths)


def _bare(text: str) -> str:
    """A text without what a formatter may change."""
    return re.sub(r"[\s'\",;()]", "", text)


def _looked(past: Past, place: str, text: str, output: str) -> Past:
    words = only_command(text) or []
    listed = frozenset(changed(words, output))
    newest = next(commits(words, output), None)
    if not listed and newest is None:
        return past
    if place != past.place:
        past = msgspec.structs.replace(past, changed=frozenset(), commit=None, place=place)
    found = past.changed | listed if len(past.changed) < MOST else past.changed
    return msgspec.structs.replace(past, changed=found, commit=newest or past.commit)


# tests

_QUIET = re.compile(
    r"-(?:q{1,2}|v{1,3}|s|l|r[A-Za-z]{1,6})|--(?:tb=\w{1,8}|no-header|no-summary|verbose|quiet"
    r"|durations=\d{1,4}|color=\w{1,4}|showlocals)"
)
_RUN = re.compile(r"\s{0,4}(?:(?:python[\d.]{0,5} -m )?(?:pytest|py\.test))(?:\s|\Z)")
_TAIL = re.compile(r"\s{0,4}\| tail(?: -n)? ?-?\d{1,4}\s{0,4}\Z|\s{0,4}2>&1\s{0,4}\Z")
_SUMMARY = re.compile(r"(?m)^=* ?((?:\d{1,6} [a-z]{4,12}(?: [a-z]{4,12})?(?:, )?){1,9}) in \d")
_PERCENT = re.compile(r"\[ *(\d{1,3})%\]\Z")
_WORDS = ("PASSED", "FAILED", "SKIPPED", "XFAIL", "XPASS")
_FAILED = re.compile(r"(?m)^FAILED \S")
_COUNT = re.compile(r"(\d{1,6}) (passed|failed|skipped|xfailed|xpassed)\b")


def targets(text: str) -> str | None:
    """What a run of pytest runs, if that is all a command line does and its options leave nothing
    out; the order counts."""
    if not _RUN.match(text):
        return None
    for _ in range(2):
        text = _TAIL.sub("", text)
    words = only_command(text)
    if words is None:
        return None
    rest = words[words.index("-m") + 2 :] if "-m" in words[:2] else words[1:]
    named = [word for word in rest if not _QUIET.fullmatch(word)]
    return None if any(word.startswith("-") for word in named) else " ".join(named)


def summary(output: str) -> str | None:
    """The line in which pytest counts, without what it took."""
    found = _SUMMARY.findall(output[-4_000:])
    return found[-1] if found else None


def total(output: str) -> int | None:
    """How many tests ran, of a run that no error cut short."""
    line = summary(output)
    if line is None or "error" in line or "Interrupted" in output or "stopping after" in output:
        return None
    return sum(int(count) for count, _ in _COUNT.findall(line))


def counted(line: str, what: str) -> int:
    """How many tests a summary counts in one word, as ``failed``."""
    return sum(int(count) for count, word in _COUNT.findall(line) if word == what)


def progress(output: str) -> int | None:
    """How many tests the rows of progress show, if they reach their end and each sign is plain."""
    count, percent = 0, "0"
    for line in output.split("\n"):
        match = _PERCENT.search(line[-8:])
        if match is None or " " not in line:
            continue
        percent = match[1]
        last = line[: line.rindex("[")].rstrip().rpartition(" ")[2]
        if last in _WORDS:
            count += 1
        elif last and not last.strip(".FsxX"):
            count += len(last)
        else:
            return None
    return count if percent == "100" else None


def failures(output: str) -> int:
    """How many failed tests the short summary names."""
    _, found, rest = output.partition("short test summary info")
    return len(_FAILED.findall(rest)) if found else 0


# git

_STAT = re.compile(r"(?m)^ (\S{1,400}) +\| +\d{1,7} ")
_SHORT = re.compile(r"(?m)^ M (\S{1,400})$")
_NAME = re.compile(r"(?m)^(\S{1,400})$")
_COMMITTED = re.compile(r"(?m)^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{0,400})$")
_ONELINE = re.compile(r"(?m)^([0-9a-f]{7,40}) (?:\([^)\n]{1,200}\) )?(.{0,400})$")
_FEW = re.compile(r"-n|-\d{1,4}|\d{1,4}|-n\d{1,4}|--oneline")


def changed(words: Sequence[str], output: str) -> Iterator[str]:
    """Files that `git diff` or `git status` names as changed and not staged."""
    patterns: dict[tuple[str, ...], re.Pattern[str]] = {
        ("git", "diff", "--stat"): _STAT,
        ("git", "diff", "--name-only"): _NAME,
        ("git", "status", "--short"): _SHORT,
        ("git", "status", "-s"): _SHORT,
        ("git", "status", "--porcelain"): _SHORT,
    }
    pattern = patterns.get(tuple(words))
    for match in pattern.finditer(output) if pattern is not None else ():
        if "..." not in match[1] and '"' not in match[1]:
            yield match[1]


def asks_changes(words: Sequence[str]) -> bool:
    """Whether a command names every file that is changed and not staged."""
    status = tuple(words[:2]) == ("git", "status")
    rest = words[2:]
    return (status and set(rest) <= {"-s", "--short", "--porcelain", "-b"}) or (
        tuple(words[:2]) == ("git", "diff") and rest in ([], ["--stat"], ["--name-only"])
    )


def committed(text: str, output: str) -> tuple[str, str] | None:
    """The commit that a command line ended with."""
    script = parsed(text)
    if script is None or not script.pipelines:
        return None
    words = [literal(word) for word in script.pipelines[-1].commands[-1].words]
    found = _COMMITTED.findall(output)
    return found[-1] if words[:2] == ["git", "commit"] and found else None


def commits(words: Sequence[str], output: str) -> Iterator[tuple[str, str]]:
    """Hash and subject of the commits that `git log --oneline` lists, the newest first."""
    if tuple(words[:2]) != ("git", "log") or "--oneline" not in words:
        return
    if all(_FEW.fullmatch(word) for word in words[2:]):
        for match in _ONELINE.finditer(output):
            yield match[1], match[2]
