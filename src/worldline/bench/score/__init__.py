"""What judged rows come to: figures with intervals, coverage and bounds; comparisons; pages.

* `rows`, `run`: judged files read into small rows, and whether they may be taken together.
* `intervals`, `correlation`: the bootstrap over sessions; how two measures of the same rows agree.
* `table`, `compare`, `panel`: the report of a run, of a pair of runs, of several judges.
* `page`, `leaderboard`, `hub`: what of it is published.
"""
