"""Progress of an index: one line that is redrawn on a terminal, a log line every two seconds elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from codeplane import telemetry
from codeplane.cli.terminal import Style, columns, duration, number

if TYPE_CHECKING:
    from codeplane.operations.init import IndexProgress

REDRAW_SECONDS = 0.1
LOG_SECONDS = 2.0

_WORDS = {"scan": "Scanning files", "index": "Indexing", "finish": "Finishing", "resolve": "Resolving references"}


class ProgressLine:
    """Call it with each IndexProgress; close() leaves the terminal as it was."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._style = Style.of(self._stream)
        self._last = time.monotonic() if not self._terminal else 0.0
        self._drawn = False
        self.latest: IndexProgress | None = None

    def __call__(self, progress: IndexProgress) -> None:
        new_phase = self.latest is None or self.latest.phase != progress.phase
        self.latest = progress
        now = time.monotonic()
        if self._terminal and (new_phase or now - self._last >= REDRAW_SECONDS):
            self._last = now
            self._draw(line(progress, columns(), self._style))
        elif not self._terminal and now - self._last >= LOG_SECONDS:
            self._last = now
            telemetry.info(
                _WORDS[progress.phase].lower(),
                files=progress.files_done,
                of=progress.files_total,
                seconds=round(progress.elapsed_s, 1),
            )

    def close(self) -> None:
        if self._drawn:
            self._draw("")
            self._drawn = False

    def _draw(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()
        self._drawn = True


def line(progress: IndexProgress, width: int, style: Style) -> str:
    """Return the progress line for a terminal: bar, files, rate and time left, as far as they fit."""
    word = _WORDS[progress.phase]
    if progress.phase not in ("index", "resolve") or progress.files_total <= 0:
        count = f"  {number(progress.files_done)} files" if progress.phase == "scan" and progress.files_done else ""
        return f"{word}{count}"
    done, total = progress.files_done, progress.files_total
    # Bytes measure the work better; people count files.
    share = progress.bytes_done / progress.bytes_total if progress.bytes_total > 0 else done / total
    share = min(1.0, max(0.0, share))
    rate = done / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    parts = [f"{number(done):>{len(number(total))}} / {number(total)} files", f"{number(round(rate))} files/s"]
    if 0.02 <= share < 1.0 and progress.elapsed_s >= 0.5:
        parts.append(f"{duration(max(1.0, progress.elapsed_s * (1 - share) / share))} left")
    tail = "  ".join(parts)
    room = min(30, width - len(word) - len(tail) - 6)
    if room < 8:
        return f"{word}  {tail}"[: width - 1]
    filled = round(room * share)
    return f"{word}  {style.green('━' * filled)}{style.dim('─' * (room - filled))}  {tail}"
