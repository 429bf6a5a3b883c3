"""Corruptions and benign variants of the web domain: pages as lines, a node each."""

import re
from collections.abc import Callable
from functools import partial
from random import Random

from worldline.verify.compare import Dimension
from worldline.verify.corrupt.base import Corruption, Variant
from worldline.verify.corrupt.common import (
    NUMBER,
    TALK,
    TRUNCATED,
    WORD,
    other_number,
    other_word,
    places,
)
from worldline.verify.corrupt.web_lines import indent, leaves, lines_of
from worldline.verify.measure import Moment

_REF = re.compile(r"\[(?:ref=)?([a-zA-Z]{0,8})(\d{1,7})\](?=[: ]|$)")
_SAID = re.compile(
    r"(?<=[a-zA-Z>] )(?:'[^'\\\n]{1,400}'|\"[^\"\\\n]{1,400}\")|(?<=\]: )\"[^\"\n]{1,400}\""
)
_FLAG = re.compile(r"\b(?:expanded|selected|checked|pressed)='?(?:True|False|true|false)\b")
_OTHER = {"True": "False", "False": "True", "true": "false", "false": "true"}
_ROLES = ("button", "link", "textbox", "heading", "listitem", "input")
_ROLE = re.compile(rf"(?:(?<=\] )|(?<=- )|(?<=<))(?:{'|'.join(_ROLES)})\b(?=[ >])")
_FAILURE = re.compile(r"Error from previous action:\n.{0,20000}?\n\n(?=Open tabs:)", re.DOTALL)
_ADDRESS = re.compile(r"(?m)^(  - URL: |- Page URL: )(.+)$")
_TAB = re.compile(r"(?m)^- Tab (\d{1,3}) (\(active\))?$")

Edit = Callable[[str, Random], str | None]
"""Another line for a node's; `None` where the edit does not apply."""


def _each(edit: Edit, moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The page with some of its nodes edited."""
    page = lines_of(moment.ledger.dialect, moment.truth)
    if page is None:
        return None
    old = {_without_id(line) for line in re.split(r";?\n|;\t", moment.before or "")}
    fit: list[int] = []
    for i, line in enumerate(page.nodes):
        other = edit(line, Random(0))
        # What it was before the action is another matter: stale.
        if other not in (None, line) and (
            _without_id(other or "") not in old or _same(line, other)
        ):
            fit.append(i)
    if not fit:
        return None
    nodes = list(page.nodes)
    for i in places(rng, len(fit), heaviness):
        nodes[fit[i]] = edit(nodes[fit[i]], rng) or nodes[fit[i]]
    return page.text(nodes)


def _same(line: str, other: str | None) -> bool:
    return _without_id(line) == _without_id(other or "")


def node_missing(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Leaves of the tree are gone; half of them at most."""
    page = lines_of(moment.ledger.dialect, moment.truth)
    if page is None or len(page.nodes) < 4:
        return None
    low = leaves(page)
    gone = {low[i] for i in places(rng, len(low), heaviness / 2)}
    return page.text([line for i, line in enumerate(page.nodes) if i not in gone])


def node_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Buttons that nobody put there stand at the end."""
    page = lines_of(moment.ledger.dialect, moment.truth)
    if page is None:
        return None
    last = page.nodes[-1]
    label = _REF.match(last)
    number = int(label[2]) if label else 0
    more: list[str] = []
    for i in range(1, 2 + int(heaviness * len(page.nodes) / 2)):
        word = other_word("Button", rng)
        more.append(
            {
                "labelled": f'[{number + i}]: <button> "{word}"',
                "browsergym": f"{last[: indent(last)]}[{9000 + i}] button '{word}'",
                "playwright": f'{last[: indent(last)]}- button "{word}" [ref=e{9000 + i}]',
            }[moment.ledger.dialect]
        )
    return page.text([*page.nodes, *more])


def _within(pattern: re.Pattern[str], other: Callable[[str, Random], str]) -> Edit:
    """An edit of the first match inside what a node says."""

    def edit(line: str, rng: Random) -> str | None:
        said = _SAID.search(line)
        found = pattern.search(line, said.start(), said.end()) if said else None
        if found is None:
            return None
        return line[: found.start()] + other(found[0], rng) + line[found.end() :]

    return edit


def _renamed(line: str, rng: Random) -> str | None:
    said = _SAID.search(line)
    if said is None:
        return None
    name = " ".join(other_word("Abcdef", rng) for _ in range(2))
    return line[: said.start() + 1] + name + line[said.end() - 1 :]


def _role(line: str, rng: Random) -> str | None:
    found = _ROLE.search(line)
    if found is None:
        return None
    other = rng.choice([one for one in _ROLES if one != found[0]])
    return line[: found.start()] + other + line[found.end() :]


def _flag(line: str, rng: Random) -> str | None:
    found = _FLAG.search(line)
    if found is None:
        return None
    name, value = found[0].rsplit("=", 1)
    other = _OTHER[value.strip("'")]
    return (
        line[: found.start()]
        + f"{name}={value.replace(value.strip(chr(39)), other)}"
        + (line[found.end() :])
    )


def _other_id(line: str, rng: Random) -> str | None:
    found = _REF.search(line)
    if found is None:
        return None
    return (
        line[: found.start(2)] + str(int(found[2]) + rng.randint(3000, 8000)) + line[found.end(2) :]
    )


def _deeper(line: str, rng: Random) -> str | None:
    return "\t" + line if _REF.match(line.lstrip("\t")) and line.startswith("\t\t") else None


def _unquoted(line: str, rng: Random) -> str | None:
    if line.endswith('"'):
        return line[:-1]
    said = _SAID.search(line)
    return None if said is None else line[: said.end() - 1] + line[said.end() :]


def id_twice(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Elements have the id of the first one."""
    page = lines_of(moment.ledger.dialect, moment.truth)
    fit = [i for i, line in enumerate(page.nodes) if _REF.search(line)] if page else []
    if page is None or len(fit) < 2:
        return None
    nodes = list(page.nodes)
    first = _REF.search(nodes[fit[0]])
    for at in places(rng, len(fit) - 1, heaviness):
        i = fit[at + 1]
        nodes[i] = _REF.sub(first[0] if first else "", nodes[i], count=1)
    return page.text(nodes)


def stale_node(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Elements that the action changed are as they were before it."""
    page = lines_of(moment.ledger.dialect, moment.truth)
    old = lines_of(moment.ledger.dialect, moment.before or "")
    if page is None or old is None:
        return None
    said = {_without_id(line) for line in old.nodes}
    by_id = {found[0]: line.lstrip("\t ") for line in old.nodes if (found := _REF.search(line))}
    fit: list[tuple[int, str]] = []
    for i, line in enumerate(page.nodes):
        found = _REF.search(line)
        before = by_id.get(found[0]) if found else None
        if before and before != line.lstrip("\t ") and _without_id(line) not in said:
            fit.append((i, line[: indent(line)] + before))
    nodes = list(page.nodes)
    for i in places(rng, len(fit), heaviness) if fit else ():
        nodes[fit[i][0]] = fit[i][1]
    return page.text(nodes) if fit else None


def _without_id(line: str) -> str:
    return _REF.sub("", line).strip("\t ")


def success_flipped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A failure is none; what went through failed."""
    if moment.ledger.dialect != "browsergym":
        return None
    if _FAILURE.match(moment.truth):
        return _FAILURE.sub("", moment.truth, count=1)
    why = rng.choice(("TimeoutError: Timeout 500ms exceeded.", "ValueError: not editable"))
    return f"Error from previous action:\nError: {why}\n\n{moment.truth}"


def wrong_address(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The page is said to be at another address."""
    found = _ADDRESS.search(moment.truth)
    if found is None:
        return None
    return (
        f"{moment.truth[: found.end()]}/{other_word('elsewhere', rng)}{moment.truth[found.end() :]}"
    )


def wrong_tab(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Tabs have other numbers, or another one is active."""
    found = list(_TAB.finditer(moment.truth))
    if not found:
        return None
    some = found[: max(1, round(len(found) * heaviness))]
    text = moment.truth
    for one in reversed(some):
        line = f"- Tab {int(one[1]) + rng.randint(3, 60)} {one[2] or ''}"
        text = text[: one.start()] + line + text[one.end() :]
    return text


def heading_lost(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A heading of the form is left out."""
    if moment.ledger.dialect == "labelled":
        return moment.truth.rstrip().removesuffix(";") if moment.truth.startswith("[") else None
    gone = ("Open tabs:\n", "Accessibility tree:\n", "### Snapshot\n", "```yaml\n")
    there = [one for one in gone if one in moment.truth]
    text = moment.truth
    for one in there[: 1 + (heaviness > 0)]:
        text = text.replace(one, "", 1)
    return text if there else None


def _nodes(name: str, dimension: Dimension, edit: Edit) -> Corruption:
    return Corruption(name, dimension, partial(_each, edit))


CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("node_missing", "quality", node_missing),
    Corruption("node_invented", "quality", node_invented),
    TRUNCATED,
    _nodes("node_renamed", "factuality", _renamed),
    _nodes("role_changed", "factuality", _role),
    _nodes("state_flipped", "factuality", _flag),
    _nodes("numbers_changed", "factuality", _within(NUMBER, other_number)),
    _nodes("content_replaced", "factuality", _within(WORD, other_word)),
    Corruption("success_flipped", "factuality", success_flipped),
    _nodes("id_changed", "consistency", _other_id),
    Corruption("id_twice", "consistency", id_twice),
    _nodes("level_changed", "consistency", _deeper),
    Corruption("stale_node", "consistency", stale_node),
    Corruption("wrong_address", "consistency", wrong_address),
    Corruption("wrong_tab", "consistency", wrong_tab),
    _nodes("quote_lost", "format", _unquoted),
    Corruption("heading_lost", "format", heading_lost),
    *TALK,
)


def _another(
    pattern: str, other: Callable[[re.Match[str], Random], str]
) -> Callable[[Moment, Random], str | None]:
    """Every piece of runtime metadata of one kind is another one."""
    found = re.compile(pattern)
    return lambda moment, rng: found.sub(lambda match: other(match, rng), moment.truth)


def _time(match: re.Match[str], rng: Random) -> str:
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"


def _digits(match: re.Match[str], rng: Random) -> str:
    return re.sub(r"\d", lambda one: other_number(one[0], rng), match[0])


VARIANTS: tuple[Variant, ...] = (
    Variant("another_timeout", _another(r"\b\d{1,6}(?=ms\b)", lambda m, r: str(r.randint(1, 900)))),
    Variant(
        "another_dom_id",
        _another(r"(?:describedby|controls|owns)='[^'\n]{0,40}\d[^'\n]{0,80}'", _digits),
    ),
    Variant("another_token", _another(r"(?<=[?&]ts=)\d{1,14}|(?<=[?&]token=)\w{1,64}", _digits)),
    Variant("another_age", _another(r"\b\d{1,4}(?= (?:minutes|hours|seconds) ago\b)", _digits)),
    Variant(
        "another_time",
        _another(r"\b\d\d(?::\d\d){2}\b(?<=\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d)", _time),
    ),
    Variant("line_at_the_end", lambda moment, rng: f"{moment.truth.rstrip()}\n\n"),
)
