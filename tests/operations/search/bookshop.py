"""Bookshop repository in many languages, in which every query has one right answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeplane.index.indexer import Indexer
from codeplane.operations.search.finder import Finder
from codeplane.operations.search.model import Hit, SearchRequest, SearchResult
from codeplane.query.snapshot import Snapshot, open_current
from support.repositories import make_repository, options_for

FILES: dict[str, str | bytes] = {
    ".gitignore": ".codeplane/\n",
    "README.md": "# Bookshop\n\nSells books. The invoice is sent when the parcel leaves the warehouse.\n",
    "docs/shipping.md": "# Shipping\n\nA parcel is weighed, and the postage is computed from its weight.\n",
    "shop/__init__.py": '"""A bookshop."""\n',
    "shop/cart.py": (
        '"""What a customer wants to buy."""\n\n'
        "from shop.pricing import compute_discount\n\n\n"
        "class ShoppingCart:\n"
        '    """Books and their quantities."""\n\n'
        "    def __init__(self, owner):\n        self.owner = owner\n        self.books = []\n\n"
        "    def add_book(self, book, quantity=1):\n        self.books.append((book, quantity))\n\n"
        "    def total_price(self):\n"
        "        return sum(compute_discount(book) * quantity for book, quantity in self.books)\n\n"
        "    def close(self):\n        self.books.clear()\n"
    ),
    "shop/pricing.py": (
        "DISCOUNT_LIMIT = 30\n\n\n"
        "# Loyal customers pay less, but never below the limit.\n"
        "def compute_discount(book):\n    rebate = min(book.rebate, DISCOUNT_LIMIT)\n"
        "    return book.price - rebate\n\n\n"
        "def convert_currency(amount, rate):\n    return amount * rate\n"
    ),
    "shop/session.py": (
        "class SessionStore:\n    def close(self):\n        self.rows = None\n\n"
        "    def expire_stale(self, now):\n        return [row for row in self.rows if row.until < now]\n"
    ),
    "shop/retry.py": (
        "def backoff_delay(attempt):\n"
        '    """Exponential pause between attempts, with jitter."""\n'
        "    return min(60, 2**attempt)\n"
    ),
    "warehouse/parcel.go": (
        "package warehouse\n\n// Parcel is what leaves the warehouse.\ntype Parcel struct {\n\tGrams int\n}\n\n"
        "// ComputePostage says what a parcel costs by its weight.\n"
        "func (p *Parcel) ComputePostage(zone int) int {\n\treturn p.Grams * zone\n}\n"
    ),
    "warehouse/parcel_test.go": (
        'package warehouse\n\nimport "testing"\n\nfunc TestComputePostage(t *testing.T) {\n\tvar p Parcel\n'
        "\tp.ComputePostage(3)\n}\n"
    ),
    "billing/src/main/java/org/books/InvoiceMailer.java": (
        "package org.books;\n\npublic class InvoiceMailer {\n    private final String sender;\n\n"
        "    public void sendInvoice(String address) {\n        System.out.println(sender + address);\n    }\n}\n"
    ),
    "web/src/basket.ts": (
        "export interface BasketItem {\n  isbn: string;\n}\n\n"
        "export class BasketView {\n  renderBasket(items: BasketItem[]): string {\n"
        '    return items.map((item) => item.isbn).join(",");\n  }\n}\n'
    ),
    "web/src/theme.js": "function darkTheme() {\n  return { color: 'black' };\n}\n\nmodule.exports = { darkTheme };\n",
    "engine/src/lib.rs": (
        "pub mod isbn {\n    /// Checks the last digit.\n    pub fn verify_checksum(text: &str) -> bool {\n"
        "        text.len() == 13\n    }\n}\n"
    ),
    "legacy/catalog.rb": (
        "module Legacy\n  class Catalog\n    def import_titles(file)\n      file.each_line { |line| add(line) }\n"
        "    end\n  end\nend\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import ShoppingCart\n\n\ndef make_sample_cart():\n    return ShoppingCart('x')\n\n\n"
        "def test_total_price():\n    assert make_sample_cart().total_price() == 0\n"
    ),
    "tests/test_retry.py": (
        "from shop.retry import backoff_delay\n\n\ndef test_backoff_delay():\n    assert backoff_delay(2) == 4\n"
    ),
    "examples/buy.py": "from shop.cart import ShoppingCart\n\n\ndef buy_one():\n    ShoppingCart('me').add_book('b')\n",
}


@dataclass(frozen=True)
class Shop:
    root: Path
    snapshot: Snapshot
    finder: Finder

    def find(self, query: str, **asked: Any) -> SearchResult:
        return self.finder.find(self.snapshot, SearchRequest(query, **asked))

    def first(self, query: str, **asked: Any) -> Hit:
        found = self.find(query, **asked)
        assert found.hits, query
        return found.hits[0]

    def names(self, query: str, **asked: Any) -> list[str]:
        return [hit.name for hit in self.find(query, **asked).hits]

    def paths(self, query: str, **asked: Any) -> list[str]:
        return [hit.path for hit in self.find(query, **asked).hits]


@contextmanager
def opened(root: Path, files: Mapping[str, str | bytes] = FILES) -> Iterator[Shop]:
    """Yield a committed and indexed repository of these files."""
    make_repository(root, dict(files))
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
    with open_current(indexer.state) as snapshot:
        finder = Finder(root)
        yield Shop(root, snapshot, finder)
        finder.close()
