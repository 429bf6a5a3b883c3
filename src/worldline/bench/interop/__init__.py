"""Our benchmark inside other people's evaluation tools.

* `posed`: rows as messages, replies as predictions; no tool is imported.
* `inspect_task`, `inspect_judge`, `inspect_metrics`: a task of inspect_ai, which they alone import.
"""
