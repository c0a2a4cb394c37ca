"""What the types of Rust's standard library give: the few whose methods pass on what they hold.

A list is an `l`, whatever holds it or goes through it; the others are a `G` with their type arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.index.resolve.value import NOTHING, Value, Values, generic_of, list_of, tuple_of

POINTERS = frozenset(
    {
        "Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard", "Cow", "Pin",
        "Lazy", "LazyLock", "LazyCell", "ManuallyDrop",
    }
)  # fmt: skip
"""What they point to answers for them, except for the methods below."""
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
OTHERS = frozenset({"Option", "Result"})

MAKING = frozenset({"default", "from", "from_iter"})
"""Functions of traits that give an object of the type, whichever of its `impl` blocks they stand in."""
TRYING = frozenset({"try_from", "from_str"})

_SAME_LIST = frozenset(
    {
        "iter", "iter_mut", "into_iter", "drain", "rev", "skip", "take", "filter", "chain", "cloned", "copied",
        "collect", "peekable", "by_ref", "as_slice", "as_mut_slice", "to_vec", "clone", "step_by", "skip_while",
        "take_while", "inspect", "fuse", "as_ref", "as_mut", "into_boxed_slice", "cycle", "to_owned", "borrow",
        "borrow_mut", "split_off", "into_vec", "union", "intersection", "difference", "sum",
    }
)  # fmt: skip
_ONE_OF_LIST = frozenset(
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
_SAME_OPTION = frozenset(
    {
        "as_ref", "as_mut", "cloned", "copied", "clone", "take", "or", "or_else", "filter", "as_deref", "inspect",
        "as_deref_mut", "replace", "map_err", "context", "with_context", "inspect_err", "xor",
    }
)  # fmt: skip


def kind_of(name: str) -> str | None:
    """The name by which a type of the library is known here."""
    if name in OTHERS or name in MAPS or name in CELLS:
        return name
    return "Box" if name in POINTERS else ("Vec" if name in LISTS else None)


def make(kind: str, parts: Sequence[Values]) -> Values:
    """An object of a type with these arguments; nothing if nothing is known of them."""
    if not any(parts):
        return NOTHING
    return frozenset({list_of(parts[0]) if kind == "Vec" else generic_of("rust", kind, parts)})


def elements(of: Value) -> Values:
    kind, parts = of[2], of[3]
    if kind in MAPS:
        return frozenset({tuple_of(parts)})
    if kind in OTHERS:
        return parts[0]  # type: ignore[no-any-return]
    return NOTHING


def tried(of: Value) -> Values:
    return of[3][0] if of[0] == "G" and of[2] in OTHERS else frozenset({of})


def call(of: Value, name: str, values: Sequence[Values], called: Values) -> Values:
    """What a method of a container gives; `called` is what a function gives that is passed to it."""
    if of[0] == "l":
        return _call_list(of, name, values, called)
    if of[0] == "c":
        made = frozenset({("i", *of[1:])})
        return made if name in MAKING else make("Result", [made, NOTHING])
    if of[0] != "G":
        return frozenset({of}) if name in ("clone", "to_owned", "by_ref") else NOTHING
    kind, parts = of[2], of[3]
    if kind in OTHERS:
        return _call_option(of, name, called)
    if kind in MAPS:
        return _call_map(parts, name, of)
    if kind in CELLS:
        if name in ("borrow", "borrow_mut", "into_inner") and kind == "RefCell":
            return parts[0]  # type: ignore[no-any-return]
        if name in ("lock", "read", "write", "get_mut", "into_inner"):
            return make("Result", [parts[0], NOTHING])
        if name in ("get", "set") and kind.startswith("Once"):
            return make("Option", parts)
        return parts[0] if name in ("get_or_init", "get", "take", "replace") else NOTHING
    if name == "clone":
        return frozenset({of})
    return parts[0] if name in POINTER_METHODS - {"cmp", "eq", "ne", "hash", "fmt", "into", "try_into"} else NOTHING


def _call_list(of: Value, name: str, values: Sequence[Values], called: Values) -> Values:
    held = of[1]
    if name in _SAME_LIST:
        return frozenset({of})
    if name in _ONE_OF_LIST:
        return make("Option", [held])
    if name == "enumerate":
        return frozenset({list_of(frozenset({tuple_of([NOTHING, held])}))})
    if name in ("remove", "swap_remove"):
        return held  # type: ignore[no-any-return]
    if name == "zip" and values:
        return frozenset({list_of(frozenset({tuple_of([held, _within(values[0])])}))})
    if name == "map":
        return make("Vec", [called])
    if name in ("flat_map", "filter_map"):
        return make("Vec", [_within(called)])
    if name == "find_map":
        return called
    if name in ("windows", "chunks", "split"):
        return make("Vec", [frozenset({of})])
    return NOTHING


def _within(values: Values) -> Values:
    found: set[Value] = set()
    for value in values:
        if value[0] == "l":
            found |= value[1]
        elif value[0] == "G":
            found |= elements(value)
        elif value[0] == "?":
            found.add(value)
    return frozenset(found)


def _call_option(of: Value, name: str, called: Values) -> Values:
    kind, parts = of[2], of[3]
    if name in _UNWRAPPING:
        return parts[0]  # type: ignore[no-any-return]
    if name in _SAME_OPTION:
        return frozenset({of})
    if name in ("ok", "ok_or", "ok_or_else"):
        return make("Option" if name == "ok" else "Result", [parts[0], NOTHING])
    if name in ("err", "unwrap_err", "expect_err") and len(parts) > 1:
        return make("Option", [parts[1]]) if name == "err" else parts[1]
    if name == "map":
        return make(kind, [called, *parts[1:]])
    if name == "and_then":
        return called
    return make("Vec", [parts[0]]) if name in ("iter", "into_iter", "iter_mut") else NOTHING


def _call_map(parts: Sequence[Values], name: str, of: Value) -> Values:
    held = parts[1] if len(parts) > 1 else NOTHING
    if name in ("get", "get_mut", "remove", "insert"):
        return make("Option", [held])
    if name in ("values", "values_mut", "into_values"):
        return make("Vec", [held])
    if name in ("keys", "into_keys"):
        return make("Vec", [parts[0]])
    if name in ("iter", "iter_mut", "into_iter", "drain"):
        return frozenset({list_of(frozenset({tuple_of(parts)}))})
    if name == "entry":
        return frozenset({of})
    if name in ("or_insert", "or_insert_with", "or_default", "or_insert_with_key"):
        return held
    return frozenset({of}) if name in ("clone", "and_modify") else NOTHING
