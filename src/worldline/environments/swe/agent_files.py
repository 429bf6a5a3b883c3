# A program on its own, with nothing but the standard library.
# ruff: noqa: D100, D103, PTH103, PTH110, PTH112, PTH113, PTH116, PTH118, PTH120, PTH123, PTH208
# Runs in the sandbox, as the agent: carries out file requests, one JSON object a line.
# Nothing of the session's files is opened from outside, so that no link of it leads anywhere.
import base64
import json
import os
import stat
import sys
import warnings

warnings.simplefilter("ignore")

SKIPPED = {".git", "__pycache__", "node_modules", ".venv"}
MOST = 20000


def read(path, limit):
    info = os.stat(path)
    if stat.S_ISDIR(info.st_mode):
        return {"kind": "dir", "names": sorted(os.listdir(path))}
    if not stat.S_ISREG(info.st_mode):
        return {"kind": "other"}
    with open(path, "rb") as file:
        data = file.read(limit)
    return {"kind": "file", "data": base64.b64encode(data).decode(), "size": info.st_size}


def write(path, data):
    there = os.path.exists(path)
    folder = os.path.dirname(path)
    made = not os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(base64.b64decode(data))
    return {"there": there, "made": made}


def walk(path):
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(files):
            full = os.path.join(folder, name)
            try:
                found.append([full, os.lstat(full).st_mtime_ns])
            except OSError:
                continue
        if len(found) > MOST:
            break
    return {"files": found[:MOST]}


def kind(path):
    if os.path.isdir(path):
        return {"kind": "dir"}
    return {"kind": "file" if os.path.isfile(path) else "other" if os.path.lexists(path) else None}


def syntax(data):
    try:
        compile(base64.b64decode(data), "<edit>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return {"trouble": f"{type(error).__name__}: {getattr(error, 'msg', error)}"}
    return {"trouble": None}


ASKS = {"read": read, "write": write, "walk": walk, "kind": kind, "syntax": syntax}
for line in sys.stdin.buffer:
    ask = json.loads(line)
    try:
        answer = ASKS[ask.pop("op")](**ask)
    except OSError as error:
        answer = {"error": error.strerror or "error", "code": error.errno}
    except (ValueError, MemoryError, RecursionError) as error:
        answer = {"error": str(error) or "error", "code": 0}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
