"""Name resolution of JavaScript, TypeScript and TSX: computed types, contextual typing and structural members.

`adapter` is what the common evaluator calls. The types are those of `index.resolve.types`.
"""
