"""Parameters and types in the text of a signature."""

from __future__ import annotations

import pytest

from codeplane.query.signatures import count_parameters, go_types, split_list


@pytest.mark.parametrize(
    ("signature", "name", "count"),
    [
        ("String load(String name)", "load", 1),
        ("public <T> T load(Map<String, T> all, int count)", "load", 2),
        ("override fun load(name: String, then: (Int) -> Unit): String", "load", 2),
        ("int load()", "load", 0),
        ("virtual int load(std::map<int, int> m) const = 0", "load", 1),
        ("Load Load(Load other)", "Load", 1),
        ("val load: String", "load", None),
    ],
)
def test_count_parameters(signature: str, name: str, count: int | None) -> None:
    assert count_parameters(signature, name) == count


@pytest.mark.parametrize(
    ("signature", "types"),
    [
        ("Get()", ((), ())),
        ("Get(string) error", (("string",), ("error",))),
        (
            "func (s *S) Get(a, b string, opts ...Option) (x string, err error)",
            (("string", "string", "...Option"), ("string", "error")),
        ),
        ("Get(ctx context.Context, f func(a int) string)", (("Context", "func"), ())),
        ("Get(ctx context.Context, f func(int) string)", (("Context", "func"), ())),
        ("Get(map[string][]int) chan<- *pkg.T", (("map[string][]int",), ("chan<-*T",))),
        ("Get(v interface{}) any", (("any",), ("any",))),
    ],
)
def test_go_parameter_types(signature: str, types: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    assert go_types(signature, "Get") == types


def test_parameters_are_split_outside_brackets() -> None:
    assert split_list("a: (x, y) => Map<K, V>, b, [c, d]") == ["a: (x, y) => Map<K, V>", "b", "[c, d]"]
    assert split_list("") == []
