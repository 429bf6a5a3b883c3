"""The command line: one file a verb, each loaded only when it is asked for.

A verb's module holds `app`, a `typer.Typer` with one command (or, for `bench`, `model` and
`snapshot`, a few). Data goes to stdout, messages to stderr; the exit code is 0 only when all that
was asked was done.
"""

import importlib
import sys
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from worldline.errors import WorldlineError


class Verb(NamedTuple):
    """Where a verb lives and the line `worldline --help` shows for it."""

    module: str
    help: str


VERBS = {
    "sim": Verb("worldline.cli.sim", "Act in a simulated environment."),
    "predict": Verb("worldline.cli.predict", "Predict recorded turns (the same as bench infer)."),
    "verify": Verb("worldline.cli.verify", "Score predictions without a judge."),
    "assess": Verb("worldline.cli.assess", "A trust report for your own environment."),
    "bench": Verb("worldline.cli.bench", "Benchmark: infer, judge, score, compare, report; make."),
    "prompts": Verb("worldline.cli.prompts", "Judge prompts, chosen by measuring: optimise."),
    "snapshot": Verb("worldline.cli.snapshot", "Read a real environment into a starting state."),
    "collect": Verb("worldline.cli.collect", "Record trajectories from a real environment."),
    "task": Verb("worldline.cli.task", "Tasks for agents: list, check, run."),
    "corpus": Verb("worldline.cli.corpus", "Training sets: stats."),
    "import": Verb("worldline.cli.import_", "Turn recordings of other tools into trajectories."),
    "model": Verb("worldline.cli.model", "The models on this machine: list, pull, path."),
    "doctor": Verb("worldline.cli.doctor", "What works on this machine and how to get the rest."),
    "migrate": Verb("worldline.cli.migrate", "Bring files of older versions up to date."),
}


class LazyGroup(TyperGroup):
    """A group that knows its verbs by name and imports one only to run it or show its help."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Verbs in the order people meet them."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb's own command, imported now."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(VERBS[cmd_name].module)
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of verbs, written without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from worldline import __version__

        typer.echo(f"worldline {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_version, help="Show the version and exit."
    ),
) -> None:
    """Worldline: an open language world model for agents.

    Start with `worldline sim terminal`. Every verb takes --help, and its flags from a TOML file by
    --config FILE.
    """


INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Run the command line; errors of ours become one clear line and an exit code."""
    try:
        app()
    except WorldlineError as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _interrupted()
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer ends so, without a word
            _interrupted()
        raise
    except BrokenPipeError:
        # The reader (`head`, a closed pager) has seen enough.
        sys.stderr.close()
        sys.exit(141)


def _interrupted() -> None:
    print("interrupted: run the same command again to go on", file=sys.stderr)


def printable(text: str) -> str:
    """Text from elsewhere, made safe to print (see `worldline.visible`)."""
    from worldline.visible import visible

    return visible(text)
