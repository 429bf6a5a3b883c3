"""Pseudonyms: the same person gets the same one wherever one salt and one scope reach.

Nobody who does not have the salt can try names until one fits.
"""

import hashlib

from worldline.redact.people import Known


class Pseudonyms:
    """Makes the pseudonyms of one trajectory.

    Args:
        salt: a secret of the run; the same salt gives the same pseudonyms.
        scope: the trajectory, so that one person's trajectories cannot be told to be one person's.
        known: who was met there, so that a name and its address are one person.
    """

    def __init__(self, salt: str, scope: str, known: Known) -> None:
        key = f"{len(salt)}:{salt}{scope}".encode("utf-8", "surrogatepass")
        self._key = hashlib.blake2b(key, digest_size=32).digest()
        self._names = known.names

    def __call__(self, kind: str, word: str) -> str:
        """The pseudonym of what was found: a ``login``, ``host``, ``mail`` or ``name``."""
        if kind == "host":
            return f"host-{self._code('host', word)}"
        if kind == "login":
            return f"person-{self._code('person', word)}"
        if kind == "mail":
            return f"person-{self._code('person', word.partition('@')[0])}@example.com"
        mail = self._names.get(word, word)
        return f"Person {self._code('person', mail.partition('@')[0])}"

    def _code(self, kind: str, word: str) -> str:
        data = f"{kind}:{word.lower()}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, key=self._key, digest_size=3).hexdigest()
