"""Files of a home, through the filesystem server."""

import json
import re
from pathlib import PurePosixPath

from worldline.tasks.families.mcp.making import (
    HOME,
    LINE,
    Draft,
    Family,
    Seeded,
    call,
    holds,
    reads,
    seen,
)


def documents(of: Seeded, end: str = "") -> dict[str, str]:
    """Files of the seed's home with this ending, whose name no other file has."""
    files: dict[str, str] = of.truth("documents")["files"]
    names = [PurePosixPath(path).name for path in files]
    return {
        path: text
        for path, text in files.items()
        if path.endswith(end) and names.count(PurePosixPath(path).name) == 1
    }


def one(of: Seeded, end: str, start: str = "") -> tuple[str, str] | None:
    """One of them, and what it holds."""
    found = sorted(
        path for path in documents(of, end) if PurePosixPath(path).name.startswith(start)
    )
    if not found:
        return None
    path = of.rng.choice(found)
    return path, documents(of)[path]


def read(path: str) -> str:
    """A file's text, as an action; `path` is absolute."""
    return call("read_text_file", path=path)


def found(path: str) -> tuple[str, str]:
    """A search for a file by its name, and the address that the first turn shows."""
    name = PurePosixPath(path).name
    search = call("search_files", path=HOME, pattern=f"**/{name}")
    return search, seen(1, rf"{HOME}/{LINE}*?{re.escape(name)}")


def _setting(of: Seeded) -> Draft | None:
    chosen = one(of, ".json")
    if chosen is None:
        return None
    path, text = chosen
    settings = json.loads(text)
    search, address = found(path)
    name = PurePosixPath(path).name
    match of.seed % 3:
        case 0:
            question = "Who is named as the owner? Answer with the full name."
            told, value = seen(2, '"owner": "([^"]+)"'), settings["owner"]
        case 1:
            word = of.rng.choice(sorted(settings["limits"]))
            question = f"What is the limit for {word}? Answer with the number."
            told, value = seen(2, rf'"{word}": (\d+)'), str(settings["limits"][word])
        case _:
            question = "Which place is listed first? Answer with its name."
            told, value = seen(2, r'"places": \[[\\n\s]*"([^"]+)"'), settings["places"][0]
    return Draft(
        f"Somewhere below {HOME} there is a settings file {name}. {question}",
        (search, read(address), told),
        answer=value,
    )


def _moved(of: Seeded) -> Draft | None:
    """Several notes; one of them speaks of a thing."""
    notes = documents(of, ".md")
    if len(notes) < 3:
        return None
    words = {path: set(re.findall(r"\b[a-z]{5,}\b", text)) for path, text in notes.items()}
    path = of.rng.choice(sorted(notes))
    others = set().union(*(some for name, some in words.items() if name != path))
    whole = " ".join((*notes, *notes.values())).lower()
    sole = [word for word in sorted(words[path] - others) if whole.count(word) == 1]
    if not sole:
        return None
    word, folder = of.rng.choice(sole), f"{of.words.one('quality')}-notes"
    name = PurePosixPath(path).name
    first = next(line for line in notes[path].split("\n") if line)
    every = [f"{HOME}/{one}" for one in sorted(notes)]
    where = seen(1, rf"(?s)^.*{HOME}/([^:\s\\]+\.md):.*?{word}")
    search = call("search_files", path=HOME, pattern=f"**/{name}")
    base = seen(1, rf"(?s)^.*{HOME}/(?:[^:\s\\/]+/)*([^:\s\\/]+\.md):.*?{word}")
    return Draft(
        f"One of the notes (*.md) below {HOME} has the word '{word}' in it. Create the folder "
        f"{HOME}/{folder} and move that note there, under the name it has.",
        (
            call("read_multiple_files", paths=every),
            call("create_directory", path=f"{HOME}/{folder}"),
            call("move_file", source=f"{HOME}/{where}", destination=f"{HOME}/{folder}/{base}"),
        ),
        probes=(
            holds(read(f"{HOME}/{folder}/{name}"), first),
            reads(of.dialect, search, f"{HOME}/{folder}/{name}"),
            reads(of.dialect, call("list_directory", path=f"{HOME}/{folder}"), f"[FILE] {name}"),
        ),
    )


def _largest(of: Seeded) -> Draft | None:
    chosen = one(of, ".csv")
    if chosen is None:
        return None
    path, text = chosen
    rows = [line.split(",") for line in text.splitlines()[1:]]
    rows.sort(key=lambda row: -float(row[3]))
    if rows[0][3] == rows[1][3]:
        return None
    number, item, city = rows[0][:3]
    target = f"{HOME}/{of.words.one('verb')}.txt"
    search, address = found(path)
    line = rf"[n\s]{number},"
    told = f"{seen(2, line + '([^,]+),')}, {seen(2, line + '[^,]+,([^,]+),')}"
    return Draft(
        f"Somewhere below {HOME} there is a table {PurePosixPath(path).name}. Take the row with "
        f"the largest amount and write its item and its city, with a comma and a blank between "
        f"them, to {target}.",
        (
            search,
            read(address),
            call("write_file", path=target, content=f"{told}\n"),
        ),
        probes=(reads(of.dialect, read(target), f"{item}, {city}"),),
    )


def _last_error(of: Seeded) -> Draft | None:
    chosen = one(of, ".log")
    if chosen is None or " ERROR " not in chosen[1]:
        return None
    path, text = chosen
    search, address = found(path)
    last = [line for line in text.splitlines() if line.split()[2] == "ERROR"][-1]
    return Draft(
        f"Somewhere below {HOME} there is a log {PurePosixPath(path).name}. When was its last "
        "entry of the level ERROR written? Answer with the time of day, as the log gives it.",
        (search, read(address), seen(2, r"(?s)^.*(\d\d:\d\d) ERROR ")),
        answer=last.split()[1],
    )


def _summary(of: Seeded) -> Draft | None:
    """The first warning of every log: as many reads as there are logs."""
    logs = {path: text for path, text in sorted(documents(of, ".log").items()) if " WARN " in text}
    if not 2 <= len(logs) <= 4 or len(logs) != len(documents(of, ".log")):
        return None
    target = f"{HOME}/{of.words.one('verb')}-warnings.txt"
    names = {PurePosixPath(path).name: path for path in logs}
    times = {
        name: next(line for line in logs[path].splitlines() if " WARN " in line).split()[1]
        for name, path in names.items()
    }
    ordered = sorted(names)
    steps = [
        call("search_files", path=HOME, pattern="**/*.log"),
        *(read(seen(1, rf"{HOME}/{LINE}*?{re.escape(name)}")) for name in ordered),
    ]
    first = r"(\d\d:\d\d) WARN "
    lines = [f"{name} {seen(turn, first)}\n" for turn, name in enumerate(ordered, 2)]
    return Draft(
        f"Write to {target} one line for each log (*.log) below {HOME}: its file name, a blank, "
        "and the time of day (as the log gives it) of its first entry of the level WARN. Sort the "
        "lines by file name.",
        (*steps, call("write_file", path=target, content="".join(lines))),
        probes=(
            reads(
                of.dialect,
                read(target),
                "\n".join(f"{name} {times[name]}" for name in ordered),
            ),
        ),
    )


def _ticked(of: Seeded) -> Draft | None:
    chosen = one(of, ".txt", "todo-")
    if chosen is None:
        return None
    path, text = chosen
    lines = text.splitlines()
    items = [line[6:] for line in lines]
    todo = [number for number, line in enumerate(lines) if line.startswith("- [ ]")]
    if len(todo) < 2 or items.count(items[todo[-1]]) > 1:
        return None
    at = todo[-1]
    done = [*lines[:at], f"- [x] {items[at]}", *lines[at + 1 :]]
    item = seen(1, rf"(?s)^.*- \[ \] ({LINE}+)")
    edit = {"oldText": f"- [ ] {item}", "newText": f"- [x] {item}"}
    full = f"{HOME}/{path}"
    return Draft(
        f"{full} is a list of things to do; those that are done have an x in their brackets. The "
        "last one that is still open has now been done: mark it so, and change nothing else.",
        (read(full), call("edit_file", path=full, edits=[edit])),
        probes=(reads(of.dialect, read(full), "\n".join(done)),),
    )


def _tidied(of: Seeded) -> Draft | None:
    """All of it is told."""
    words = of.words
    folder = f"{HOME}/{words.slug('-')}"
    if of.seed % 2:
        name, text = f"{words.one('topic')}.md", words.sentence()
        return Draft(
            f"Create the folder {folder} and in it a file {name} with this one line: {text}",
            (
                call("create_directory", path=folder),
                call("write_file", path=f"{folder}/{name}", content=f"{text}\n"),
            ),
            probes=(
                holds(call("list_directory", path=folder), f"[FILE] {name}"),
                reads(of.dialect, read(f"{folder}/{name}"), text),
            ),
        )
    title = next(iter(documents(of, "README.md").values())).split("\n", 1)[0]
    return Draft(
        f"Create the folder {folder}, move {HOME}/README.md there and call it readme.txt.",
        (
            call("create_directory", path=folder),
            call("move_file", source=f"{HOME}/README.md", destination=f"{folder}/readme.txt"),
        ),
        probes=(
            holds(read(f"{folder}/readme.txt"), title),
            holds(call("list_directory", path=HOME), "[DIR]", lacks="README.md"),
        ),
    )


SERVER = ("filesystem",)
FAMILIES = (
    Family("setting-ask", _setting, SERVER, "train", "easy"),
    Family("note-move", _moved, SERVER, "train", "medium"),
    Family("table-best", _largest, SERVER, "train", "medium"),
    Family("log-ask", _last_error, SERVER, "train", "easy", size=2),
    Family("log-report", _summary, SERVER, "dev", "hard", size=2),
    Family("todo-tick", _ticked, SERVER, "test", "medium"),
    Family("home-tidy", _tidied, SERVER, "train", "easy", unseen=False, size=2),
)
