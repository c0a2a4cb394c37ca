"""Limits for one file, one answer and one index."""

from __future__ import annotations

MAX_PARSE_BYTES = 1024 * 1024
"""Larger files are not parsed; they stay in the lexical index up to MAX_LEXICAL_BYTES."""

MAX_LEXICAL_BYTES = 5 * 1024 * 1024
"""Larger files are only recorded: path, size and the reason why their content is skipped."""

PARSE_SECONDS = 5.0
"""CPU time for one file before its worker is killed. Loading a grammar does not count."""

PARSE_MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of a parse worker."""

PARSE_ATTEMPTS = 2
"""Workers that a file may kill in one sync; it is retried at later syncs."""

PARSE_RETRIES = 5
"""Syncs that retry a file that could not be parsed, before its content changes."""

PARSE_RETRY_SECONDS = 10.0
"""Time from the first failed parse of a file to its retry; it grows threefold with each further retry."""

MAX_NESTING = 1000
"""Files with deeper bracket nesting are not parsed: queries over such trees take quadratic time."""

RACY_WINDOW_NS = 2_000_000_000
"""A file modified this shortly before it was read is hashed again at the next scan."""

HASH_CONCURRENCY = 16
MAX_HASH_CONCURRENCY = 64

MAX_LIMIT = 1000
"""Upper bound of the `limit` of every query function."""

MAX_ANSWER_CHARS = 25_000
"""Maximum size of an envelope."""

CHARS_PER_TOKEN = 4
"""Estimate for the token count of a text."""

MAX_READ_BYTES = 64 * 1024 * 1024
"""Larger files are not read at all, because an answer contains the digest of the complete file."""

MAX_EXEMPLARS = 10
"""Example references per group of unresolved members."""

MAX_PROBLEMS_PER_FILE = 20
MAX_SIGNATURE_CHARS = 400
MAX_DOC_CHARS = 600
MAX_INDEX_BYTES = 2 * 1024**3
INDEX_CACHE_BYTES = 2 * 1024**3
EXTRACTIONS_BYTES = 1024**3
UNDO_BYTES = 256 * 1024**2
INDEX_BYTES_PER_SOURCE_BYTE = 5
INDEX_BYTES_PER_FILE = 2048
"""Fixed cost of a file: its row, its document, its names."""
MAX_WAL_BYTES = 64 * 1024 * 1024
