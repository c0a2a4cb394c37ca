"""Anchor of a ledger in the user's state directory: the head of its chain, and what was found wrong with it.

The chain shows that a row was altered, but not that the whole file was deleted or replaced by an older copy. The anchor
does: the anchored row must be in the ledger. A finding stays until the operator acknowledges it. Anyone who can write
the user's state directory can forge the anchor, too.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codeplane.ledger.paths import LEDGER_NAME, inode_of, list_archives
from codeplane.ledger.queries import find_row_hash
from codeplane.ledger.schema import ChainHead
from codeplane.store.registry import binding_path, read_small_file, write_small_file

_MAX_FINDINGS = 20
_ATTEMPTS = 5
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class LedgerFinding:
    """A sign of tampering or damage."""

    text: str
    found_at_ms: int
    acknowledged_at_ms: int | None = None


class LedgerAnchor:
    """Head and findings of the ledger of one repository. The process that holds the ledger lock moves the head."""

    def __init__(self, user_state: Path, root: Path) -> None:
        path = binding_path(user_state, root)
        self._head_path = path.with_suffix(".ledger.json")
        self._findings_path = path.with_suffix(".ledger-findings.json")
        self._boot = _boot_id()
        self._synced = _head(read_small_file(self._head_path).get("synced"))

    def move(self, head: ChainHead, *, synced: bool) -> None:
        """Anchor a head. A head that is not `synced` to disk counts until the machine restarts."""
        if synced:
            self._synced = head
        fields = {"head": list(head), "synced": list(self._synced) if self._synced else None, "boot": self._boot}
        # Losing the newest anchor in a power failure does no harm, so it is not synced itself.
        write_small_file(self._head_path, fields, sync=False)

    def missing_row(self, directory: Path) -> str:
        """Compare the ledger with the anchor; return what is wrong, empty if nothing is."""
        head = self._expected_head()
        if head is None:
            return ""
        for _ in range(_ATTEMPTS):
            before = (inode_of(directory / LEDGER_NAME), list_archives(directory))
            if find_row_hash(directory, head.seq) == head.hash:
                return ""
            # A rotation between two reads hides the row.
            if before == (inode_of(directory / LEDGER_NAME), list_archives(directory)):
                break
        return f"row {head.seq} is missing: the ledger was deleted, truncated or replaced by another copy"

    def reset(self) -> None:
        """Drop the head: the ledger continues from where it is now."""
        self._synced = None
        self._unlink(self._head_path)

    def findings(self) -> tuple[LedgerFinding, ...]:
        rows = read_small_file(self._findings_path).get("findings", ())
        try:
            return tuple(LedgerFinding(row["text"], row["found_at_ms"], row["acknowledged_at_ms"]) for row in rows)
        except (KeyError, TypeError):
            return ()

    def record(self, text: str, now_ms: int) -> None:
        """Record a finding, unless it is known."""
        known = self.findings()
        if text not in [finding.text for finding in known]:
            self._write([*known, LedgerFinding(text, now_ms)][-_MAX_FINDINGS:])

    def acknowledge(self, directory: Path, now_ms: int) -> tuple[LedgerFinding, ...]:
        """Accept the ledger as it is; return the findings that were open."""
        known = self.findings()
        opened = tuple(finding for finding in known if finding.acknowledged_at_ms is None)
        if opened:
            self._write(
                [LedgerFinding(each.text, each.found_at_ms, each.acknowledged_at_ms or now_ms) for each in known]
            )
        if self.missing_row(directory):
            self.reset()
        return opened

    def remove(self) -> None:
        """Forget a ledger that the operator removed."""
        self.reset()
        self._unlink(self._findings_path)

    def _expected_head(self) -> ChainHead | None:
        fields = read_small_file(self._head_path)
        same_boot = bool(self._boot) and fields.get("boot") == self._boot
        return _head(fields.get("head" if same_boot else "synced"))

    def _write(self, findings: list[LedgerFinding]) -> None:
        write_small_file(self._findings_path, {"findings": [asdict(finding) for finding in findings]})

    def _unlink(self, path: Path) -> None:
        with suppress(OSError):
            os.unlink(path)


def _head(fields: Any) -> ChainHead | None:
    match fields:
        case [int(seq), str(digest)]:
            return ChainHead(seq, digest)
    return None


def _boot_id() -> str:
    """Return an id of this start of the machine; empty if the system has none."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
