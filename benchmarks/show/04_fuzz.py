"""Rules and measures on whatever a model may say: no crash, spans in the text, shares in 0 to 1."""

from benchmarks.fuzz.shown import fuzzed
from benchmarks.fuzz.targets import verifiers
from benchmarks.show import Show

SEED = 4


def check(show: Show) -> None:
    fuzzed(show, SEED, verifiers, least=50_000, each=100)
