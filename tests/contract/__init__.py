"""What users can rely on, as text: a change of it is a decision, listed in changelog.d.

`python -m tests.contract` rewrites the files in `snapshots/`. Each is made by a function in `texts.py`. In a transcript,
lines that begin with `$ ` are inputs: write another one at its place, and the command adds the answer.
"""
