"""Permissions that also apply to the superuser, so that tests of unreadable files run as any user."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522
_READ_ANYTHING = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


@contextmanager
def ordinary_rights() -> Iterator[None]:
    """Within the block this thread may open only what the modes of the files allow it."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    rights = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, rights) == 0, os.strerror(ctypes.get_errno())
    before = rights[0]
    rights[0] = before & ~_READ_ANYTHING
    assert libc.capset(header, rights) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        rights[0] = before
        assert libc.capset(header, rights) == 0, os.strerror(ctypes.get_errno())
