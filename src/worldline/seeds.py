"""Seeds for samplers, each derived from what it is for."""

import hashlib


def sampler_seed(*what: object) -> int:
    """31 bits from what a draw is for: a run's seed, a session, a turn, an attempt."""
    key = "|".join(map(str, what)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=4).digest(), "big") >> 1
