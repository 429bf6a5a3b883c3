"""An LLM grades predictions against the truth: what it is asked, what it said, and what stays open.

* `given`: what a row of predictions offers a judge, or why it offers nothing.
* `ask`: our own prompts, in delimiters that the text under test cannot close; `texts`: where they
  come from, ours or a folder.
* `verdict`: the scores in a reply, or why there are none; never a guess.
* `run`: the stage itself, resumable; `judged`: the shape of what it writes.
"""
