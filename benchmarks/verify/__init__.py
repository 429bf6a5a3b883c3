"""Measures of the measures: what the checks of part 4 share.

``python -m benchmarks.verify DOMAIN`` shows one domain: the truth's own scores and alarms, what the
guard catches of the lies and of corruptions, and which dimensions corruptions cost.
"""
