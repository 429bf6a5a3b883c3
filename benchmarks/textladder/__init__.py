"""worldline-bench by rung: copy, retrieval, and the embedded model raw and grounded.

``python -m benchmarks.textladder.run`` predicts and scores (long on two cores: it asks the embedded
model; stopped, it goes on where it was), keeps `results.jsonl` with `manifest.json`, and writes
docs/worldline-bench.md.
"""
