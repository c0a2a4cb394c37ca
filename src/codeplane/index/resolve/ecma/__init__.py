"""Name resolution for JavaScript and TypeScript: modules, declared types, and types inferred from code.

Types are not checked, and no code is run. `resolver` is the entry; `queries` connects the parts.
"""
