"""`worldline model`: the models on this machine."""

from typing import Annotated

import msgspec
import typer

from worldline.cli.common import Config, Json, emit, say, verb_app
from worldline.models import library

app = verb_app("The models on this machine.")


@app.callback()
def _group() -> None:
    """The models that come along: list them, fetch them, find their files."""


@app.command("list")
def list_models(json: Json = False, config: Config = None) -> None:
    """What can be fetched, and what is here. Asks no network."""
    entries = library.entries()
    if json:
        emit({"schema": "worldline.models/1", "models": msgspec.to_builtins(entries)})
        return
    for one in entries:
        here = "here" if one.cached else "not fetched"
        print(f"{one.spec:<10} {one.name}  {one.bytes / 1e6:,.0f} MB  {one.licence}  {here}")
        print(f"{'':<10} from {one.source}")
    print("Others: --model openai:NAME@http://..., gguf:PATH, and more in docs/models.md.")


@app.command()
def pull(
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every byte of what is here; mend damage.")
    ] = False,
    config: Config = None,
) -> None:
    """Fetch the embedded model; afterwards no network is needed. A cut download goes on."""
    library.pull(verify=verify)
    say("The embedded model is ready.")


@app.command()
def path(config: Config = None) -> None:
    """Where the embedded model's file is, as it came."""
    print(library.path())
