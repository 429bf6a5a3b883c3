"""Worldline beside the official AgentWorldBench script: the same rows, the same stub, compared.

* `rows`: recorded turns of our own as rows in the benchmark's form, awkward ones among them.
* `replies`: what the stubs say: generations and verdicts, well-formed and broken.
* `script`: the official script as a process of its own, and its parsers, from a checkout.
"""
