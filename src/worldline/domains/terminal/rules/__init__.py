"""Rules that an observation cannot break, by what they rest on.

`asked` reads a command line as far as its text decides; `programs` and `counting` know what
programs can print whatever they work on, `selection` that a program which only selects lines
invents none, `places` what the known files allow; `screen`, `answers` and `views` belong to one
dialect each.
"""
