"""A judge chooses between two answers: the paper's other two ways of asking.

* **Turing**: one of them really came, the other was predicted; which is real?
* **Pairwise**: both were predicted, the truth is shown; which is nearer to it?

Every row is asked in both orders, for judges prefer a place.

* `pairs`: the two answers of a row, or why there are none.
* `ask`: the question; `choice`: what a reply chose, or why it chose nothing.
* `run`: the stage itself, resumable; `table`: what it comes to.
"""
