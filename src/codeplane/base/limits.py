"""Constants that bound what one file, one answer and one index may cost."""

from __future__ import annotations

MAX_PARSE_BYTES = 1024 * 1024
"""Larger files are not parsed; they stay in the lexical index up to MAX_LEXICAL_BYTES."""

MAX_LEXICAL_BYTES = 5 * 1024 * 1024
"""Larger files are only recorded: path, size and why their content was skipped."""

PARSE_SECONDS = 5.0
"""Wall-clock time that one file may take in a worker before the worker is killed."""

PARSE_MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of a parse worker."""

PARSE_ATTEMPTS = 2
"""A file that kills this many workers is set aside until its content changes."""

MAX_NESTING = 1000
"""Bracket nesting beyond which a file is not parsed: queries over such trees turn quadratic."""

RACY_WINDOW_NS = 2_000_000_000
"""A file touched this shortly before it was observed is hashed again at the next look."""

HASH_CONCURRENCY = 16
MAX_HASH_CONCURRENCY = 64

MAX_LIMIT = 1000
"""No query function returns more rows than this, whatever limit it is given."""

MAX_ANSWER_CHARS = 25_000
"""No envelope is longer, whatever was asked for."""

CHARS_PER_TOKEN = 4
"""By which the tokens of a text are estimated."""

MAX_READ_BYTES = 64 * 1024 * 1024
"""Larger files are not read at all: the digest of an answer is of the whole file."""

MAX_EXEMPLARS = 10
"""Exemplar references kept per anchor group."""

MAX_PROBLEMS_PER_FILE = 20
MAX_SIGNATURE_CHARS = 400
MAX_DOC_CHARS = 600
MAX_INDEX_BYTES = 2 * 1024**3
SHELF_BYTES = 2 * 1024**3
EXTRACTIONS_BYTES = 1024**3
UNDO_BYTES = 256 * 1024**2
INDEX_BYTES_PER_SOURCE_BYTE = 5
INDEX_BYTES_PER_FILE = 2048
"""What a file takes however small it is: its row, its document, its names."""
MAX_WAL_BYTES = 64 * 1024 * 1024
