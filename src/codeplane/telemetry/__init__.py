"""Structured log lines. Knows nothing about the domain.

A line has an event and a few short fields. It never contains file content.
"""

from codeplane.telemetry.events import bind, debug, describe, error, info, warn
from codeplane.telemetry.logfile import LOG_NAME
from codeplane.telemetry.outputs import LogDestination, configure, shut_down
from codeplane.telemetry.tail import read_tail

__all__ = [
    "LOG_NAME",
    "LogDestination",
    "bind",
    "configure",
    "debug",
    "describe",
    "error",
    "info",
    "read_tail",
    "shut_down",
    "warn",
]
