"""Replies on record: ask once, replay for ever, and never call by accident.

`Recorder` wraps any model and keeps its predictions in a folder, each under the content address of
its request; ``recorded:DIR`` answers from that folder alone::

    DIR/record.json            the model that was recorded: name, context, style, sampling
    DIR/<2 hex>/<sha>.json     one prediction each
    DIR/counts.jsonl           its token counts, where it has a context: they decide what fits

The address holds the model's name, so a folder is the record of one model. A recorded model takes
on the context, style and sampling of the one on record, so that a world sends it the same requests.
"""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.base import Style
from worldline.errors import DataError, UsageError
from worldline.messages import Request, Sampling
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Outcome, Prediction
from worldline.reply import stamp
from worldline.trajectory import check_schema, validation_error

RECORD_SCHEMA = "worldline.record/1"
ENTRY_SCHEMA = "worldline.recorded/1"

_PASSING: frozenset[Outcome] = frozenset({"infra_error", "not_in_record"})
"""Trouble that says nothing about the request: asked again rather than recorded."""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """Who is on record, and all that shapes the requests it is sent."""

    name: str
    context: int | None = None
    style: Style = "full"
    sampling: Sampling = Sampling()


class RecordedModel(WorldModel):
    """Answers from a record, as recorded; what is not there is ``not_in_record``, never a call.

    Raises:
        DataError: the folder is no record.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        self.recorded = manifest(self.folder)
        self.name = f"recorded:{self.recorded.name}"
        self.context = self.recorded.context
        self.style = self.recorded.style
        self.sampling = self.recorded.sampling
        self._counts = _counts(self.folder)

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """The recorded prediction, which names the model that made it."""
        sha = request.sha(self.recorded.name)
        try:
            found = _entry(self.folder, sha)
        except DataError as error:
            raw = {"error": {"code": "record_damaged", "message": error.message}}
            return self._nothing(request, sha, "infra_error", "record_damaged", raw)
        if found is None:
            return self._nothing(request, sha, "not_in_record", "not_in_record", None)
        if on_text and found.observation:
            on_text(found.observation)
        return found

    def _nothing(
        self,
        request: Request,
        sha: str,
        outcome: Outcome,
        reason: str,
        raw: dict[str, Any] | None,
    ) -> Prediction:
        fields = {"reason": reason, "raw": raw, "request_sha": sha}
        return stamp(request, self.name, outcome, **fields)

    def count(self, text: str) -> int:
        """As the recorded model counted; its own guess for a text that was not counted then."""
        count = self._counts.get(_text_key(text))
        return super().count(text) if count is None else count


class Recorder(WorldModel):
    """A model whose predictions are kept in a folder as it makes them.

    A request that is already on record is answered from there: an interrupted recording goes on
    where it stopped, and what was recorded can be replayed to the letter.

    Raises:
        UsageError: the folder is the record of another model, or of this one set up differently.
    """

    def __init__(self, model: WorldModel, folder: str | Path) -> None:
        self.model = model
        self.folder = Path(folder).expanduser()
        self.name = model.name
        self.context = model.context
        self.style = model.style
        self.sampling = model.sampling
        self._claim()
        self._counts = _counts(self.folder)

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """The model's prediction, recorded unless it is trouble of the infrastructure."""
        sha = request.sha(self.name)
        found = _entry(self.folder, sha)
        if found is not None:
            if on_text and found.observation:
                on_text(found.observation)
            return found
        made = await self.model.predict(request, on_text)
        if made.outcome not in _PASSING:
            entry = {"schema": ENTRY_SCHEMA, "sha": sha, "prediction": msgspec.to_builtins(made)}
            _write_whole(_path(self.folder, sha), entry)
        return made

    def count(self, text: str) -> int:
        """As the model counts; kept, since what fits a context decides what is sent."""
        count, key = self.model.count(text), _text_key(text)
        if self.context is not None and key not in self._counts:
            self._counts[key] = count
            with (self.folder / "counts.jsonl").open("ab") as file:
                # The line before may have been torn by a crash.
                file.write(b"\n" + jsonl.dumps({"sha": key, "tokens": count}))
        return count

    def describe(self) -> dict[str, Any]:
        """As the model describes itself."""
        return self.model.describe()

    async def aclose(self) -> None:
        """Close the model."""
        await self.model.aclose()

    def _claim(self) -> None:
        """Make the folder the record of this model, or check that it is."""
        mine = Recorded(
            name=self.name, context=self.context, style=self.style, sampling=self.sampling
        )
        path = self.folder / "record.json"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_whole(path, {"schema": RECORD_SCHEMA, "model": msgspec.to_builtins(mine)})
            return
        theirs = manifest(self.folder)
        for field in Recorded.__struct_fields__:
            was, now = getattr(theirs, field), getattr(mine, field)
            if was != now:
                raise UsageError(
                    f"is the record of {theirs.name!r} with {field} {was!r}; this is {now!r}",
                    file=self.folder,
                    remedy="A folder holds one model's replies: record to another folder.",
                )


def manifest(folder: Path) -> Recorded:
    """Who is on record in a folder.

    Raises:
        DataError: there is no readable ``record.json``.
    """
    path = folder / "record.json"
    try:
        record = jsonl.loads(path.read_bytes())
        check_schema(record["schema"], RECORD_SCHEMA, file=path)
        return jsonl.convert(record["model"], Recorded)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path) from error
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise DataError(
            f"is not the manifest of a record ({error})",
            file=path,
            remedy="Give the folder that a Recorder wrote.",
        ) from error


def _path(folder: Path, sha: str) -> Path:
    return folder / sha[:2] / f"{sha}.json"


def _entry(folder: Path, sha: str) -> Prediction | None:
    path = _path(folder, sha)
    try:
        entry = jsonl.loads(path.read_bytes())
        check_schema(entry["schema"], ENTRY_SCHEMA, file=path)
        if entry["sha"] != sha:
            raise ValueError("it holds another request's")
        return jsonl.convert(entry["prediction"], Prediction)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise DataError(
            f"is not a recorded prediction ({error})", file=path, remedy="Delete it."
        ) from error


def _text_key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _counts(folder: Path) -> dict[str, int]:
    """Token counts by text; lines torn by a crash are passed over."""
    path, counts = folder / "counts.jsonl", dict[str, int]()
    if not path.exists():
        return counts
    for _, raw in jsonl.raw_lines(path):
        try:
            line = jsonl.loads(raw)
            counts[str(line["sha"])] = int(line["tokens"])
        except (ValueError, LookupError, TypeError):
            continue
    return counts


def _write_whole(path: Path, record: dict[str, Any]) -> None:
    """The file appears whole or not at all, also when the machine stops."""
    path.parent.mkdir(exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(jsonl.dumps(record) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
