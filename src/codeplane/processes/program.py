"""Run a program to its end, with bounds for its output and its CPU time."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

_CHUNK = 1 << 16


class ProgramOutput(NamedTuple):
    status: int
    """Exit status; negative: the signal that ended it."""
    output: bytes
    is_complete: bool
    """False if the program was killed because its output is too long."""


def run_program(
    command: Sequence[str], environment: Mapping[str, str], *, cwd: str, max_bytes: int, cpu_seconds: int
) -> ProgramOutput:
    """Run a program without input, for a process with one thread. Its error output is dropped."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
        env=dict(environment),
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds)),
    )
    assert process.stdout is not None
    with process:
        output = bytearray()
        while len(output) <= max_bytes and (chunk := process.stdout.read(_CHUNK)):
            output += chunk
        if len(output) > max_bytes:
            process.kill()
        return ProgramOutput(process.wait(), bytes(output[:max_bytes]), len(output) <= max_bytes)
