"""Runtime metadata of a terminal: what differs between two runs of the same session.

Everything else is fixed: identity, host name, locale, time zone, hash seeds, dates of commits, the
times of the files that are there at the start.
"""

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIME = r"\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"

MASKS: tuple[tuple[str, str], ...] = (
    ("iso-time", rf"\b20[2-9]\d-\d{{2}}-\d{{2}}[T _]{_TIME}(?:Z| ?[+-]\d{{2}}:?\d{{2}})?"),
    ("stamp", r"\b20[2-9]\d{5}[-_T]?\d{4,6}\b"),
    ("listed-time", rf"\b{_MONTH} [ \d]\d +(?:\d{{2}}:\d{{2}}|20(?:2[6-9]|[3-9]\d))\b"),
    ("date", rf"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{{1,2}} )?{_MONTH}[^\n]{{0,8}} {_TIME}"),
    ("today", r"\b20[2-9]\d-\d{2}-\d{2}\b"),
    ("clock", r"(?m)^ ?\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b"),
    ("epoch", r"\b1[789]\d{8}(?:\.\d{1,9})?\b"),
    ("job", r"(?m)^\[\d{1,3}\] \d{1,7}$"),
    ("killed", r"\b\d{1,7} (?:Killed|Terminated|Segmentation fault|Aborted|Hangup)\b"),
    ("taken", r"\b\d{1,4}m\d{1,2}[.,]\d{3}s"),
    ("timed", r"(?m)^(?:real|user|sys)[ \t]+\d{1,5}\.\d{1,6}$"),
    ("seconds", r"\b\d{1,5}\.\d{1,6} ?(?:s|ms|sec|secs|seconds)\b"),
    ("process", r"(?m)^ *(?:user|root) +\d+ +\d[^\n]{0,80}|^ *\d{1,7} (?:pts/\d+|\?) [^\n]{0,16}"),
    ("temporary", r"/tmp/tmp\.?[A-Za-z0-9_]{6,12}\b"),
    ("address", r"\b0x[0-9a-f]{9,16}\b"),
    ("inode", r"\bInode: \d+|\bDevice: [\w,/]+"),
    ("load", r"load average: [\d., ]+|\bup +\d[\d:, a-z]{0,30}"),
)
"""(name, RE2 pattern) of what is masked before two runs are compared."""
