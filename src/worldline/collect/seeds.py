"""Where an episode's randomness comes from: the run's seed, its domain and its number, no more.

So episode 17 is the same whichever worker plays it, in whatever order, and however often the run
was interrupted before.
"""

import hashlib
import random


def derived(*parts: object, bits: int = 48) -> int:
    """A number of so many bits (at most 64) that follows from the parts by BLAKE2.

    48 bits are exact in every JSON reader; real environments take 31.
    """
    text = "|".join(str(part) for part in parts)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - bits)


def episode_seed(seed: int, domain: str, number: int) -> int:
    """The seed of one episode of a run."""
    return derived(seed, domain, number)


def reset_seed(episode: int) -> int:
    """What the environment is reset with (31 bits)."""
    return derived(episode, "reset", bits=31)


def stream(episode: int, purpose: str) -> random.Random:
    """A stream of random choices of its own for each purpose of an episode."""
    return random.Random(derived(episode, purpose, bits=64))
