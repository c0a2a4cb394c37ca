"""Text form of read: a header, unchanged lines, and the call that continues."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.envelope import Answer
from codeplane.base.text_lines import LineKind, agent_text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.read import LEAST_MARKED, render_read
from support.repositories import make_repository, write
from support.tooling import Server, serving

CART = (
    "import os\n\n\nclass Cart:\n    size = 0\n\n    # Sums up.\n    def total(self) -> int:\n\t\treturn 1\n\n\n"
    "def total(carts):\n    return 0\n"
)
BLOCKS = "".join(f"def block_{n}():\n" + "".join(f"    x = {k}\n" for k in range(8)) + "\n" for n in range(20))
WIDE_CLASS = "class Wide:\n" + "".join(f"    def method_{n}(self):\n        return {n}\n" for n in range(300))
FILES: dict[str, str | bytes] = {
    "shop/cart.py": CART,
    "blocks.py": BLOCKS,
    "wide.py": WIDE_CLASS,
    "flat.txt": "".join(f"line {n}\n" for n in range(1, 151)),
    "long_line.txt": "y" * 30_000 + "\n",
    "crlf.txt": "a\r\nb\r\n",
    "latin.txt": "grün\n".encode("latin-1"),
    "blob.bin": bytes(range(256)),
    "empty.py": "",
    "edited.py": "a = 1\nb = 2\nc = 3\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = make_repository(tmp_path_factory.mktemp("read-text") / "repo", FILES)
    write(root, "edited.py", "a = 1\nb = 3\nc = 3\n")
    with serving(root) as server:
        yield server


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:12]


def read(server: Server, **arguments: object) -> str:
    return server.text("read", {"fresh": True, **arguments})


def test_header_then_lines_as_in_the_file(shop: Server) -> None:
    assert read(shop, target="shop/cart.py#Cart.total") == (
        f"shop/cart.py:8-9 sha {sha(CART)}\n    def total(self) -> int:\n\t\treturn 1"
    )


def test_single_line_has_no_range(shop: Server) -> None:
    assert read(shop, target="shop/cart.py:5-5") == f"shop/cart.py:5 sha {sha(CART)}\n    size = 0"


def test_digest_is_printed_once_per_file(shop: Server) -> None:
    shown = read(shop, targets=["shop/cart.py:1-1", "shop/cart.py:5-5", "empty.py"])
    assert shown == (
        f"shop/cart.py:1 sha {sha(CART)}\nimport os\nshop/cart.py:5\n    size = 0\nempty.py empty sha {sha('')}"
    )


def test_digest_is_printed_once_per_session_and_version(tmp_path: Path) -> None:
    first = "x = 1\ny = 2\n"
    with serving(make_repository(tmp_path / "repo", {"a.py": first})) as server:
        assert server.text("read", {"target": "a.py:1-1"}) == f"a.py:1 sha {sha(first)}\nx = 1"
        assert server.text("read", {"target": "a.py:2-2"}) == "a.py:2\ny = 2"
        changed = "x = 1\ny = 3\n"
        write(server.root, "a.py", changed)
        assert server.text("read", {"target": "a.py:2-2"}) == f"a.py:2 sha {sha(changed)}\ny = 3"
        assert server.text("read", {"target": "a.py:2-2", "fresh": True}) == f"a.py:2 sha {sha(changed)}\ny = 3"


def test_short_passages_have_no_marks(shop: Server) -> None:
    assert "@@" not in read(shop, target=f"blocks.py:1-{LEAST_MARKED - 1}")


def test_long_passages_mark_lines_after_blank_ones(shop: Server) -> None:
    shown = read(shop, target="blocks.py:1-100").split("\n")
    assert [line for line in shown if line.startswith("@@")] == ["@@ 31 @@", "@@ 61 @@", "@@ 91 @@"]
    assert shown[shown.index("@@ 31 @@") + 1] == BLOCKS.splitlines()[30] == "def block_3():"
    without = [line for line in shown[1:] if not line.startswith("@@")]
    assert without == BLOCKS.splitlines()[:100]


def test_text_without_blank_lines_is_marked_too(shop: Server) -> None:
    shown = read(shop, target="flat.txt").splitlines()
    assert [line for line in shown if line.startswith("@@")] == ["@@ 61 @@", "@@ 121 @@"]


def test_printers_get_every_line_number(shop: Server) -> None:
    found = shop.call("read", {"target": "blocks.py:1-100", "fresh": True})
    lines = render_read(Arguments(), Answer(found["result"]))
    assert [(line.line, line.body) for line in lines if line.kind is LineKind.SOURCE] == list(
        enumerate(BLOCKS.splitlines()[:100], 1)
    )


def test_truncated_file_names_the_next_lines(shop: Server) -> None:
    shown = read(shop, target="blocks.py", limit=20)
    assert shown.splitlines()[-1] == "more: 21-200 (read target=blocks.py:21-200 limit=20)"


def test_truncated_class_names_its_members(shop: Server) -> None:
    shown = read(shop, target="Wide", limit=10).splitlines()
    assert shown[-2:] == [
        "more: 11-601 (read target=wide.py:11-601 limit=10)",
        "members: file_outline file=wide.py symbol=Wide",
    ]


def test_truncated_target_among_several_names_the_next_lines(shop: Server) -> None:
    shown = read(shop, targets=["blocks.py", "empty.py"], limit=10).splitlines()
    assert shown[11:] == ["more: 190 lines (read target=blocks.py:11-200)", f"empty.py empty sha {sha('')}"]


def test_line_longer_than_an_answer(shop: Server) -> None:
    shown = read(shop, target="long_line.txt").splitlines()
    assert shown[-1] == "more: the rest of line 1 (read_file_full file=long_line.txt confirm=true)"


def test_targets_that_do_not_fit_wait_behind_a_cursor(shop: Server) -> None:
    shown = read(shop, targets=["long_line.txt"] * 3, max_preview_chars=20_000).splitlines()
    assert shown[-1].startswith("more: 2 targets (read cursor=c_")


def test_one_failing_target_does_not_spoil_the_others(shop: Server) -> None:
    shown = read(shop, targets=["gone.py", "shop/cart.py:5-5"]).splitlines()
    assert shown[0] == "gone.py: error FILE_NOT_FOUND: 'gone.py' does not exist"
    assert shown[2] == "    size = 0"


def test_unusual_encodings_are_in_the_header(shop: Server) -> None:
    assert (
        read(shop, target="crlf.txt")
        == f"crlf.txt:1-2 crlf sha {sha('a' + chr(13) + chr(10) + 'b' + chr(13) + chr(10))}\na\nb"
    )
    assert read(shop, target="latin.txt").startswith("latin.txt:1 latin-1 sha ")


def test_binary_file(shop: Server) -> None:
    assert read(shop, target="blob.bin") == f"blob.bin binary, 256 bytes, sha {sha(bytes(range(256)))}"


def test_preview_mode_none_is_one_line_and_a_cost(shop: Server) -> None:
    shown = read(shop, target="blocks.py", preview_mode="none")
    assert shown == f"blocks.py:1-200 200 lines sha {sha(BLOCKS)}\nabout {len(BLOCKS) // 4} tokens"


def test_diff_is_printed_as_hunks(shop: Server) -> None:
    shown = read(shop, target="edited.py", mode="diff_preview").splitlines()
    assert shown[0].startswith("edited.py +1 -1 sha ")
    assert shown[1].startswith("@@ -1,3 +1,3 @@")
    assert shown[2:] == [" a = 1", "-b = 2", "+b = 3", " c = 3"]


def test_unchanged_file_has_no_diff(shop: Server) -> None:
    shown = read(shop, target="blocks.py", mode="diff_preview")
    assert shown == f"blocks.py unchanged against HEAD sha {sha(BLOCKS)}"


def test_context_of_a_symbol(shop: Server) -> None:
    shown = read(shop, target="Cart.total", include_context=True).splitlines()
    assert shown[1:4] == ["in class Cart 4", "imports: os", "    # Sums up."]


def test_annotated_passage_has_its_outline_after_the_text(shop: Server) -> None:
    shown = read(shop, target="shop/cart.py:12-13", annotated=True).splitlines()
    assert shown[3:] == ["outline:", "12 def total(carts)"]


def test_lines_already_given_are_one_line(shop: Server) -> None:
    server_text = shop.text("read", {"target": "blocks.py:1-150", "fresh": True})
    assert server_text.count("\n") >= 150
    shown = shop.text("read", {"target": "blocks.py:1-140"})
    assert shown == "blocks.py:1-140 unchanged since you read it (fresh=true to read it again)"


def test_new_lines_are_shown_between_lines_already_given() -> None:
    item = {
        "path": "a.py",
        "line_start": 1,
        "line_end": 9,
        "parts": [{"line_start": 4, "line_end": 5, "content": "four\nfive\n"}],
        "given_before": [
            {"line_start": 1, "line_end": 3, "request_ids": ["r_1"]},
            {"line_start": 6, "line_end": 9, "request_ids": ["r_2"]},
        ],
        "file_sha256": "0123456789abcdef",
    }
    assert agent_text(render_read(Arguments(), Answer(item))).splitlines() == [
        "a.py:1-9 sha 0123456789ab",
        "1-3 unchanged since you read it (fresh=true to read it again)",
        "@@ 4 @@",
        "four",
        "five",
        "6-9 unchanged since you read it (fresh=true to read it again)",
    ]


def test_budget_is_mentioned_only_when_it_is_used_up() -> None:
    item = {"path": "a.py", "line_start": 1, "line_end": 1, "content": "x\n"}
    calm = Answer(item, meta={"stabilization": {"budget_state": "ok", "warnings": []}})
    assert agent_text(render_read(Arguments(), calm)) == "a.py:1\nx"
    metrics = {"reads_count": 26, "reads_lines_total": 2600}
    spent = Answer(item, meta={"stabilization": {"budget_state": "soft_limit", "metrics_snapshot": metrics}})
    assert agent_text(render_read(Arguments(), spent)).splitlines()[-1] == (
        "read budget used up (26 reads, 2,600 lines): search for what you need, then read one symbol"
    )


def test_whole_file_tells_its_cost_first(shop: Server) -> None:
    shown = shop.text("read_file_full", {"file": "blocks.py"}).splitlines()
    size = len(BLOCKS)
    assert shown[0] == f"blocks.py 200 lines, {size:,} bytes, {size // 4} tokens sha {sha(BLOCKS)}"
    assert shown[1:] == [
        "hint: read_file_full file=blocks.py confirm=true",
        "hint: file_outline file=blocks.py",
    ]


def test_whole_file_in_pages(shop: Server) -> None:
    shown = shop.text("read_file_full", {"file": "long_line.txt", "confirm": True}).splitlines()
    assert shown[0].startswith("long_line.txt:1 sha ")
    assert shown[-1].startswith("more: the rest of line 1 (read_file_full cursor=c_")


def test_reset_budget_is_one_line(shop: Server) -> None:
    assert shop.text("reset_budget") == "read budget reset"


def test_more_lines_can_be_followed(shop: Server, tmp_path: Path) -> None:
    """Passages put together are the text of the file."""
    shown, target = [], "flat.txt"
    while target:
        *lines, last = read(shop, target=target, limit=60).splitlines()[1:]
        more = last.startswith("more: ")
        shown += [line for line in (lines if more else [*lines, last]) if not line.startswith("@@")]
        target = last.partition("target=")[2].partition(" ")[0] if more else ""
    assert "\n".join(shown) + "\n" == FILES["flat.txt"]
