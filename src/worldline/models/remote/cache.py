"""Complete replies kept by the content of their request.

The address is the hash of the request's body as sent, model name included, so a reply is found
again whatever server gives that model that name. Only whole, regular replies are kept. A file
appears whole or not at all; one that is damaged all the same is a miss, reported, and replaced.
"""

import logging
import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.reply import Reply

CACHE_SCHEMA = "worldline.reply/1"

_log = logging.getLogger(__name__)


class ReplyCache:
    """A folder of replies."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()

    def get(self, address: str) -> Reply | None:
        """The reply kept under an address, marked ``timings.cache``."""
        path = self._path(address)
        try:
            record = jsonl.loads(path.read_bytes())
            if record["schema"] != CACHE_SCHEMA or record["address"] != address:
                raise ValueError("it holds something else")
            reply = jsonl.convert(record["reply"], Reply)
        except FileNotFoundError:
            return None
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            RecursionError,
            msgspec.MsgspecError,
        ) as error:
            _log.warning("cached reply %s is unusable (%s); asking again", path, error)
            return None
        return msgspec.structs.replace(reply, timings={**reply.timings, "cache": True})

    def put(self, address: str, reply: Reply) -> None:
        """Keep a reply if it is complete; a folder that cannot be written is reported, no more."""
        if not complete(reply):
            return
        record = {
            "schema": CACHE_SCHEMA,
            "address": address,
            "reply": msgspec.to_builtins(reply),
        }
        path = self._path(address)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, record)
        except OSError as error:
            _log.warning("reply cannot be cached in %s (%s)", self.folder, error)

    def _path(self, address: str) -> Path:
        return self.folder / address[:2] / f"{address}.json"


def complete(reply: Reply) -> bool:
    """Whether a reply is the model's whole, regular answer."""
    return (
        reply.error is None
        and reply.finish_reason == "stop"
        and bool(reply.content)
        and not reply.refusal
    )


def _write_whole(path: Path, record: dict[str, Any]) -> None:
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(jsonl.dumps(record))
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
