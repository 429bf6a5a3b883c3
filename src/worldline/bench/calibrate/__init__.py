"""How far can a judge be trusted? It grades observations of which it is known how good they are.

* `sample`: recorded turns, drawn by a seed; `items`: what is made of each of them, right and wrong.
* `run`: the judging itself, by the usual desk, resumable.
* `report`: what a person needs to decide; `count`: from grades to it; `page`: the same as a page.
"""
