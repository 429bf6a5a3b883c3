"""Everything foreign that part 3 reads under fuzzing: no crash, nothing good lost, linear time.

Recordings of other tools, the wire, what terminals and servers of tools send, pages and queries,
tasks and what they are checked on, redaction, collected folders and their page.
"""

from benchmarks.fuzz.shown import fuzzed
from benchmarks.fuzz.targets import reality
from benchmarks.show import Show

SEED = 3


def check(show: Show) -> None:
    fuzzed(show, SEED, reality, least=200_000, each=100)
