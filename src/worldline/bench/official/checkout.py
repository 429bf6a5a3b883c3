"""What judging needs of a checkout of QwenLM/Qwen-AgentWorld: read and parsed, never run or copied.

The Python file is taken apart as text and only its literals count, so nothing in a checkout is ever
executed. The commit is read from the files of git.
"""

import ast
import re
from pathlib import Path
from string import Formatter
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.judge.verdict import TAG
from worldline.bench.official import COMMIT
from worldline.errors import DataError, UsageError

CONFIGS = Path("eval", "lwm_eval_utils", "task_configs.py")
PLACES = ("context", "world_model_input", "predicted_observation", "ground_truth")
"""What the user template is filled with."""
SHA = "9d7fdb6de58a64b5302681cfda0b31f70af8f50cbd0cd7dabb63570bcdf37925"
"""`Checkout.sha` at `COMMIT`."""

_TEMPLATES = ("JUDGE_USER_PROMPT", "TURING_JUDGE_USER_PROMPT", "REF_ANSWER_JUDGE_USER_PROMPT")
_REMEDY = "Give the top folder of a checkout of QwenLM/Qwen-AgentWorld."
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Task(msgspec.Struct, frozen=True):
    """What the script knows of a domain."""

    response_marker: str
    """A heading that is taken off observations."""
    response_tag: str
    """Of the observation in a generation."""
    judge_response_tag: str
    """Of the verdict in a judge's reply."""
    judge_system_prompt_path: str
    """From the top of the checkout."""


class Checkout(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of a checkout."""

    path: Path
    commit: str | None
    """Its commit; `None` where git knows none (a downloaded archive)."""
    tasks: dict[str, Task]
    """By domain."""
    systems: dict[str, str]
    """Judge system prompt, by domain."""
    user: str
    """The judge's user template, with the `PLACES` in it."""
    turing: str
    """The template that asks which of two answers is real."""
    reference: str
    """The template that asks which of two answers is nearer to the truth."""

    @property
    def sha(self) -> str:
        """SHA-256 of all that was read, line ends and layout of the Python file aside."""
        told = {name: getattr(self, name) for name in ("systems", "user", "turing", "reference")}
        return jsonl.sha({**told, "tasks": msgspec.to_builtins(self.tasks)})

    @property
    def known(self) -> bool:
        """Whether all that was read is word for word what `COMMIT` has."""
        return self.sha == SHA

    @property
    def name(self) -> str:
        """Whose prompts these are, as files say it: the commit, and what was read if it differs."""
        if self.known:
            return f"official:{COMMIT[:12]}"
        return f"official:{(self.commit or 'unknown')[:12]}+{self.sha[:12]}"


def read(folder: str | Path) -> Checkout:
    """Read a checkout.

    Raises:
        UsageError: there is no such folder.
        DataError: it lacks something, or something in it is not what it must be; the file is named.
    """
    top = Path(folder)
    if not top.is_dir():
        raise UsageError("there is no such folder", file=top, field="official", remedy=_REMEDY)
    path = top / CONFIGS
    found = _literals(_text(path), path)
    tasks = _tasks(found, path)
    templates = [_template(found, name, path) for name in _TEMPLATES]
    _fillable(templates[0], path)
    return Checkout(
        path=top,
        commit=_commit(top),
        tasks=tasks,
        systems={name: _text(_inside(top, task)) for name, task in tasks.items()},
        user=templates[0],
        turing=templates[1],
        reference=templates[2],
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise DataError("is not there", file=path, remedy=_REMEDY) from error
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({error})", file=path, remedy=_REMEDY) from error


def _literals(source: str, path: Path) -> dict[str, Any]:
    """The literals that names of a module are bound to; all other code is passed over."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"is not Python ({error})", file=path, remedy=_REMEDY) from error
    found: dict[str, Any] = {}
    for one in body:
        if isinstance(one, ast.Assign):
            targets, value = one.targets, one.value
        elif isinstance(one, ast.AnnAssign) and one.value is not None:
            targets, value = [one.target], one.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name):
                found[target.id] = _literal(value)
    return found


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _template(found: dict[str, Any], name: str, path: Path) -> str:
    text = found.get(name)
    if not isinstance(text, str):
        wrong = "is no plain text" if name in found else "is not there"
        raise DataError(wrong, file=path, field=name, remedy=_REMEDY)
    return text


def _tasks(found: dict[str, Any], path: Path) -> dict[str, Task]:
    try:
        tasks = jsonl.convert(found.get("TASK_CONFIGS"), dict[str, Task])
    except msgspec.ValidationError as error:
        raise DataError(str(error), file=path, field="TASK_CONFIGS", remedy=_REMEDY) from error
    if not tasks:
        raise DataError("has no domain", file=path, field="TASK_CONFIGS", remedy=_REMEDY)
    if any(task.judge_response_tag != TAG for task in tasks.values()):
        wrong = f"asks for verdicts in another tag than {TAG}"
        raise DataError(wrong, file=path, field="TASK_CONFIGS", remedy=_REMEDY)
    return tasks


def _fillable(template: str, path: Path) -> None:
    """Whether a template has our places, each once, and asks for nothing else."""
    try:
        asked = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        asked = [(str(error), "", None)]
    if sorted(asked) != sorted((name, "", None) for name in PLACES):
        raise DataError(
            f"has other places than {', '.join(PLACES)}",
            file=path,
            field=_TEMPLATES[0],
            remedy=_REMEDY,
        )


def _inside(top: Path, task: Task) -> Path:
    path = top / task.judge_system_prompt_path
    if not path.resolve().is_relative_to(top.resolve()):
        raise DataError("lies outside of the checkout", file=path, remedy=_REMEDY)
    return path


# the commit


def _commit(top: Path) -> str | None:
    """What HEAD stands for, from git's own files; `None` where they do not tell."""
    git = top / ".git"
    if git.is_file():  # a work tree or a submodule: the file says where
        git = top / _line(git).removeprefix("gitdir:").strip()
    head = _line(git / "HEAD")
    if not head.startswith("ref:"):
        return _id(head)
    name = head.removeprefix("ref:").strip()
    common = git / (_line(git / "commondir") or ".")
    for home in (git, common):
        if found := _id(_line(home / name)):
            return found
    for line in _lines(common / "packed-refs"):
        at, _, of = line.partition(" ")
        if of == name:
            return _id(at)
    return None


def _id(text: str) -> str | None:
    return text if _ID.fullmatch(text) else None


def _line(path: Path) -> str:
    return next(iter(_lines(path)), "")


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text("utf-8").splitlines()]
    except (OSError, ValueError):
        return []
