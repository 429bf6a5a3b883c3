"""Fuzzing of every parser of foreign text: what models, pages, tools, files and people may send.

`targets` lists the parsers and what each promises, `seeds` the texts to start from, `mutate` how
they are damaged, `pathological` the repeats that must be read in linear time, `shrink` makes a
failing input small, `worker` runs a share of the targets for a while and `run` all of them.
`broken` has parsers with faults that must be found.
"""
