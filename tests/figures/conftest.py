"""The commands under `benchmarks` are no part of the package: they are found from the root of the project."""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))
