"""The training corpus: collected by `make corpus`, its figures and fingerprints kept here.

The corpus itself (some hundred MB) lies in the folder it is made in; what is committed beside this
file says what came out (`manifest.json`, `stats.json`, `page.html`, `card.md`) and, episode by
episode, a fingerprint (`episodes.jsonl.gz`), so that any of them can be played again and compared.
"""
