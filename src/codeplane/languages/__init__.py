"""One folder per language: what its grammar is, two queries, and the few rules that a query cannot say.

To add a language: a folder here (`__init__.py` with LANGUAGE, `facts.scm`, `names.scm`) and
a folder of cases in `tests/facts/`. `registry` finds it; nothing else has to be edited.
"""
