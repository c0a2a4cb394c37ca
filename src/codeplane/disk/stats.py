"""File stats and the racy-timestamp rule.

If two stats agree in all five fields, the content is unchanged, unless the file was modified so shortly before it was
read that a later write could have the same timestamps (git calls such entries racy).
"""

from __future__ import annotations

import os
from operator import attrgetter
from typing import NamedTuple

from codeplane.base.limits import RACY_WINDOW_NS


class FileStat(NamedTuple):
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


stat_fields = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino", "st_dev")
"""Return the five fields as a plain tuple: equal to the FileStat, and cheaper to create."""


def file_stat(result: os.stat_result) -> FileStat:
    return FileStat._make(stat_fields(result))


def is_racy(stat: FileStat, observed_at_ns: int) -> bool:
    """True if a change after `observed_at_ns` could leave `stat` unchanged."""
    return max(stat.mtime_ns, stat.ctime_ns) >= observed_at_ns - RACY_WINDOW_NS
