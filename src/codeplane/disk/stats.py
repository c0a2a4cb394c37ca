"""What a stat says about a file, and when it cannot be believed.

Two stats that agree in all five fields mean unchanged content, unless the file was
touched so shortly before it was observed that a later write could carry the same times.
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
"""The five fields as a plain tuple: equal to the FileStat, and cheaper to make."""


def file_stat(result: os.stat_result) -> FileStat:
    return FileStat._make(stat_fields(result))


def is_racy(stat: FileStat, observed_at_ns: int) -> bool:
    """Whether a change after `observed_at_ns` could have left `stat` as it is."""
    return max(stat.mtime_ns, stat.ctime_ns) >= observed_at_ns - RACY_WINDOW_NS
