"""What is known of programs by name: the lists of ``programs.toml``."""

import tomllib
from importlib.resources import files

TABLES: dict[str, frozenset[str]] = {
    name: frozenset(words)
    for name, words in tomllib.loads(
        files("worldline.domains.terminal.shell").joinpath("programs.toml").read_text("utf-8")
    ).items()
}
"""List name -> its words; the file says what each list means."""
