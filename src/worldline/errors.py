"""One family of errors, each naming the boundary that failed.

An error a person sees says where (file, line, field), what was found and what to do next::

    rows.jsonl, line 3, turns[0].action: expected a string, got 3. Write the action as text.

Raise at the source, classify at the boundary, record on the result. A failed *prediction* is not an
exception: it is a `worldline.prediction.Outcome`.
"""


class WorldlineError(Exception):
    """Something the user can act on.

    Args:
        message: what was wrong, in one sentence, with the offending value.
        file: the file (or other source) it was found in.
        line: 1-based line of that file.
        field: path of the field, as ``turns[0].action``.
        remedy: what to do next, in one sentence.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        file: object = None,
        line: int | None = None,
        field: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.message = message
        self.file = None if file is None else str(file)
        self.line = line
        self.field = field
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        if self.line is not None:
            where.append(f"line {self.line}")
        if self.field:
            where.append(self.field)
        head = f"{', '.join(where)}: " if where else ""
        if not self.remedy:
            return f"{head}{self.message}"
        stop = "" if self.message.endswith((".", "!", "?", ":")) else "."
        return f"{head}{self.message}{stop} {self.remedy}"

    def record(self) -> dict[str, object]:
        """The error as JSON: code, message, file, line, field, remedy; absent parts left out."""
        parts = {
            "code": type(self).__name__,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "field": self.field,
            "remedy": self.remedy,
        }
        return {key: value for key, value in parts.items() if value is not None}


def cause(error: Exception) -> str:
    """Why something failed, in the system's words, without numbers and paths of the code."""
    return str(getattr(error, "strerror", None) or error)


class DataError(WorldlineError):
    """A file or record does not have the shape it must have."""


class SchemaVersionError(DataError):
    """A record carries another major version of its schema."""


class UsageError(WorldlineError):
    """The caller asked for something that cannot be: a bad flag, spec, name or argument."""


class ModelError(WorldlineError):
    """A model cannot be loaded, reached or configured (a failed *call* is an outcome, not this)."""

    exit_code = 3
