"""The study of declared checks: four ways of answering the cases that come with Worldline.

``python -m benchmarks.rules.run`` (long on two cores: it asks the embedded model) asks each way
about the first cases of every domain and axis and keeps what came: `results.jsonl`, and
`manifest.json` with what it was made from. Stopped, it goes on where it was.
"""
