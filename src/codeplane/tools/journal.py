"""What one call that changes files tells the ledger: its plan before, and that it is done.

The outcome of such a call is written in the moment in which the change counts as done, and
not when its answer is ready; so it tells of the answer what is known of it by then.
"""

from __future__ import annotations

import time
from dataclasses import replace

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.disk.batch import Batch
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.queries import MutationRow
from codeplane.ledger.recovery import RolledBackMutation


class CallJournal:
    def __init__(self, ledger: Ledger | None, event: Event, started: float) -> None:
        self._ledger = ledger
        self._event = event
        self._started = started
        self.intent: int | None = None
        """Of what was begun and has no outcome yet."""
        self.is_over = False
        """Whether the outcome is written, or will be by whoever undoes it."""

    def ensure(self) -> None:
        self._kept().ensure_settled()

    def begin(self, batch: Batch) -> None:
        record = CallRecord(mutation_id=batch.mutation_id, changed_paths=batch.paths)
        self.intent = self._kept().intent(replace(self._event, plan=batch.as_text(), record=record))

    def commit(self, record: CallRecord, answer_chars: int) -> None:
        event = replace(
            self._event,
            intent=self.intent,
            status="ok",
            duration_ms=round((time.monotonic() - self._started) * 1000),
            tokens_given=answer_chars // CHARS_PER_TOKEN,
            record=record,
        )
        self._kept().commit(event)
        self.is_over = True

    def abandon(self) -> None:
        if self.intent is not None:
            self.is_over = True
            self._kept().abandon(self.intent)

    def list_mutations(
        self, limit: int, *, mutation_id: str | None = None, key: str | None = None
    ) -> list[MutationRow]:
        return self._kept().list_mutations(limit, mutation_id=mutation_id, key=key)

    def take_rolled_back(self) -> tuple[RolledBackMutation, ...]:
        return self._ledger.take_rolled_back() if self._ledger is not None else ()

    def _kept(self) -> Ledger:
        if self._ledger is None:
            raise CodePlaneError(
                ErrorCode.STATE_DIRECTORY_READ_ONLY,
                "no record of changes can be kept here, so nothing may be changed",
                remedy="Make '.codeplane' in the repository writable for you; 'cpl doctor' says more.",
            )
        return self._ledger
