"""One folder per language: grammar, queries, and rules that a query cannot express.

To add a language: a folder here (`__init__.py` with LANGUAGES, `facts.scm`, `names.scm`) and a folder of cases in
`tests/facts/`. `registry` finds it; nothing else has to be edited. The first language of a build tool also declares
its FAMILY.
"""
