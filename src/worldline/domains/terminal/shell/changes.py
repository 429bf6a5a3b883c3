"""Programs that change files: their effect on what is known.

Where success is not certain beforehand (`io.assume` is false) they are `Unknown`. Certain is what
happens inside directories that this session made itself.
"""

import posixpath
import re

from worldline.domains.terminal.shell.filefacts import parent
from worldline.domains.terminal.shell.program import Io, Options, Program, Unknown
from worldline.facts import Fact


def may_write(path: str, io: Io) -> None:
    """Make sure that a file can be written at `path`, else `Unknown`."""
    kind = io.files.kind(path, strict=True)
    if kind in ("dir", "link"):
        raise Unknown(f"writing to {path!r}")
    if io.assume or (kind == "file" and io.files.own(path)):
        return
    if not (kind == "absent" and io.files.own(parent(path))):
        raise Unknown(f"whether {path!r} can be written")


def put(path: str, content: str | None, io: Io) -> None:
    """Write a whole file."""
    may_write(path, io)
    io.files.write(path, content, io.origin)


def append(path: str, content: str | None, io: Io) -> None:
    """Write at the end of a file."""
    may_write(path, io)
    kind = io.files.kind(path, strict=True)
    before = ("", True) if kind == "absent" else io.files.content(path)
    whole = before[0] + content if before and before[1] and content is not None else None
    io.files.write(path, whole, io.origin)


def mkdir(args: list[str], io: Io) -> int:
    """`mkdir [-p] DIR...`."""
    options = Options(args, "p")
    for name in _named(options):
        if "p" in options.flags and name.count("/") > 20:
            raise Unknown("a very deep directory")
        _make(io.path(name), "p" in options.flags, io)
    return 0


def _named(options: Options, *, slash: bool = True) -> list[str]:
    """The operands, of which there must be some; `slash`: they may end in one."""
    names = options.rest
    last = [posixpath.basename(name.rstrip("/")) for name in names]
    if not names or {"", ".", ".."} & set(last) or not (slash or all(n[-1] != "/" for n in names)):
        raise Unknown("operands that are not plain names")
    return names


def _make(path: str, parents: bool, io: Io) -> None:
    kind = io.files.kind(path, strict=True)
    if kind == "dir":
        if not parents:
            raise Unknown("making what is there")
        return
    if kind in ("file", "link"):
        raise Unknown("a file in the way")
    above = parent(path)
    if parents:
        _make(above, True, io)
    if kind == "absent" or not parents:
        if not io.assume and not (kind == "absent" and io.files.own(above)):
            raise Unknown(f"whether {path!r} can be made")
        io.files.make_folder(path, io.origin)
    elif io.assume:
        io.files.touch(path)
        io.files.put(path, {"type": "dir", "entries": None}, io.origin, complete=False)
    else:
        raise Unknown(f"whether {path!r} is there")


def touch(args: list[str], io: Io) -> int:
    """`touch FILE...`: makes empty files, leaves the content of others."""
    for name in _named(Options(args), slash=False):
        path = io.path(name)
        kind = io.files.kind(path, strict=True)
        if kind == "absent":
            put(path, "", io)
        elif not io.assume and not io.files.own(path):
            raise Unknown(f"whether {path!r} can be touched")
        elif kind == "unknown":
            io.files.touch(path)
    return 0


def rm(args: list[str], io: Io) -> int:
    """`rm [-f] [-r] PATH...`."""
    options = Options(args, "frR")
    code = 0
    for name in _named(options, slash=False):
        path = io.path(name)
        kind = io.files.kind(path, strict=True)
        if kind == "absent" and "f" in options.flags:
            continue
        if kind == "absent":
            io.err(f"rm: cannot remove '{io.plain(name)}': No such file or directory\n")
            code = 1
            continue
        if kind == "dir" and not options.flags & {"r", "R"}:
            raise Unknown("rm of a directory")
        if not io.assume and not (io.files.own(parent(path)) and kind in ("file", "dir")):
            raise Unknown(f"whether {path!r} can be removed")
        if f"{io.cwd}/".startswith(f"{path}/"):
            raise Unknown("rm of the current directory")
        if not io.assume and not _removable(path, io):
            raise Unknown("rm of what others made")
        if io.traits.tty and "f" not in options.flags and not io.files.own(path):
            raise Unknown("whether rm asks")
        if kind == "unknown" and "f" in options.flags and io.files.kind(parent(path)) != "dir":
            io.files.touch(path)  # silent too where a file is in the place of the folder
            continue
        io.files.remove(path, io.origin)
    return code


def _removable(path: str, io: Io) -> bool:
    """Whether what is in a folder of ours may certainly be removed, with everything below."""
    above = io.files.get(parent(path))
    mode = str(above.value.get("mode")) if above is not None else ""
    if mode.endswith(("t", "T")) and not io.files.own(path):
        return False
    if io.files.kind(path, strict=True) == "file":
        return True
    found = io.files.get(path)
    if found is None or not io.files.own(path) or not found.complete:
        return False
    names = found.value.get("entries")
    if names is None or found.value.get("dots") is False:
        return False
    return all(_removable(f"{path}/{name}", io) for name in names)


def rmdir(args: list[str], io: Io) -> int:
    """`rmdir DIR...` of empty directories."""
    for name in _named(Options(args)):
        path = io.path(name)
        found = io.files.get(path)
        empty = found is not None and found.value.get("entries") == [] and found.complete
        hidden = found is not None and found.value.get("dots") is False
        if not io.assume and not (empty and not hidden and io.files.own(parent(path))):
            raise Unknown(f"whether {path!r} can be removed")
        io.files.remove(path, io.origin)
    return 0


def _destination(source: str, target: str, io: Io) -> str:
    path = io.path(target)
    kind = io.files.kind(path, strict=True)
    if kind == "dir":
        return io.path(f"{target}/{posixpath.basename(source.rstrip('/'))}")
    if kind == "unknown" or target.endswith("/"):
        raise Unknown(f"what {target!r} is")
    return path


def cp(args: list[str], io: Io) -> int:
    """`cp SOURCE TARGET` of a file."""
    options = Options(args, "f")
    if len(options.rest) != 2 or io.kind(options.rest[0]) != "file":
        raise Unknown("cp")
    source = io.path(options.rest[0])
    target = _destination(options.rest[0], options.rest[1], io)
    if source == target:
        raise Unknown("cp onto itself")
    found, before = io.files.content(source), io.files.get(source)
    if not io.assume and found is None:
        raise Unknown("whether the source can be read")
    put(target, found[0] if found and found[1] else None, io)
    _keep_mode(before, target, io)
    return 0


def mv(args: list[str], io: Io) -> int:
    """`mv SOURCE TARGET` of a file."""
    options = Options(args, "f")
    if len(options.rest) != 2 or io.kind(options.rest[0]) != "file":
        raise Unknown("mv")
    source = io.path(options.rest[0])
    target = _destination(options.rest[0], options.rest[1], io)
    if source == target or not (io.assume or io.files.own(parent(source))):
        raise Unknown("mv")
    if not (io.assume or io.files.own(parent(target))):
        raise Unknown("mv into what others made")
    found, mine = io.files.content(source), io.files.own(source)
    if not io.assume and not _removable(source, io):
        raise Unknown("mv of what others made")
    put(target, found[0] if found and found[1] else None, io)
    if not mine:
        io.files.disown(target)
    io.files.remove(source, io.origin)
    return 0


def _keep_mode(source: Fact | None, target: str, io: Io) -> None:
    """A copy takes the mode with it: of a file that may not be written it may not be either."""
    mode = str(source.value.get("mode")) if source is not None else ""
    mine = source is not None and source.value.get("own")
    if not mine and not mode.startswith("-rw"):
        io.files.disown(target)


def tee(args: list[str], io: Io) -> int:
    """`tee [-a] FILE...`."""
    options = Options(args, "a")
    text = io.stdin()
    for name in _named(options, slash=False) if options.rest else ():
        (append if "a" in options.flags else put)(io.path(name), text, io)
    io.out(text)
    return 0


_READABLE = re.compile(r"[ua]?\+[rwx]+|0?[67][0-7][0-7]")


_SEARCHABLE = re.compile(r"[ua]?\+[rwx]+|0?7[0-7][0-7]")


def _owner(path: str, io: Io) -> bool:
    """Whether a file certainly belongs to the session: made here, or writable by its owner only."""
    found = io.files.get(path)
    if found is None or not io.files.own(path):
        return False
    alone = re.fullmatch(r".[r-]w..[r-]-.[r-]-.", str(found.value.get("mode")))
    return bool(found.value.get("own") or alone)


def chmod(args: list[str], io: Io) -> int:
    """`chmod MODE FILE...` that leaves the owner able to read and write."""
    if len(args) < 2 or not _READABLE.fullmatch(args[0]):
        raise Unknown("the mode")
    for name in args[1:]:
        path = io.path(name)
        if io.files.kind(path, strict=True) == "absent":
            raise Unknown("chmod of what is not there")
        if io.files.kind(path) != "file" and not _SEARCHABLE.fullmatch(args[0]):
            raise Unknown("a directory that may be closed")
        if not io.assume and not _owner(path, io):
            raise Unknown(f"whether {path!r} may be changed")
    return 0


PROGRAMS: dict[str, Program] = {
    "mkdir": mkdir,
    "touch": touch,
    "rm": rm,
    "rmdir": rmdir,
    "cp": cp,
    "mv": mv,
    "tee": tee,
    "chmod": chmod,
}
