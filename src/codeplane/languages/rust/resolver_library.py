"""Results of methods of Rust's standard library types that pass on their contents.

Every sequence or iterator is a ListType; the other types are a LibraryType with their type arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    LibraryType,
    ListType,
    Top,
    Type,
    Types,
    instance_of,
    library_type,
    list_of,
    one,
    tuple_of,
)

POINTERS = frozenset(
    {
        "Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard", "Cow", "Pin",
        "Lazy", "LazyLock", "LazyCell", "ManuallyDrop",
    }
)  # fmt: skip
"""Members are those of the pointee, except for the methods below."""
POINTER_METHODS = frozenset(
    {
        "clone", "as_ref", "as_mut", "borrow", "borrow_mut", "deref", "deref_mut", "to_owned", "into_owned", "to_mut",
        "eq", "ne", "cmp", "partial_cmp", "hash", "fmt", "into", "try_into", "type_id", "to_string", "default", "drop",
    }
)  # fmt: skip
LISTS = frozenset(
    {
        "Vec", "VecDeque", "HashSet", "BTreeSet", "BinaryHeap", "LinkedList", "Iterator", "IntoIterator", "IndexSet",
        "DoubleEndedIterator", "ExactSizeIterator", "Peekable", "Iter", "IterMut", "IntoIter", "SmallVec", "Stream",
    }
)  # fmt: skip
MAPS = frozenset({"HashMap", "BTreeMap", "IndexMap"})
CELLS = frozenset({"Mutex", "RwLock", "RefCell", "Cell", "OnceCell", "OnceLock"})
WRAPPERS = frozenset({"Option", "Result"})

FACTORIES = frozenset({"default", "from", "from_iter"})
"""Trait functions that return an instance of the type, whichever `impl` block defines them."""
FALLIBLE_FACTORIES = frozenset({"try_from", "from_str"})

_SAME_LIST = frozenset(
    {
        "iter", "iter_mut", "into_iter", "drain", "rev", "skip", "take", "filter", "chain", "cloned", "copied",
        "collect", "peekable", "by_ref", "as_slice", "as_mut_slice", "to_vec", "clone", "step_by", "skip_while",
        "take_while", "inspect", "fuse", "as_ref", "as_mut", "into_boxed_slice", "cycle", "to_owned", "borrow",
        "borrow_mut", "split_off", "into_vec", "union", "intersection", "difference", "sum",
    }
)  # fmt: skip
_ONE_ITEM = frozenset(
    {
        "next", "last", "first", "get", "pop", "nth", "find", "max_by", "min_by", "max_by_key", "min_by_key", "peek",
        "first_mut", "last_mut", "get_mut", "next_back", "max", "min", "pop_front", "pop_back", "front", "back",
        "front_mut", "back_mut", "reduce", "rfind", "peek_mut",
    }
)  # fmt: skip
_UNWRAPPING = frozenset(
    {
        "unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "unwrap_unchecked", "get_or_insert",
        "get_or_insert_with", "insert",
    }
)  # fmt: skip
_SAME_WRAPPER = frozenset(
    {
        "as_ref", "as_mut", "cloned", "copied", "clone", "take", "or", "or_else", "filter", "as_deref", "inspect",
        "as_deref_mut", "replace", "map_err", "context", "with_context", "inspect_err", "xor",
    }
)  # fmt: skip


_POINTER_RESULTS = POINTER_METHODS - {"cmp", "eq", "ne", "hash", "fmt", "into", "try_into"}


def kind_of(name: str) -> str | None:
    """The name that represents a library type here."""
    if name in WRAPPERS or name in MAPS or name in CELLS:
        return name
    return "Box" if name in POINTERS else ("Vec" if name in LISTS else None)


def make(kind: str, parts: Sequence[Types]) -> Types:
    """An instance of a type with these arguments; nothing if none of them is known."""
    if not any(parts):
        return NOTHING
    return one(list_of(parts[0]) if kind == "Vec" else library_type("rust", kind, parts))


def elements(value: LibraryType) -> Types:
    if value.name in MAPS:
        return one(tuple_of(value.arguments))
    return value.arguments[0] if value.name in WRAPPERS else NOTHING


def unwrap(value: Type) -> Types:
    """The success value of `?`."""
    return value.arguments[0] if isinstance(value, LibraryType) and value.name in WRAPPERS else one(value)


def call(container: Type, name: str, arguments: Sequence[Types], called: Types) -> Types:
    """Result of a method of a library type; `called` is the result of a function argument."""
    if isinstance(container, ListType):
        return _call_list(container, name, arguments, called)
    if isinstance(container, ClassType):
        made = one(instance_of(container))
        return made if name in FACTORIES else make("Result", [made, NOTHING])
    if not isinstance(container, LibraryType):
        return one(container) if name in ("clone", "to_owned", "by_ref") else NOTHING
    if container.name in WRAPPERS:
        return _call_wrapper(container, name, called)
    if container.name in MAPS:
        return _call_map(container, name)
    if container.name in CELLS:
        return _call_cell(container, name)
    if name == "clone":
        return one(container)
    return container.arguments[0] if name in _POINTER_RESULTS else NOTHING


def _call_cell(container: LibraryType, name: str) -> Types:
    content = container.arguments[0]
    if name in ("borrow", "borrow_mut", "into_inner") and container.name == "RefCell":
        return content
    if name in ("lock", "read", "write", "get_mut", "into_inner"):
        return make("Result", [content, NOTHING])
    if name in ("get", "set") and container.name.startswith("Once"):
        return make("Option", container.arguments)
    return content if name in ("get_or_init", "get", "take", "replace") else NOTHING


def _call_list(container: ListType, name: str, arguments: Sequence[Types], called: Types) -> Types:
    items = container.items
    if name in _SAME_LIST:
        return one(container)
    if name in _ONE_ITEM:
        return make("Option", [items])
    if name == "enumerate":
        return one(list_of(one(tuple_of([NOTHING, items]))))
    if name in ("remove", "swap_remove"):
        return items
    if name == "zip" and arguments:
        return one(list_of(one(tuple_of([items, _contents(arguments[0])]))))
    if name == "map":
        return make("Vec", [called])
    if name in ("flat_map", "filter_map"):
        return make("Vec", [_contents(called)])
    if name == "find_map":
        return called
    return make("Vec", [one(container)]) if name in ("windows", "chunks", "split") else NOTHING


def _contents(types: Types) -> Types:
    found: set[Type] = set()
    for value in types:
        if isinstance(value, ListType):
            found |= value.items
        elif isinstance(value, LibraryType):
            found |= elements(value)
        elif isinstance(value, Top):
            found.add(value)
    return frozenset(found)


def _call_wrapper(container: LibraryType, name: str, called: Types) -> Types:
    parts = container.arguments
    if name in _UNWRAPPING:
        return parts[0]
    if name in _SAME_WRAPPER:
        return one(container)
    if name in ("ok", "ok_or", "ok_or_else"):
        return make("Option" if name == "ok" else "Result", [parts[0], NOTHING])
    if name in ("err", "unwrap_err", "expect_err") and len(parts) > 1:
        return make("Option", [parts[1]]) if name == "err" else parts[1]
    if name == "map":
        return make(container.name, [called, *parts[1:]])
    if name == "and_then":
        return called
    return make("Vec", [parts[0]]) if name in ("iter", "into_iter", "iter_mut") else NOTHING


def _call_map(container: LibraryType, name: str) -> Types:
    parts = container.arguments
    values = parts[1] if len(parts) > 1 else NOTHING
    if name in ("get", "get_mut", "remove", "insert"):
        return make("Option", [values])
    if name in ("values", "values_mut", "into_values"):
        return make("Vec", [values])
    if name in ("keys", "into_keys"):
        return make("Vec", [parts[0]])
    if name in ("iter", "iter_mut", "into_iter", "drain"):
        return one(list_of(one(tuple_of(parts))))
    if name in ("or_insert", "or_insert_with", "or_default", "or_insert_with_key"):
        return values
    return one(container) if name in ("clone", "and_modify", "entry") else NOTHING
