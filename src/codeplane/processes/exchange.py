"""Send input to a program and read its first lines."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Sequence

_CHUNK = 65536


def exchange(command: Sequence[str], data: bytes, *, lines: int, seconds: float) -> list[bytes]:
    """Return the first `lines` lines of its output, or fewer on timeout. Then its input is closed, and it ends."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None and process.stdout is not None
    deadline = time.monotonic() + seconds
    output = b""
    try:
        process.stdin.write(data)
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while output.count(b"\n") < lines and selector.select(max(0.0, deadline - time.monotonic())):
                chunk = os.read(process.stdout.fileno(), _CHUNK)
                if not chunk:
                    break
                output += chunk
    except BrokenPipeError:
        return []
    finally:
        process.stdin.close()
        try:
            process.wait(5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
    return output.split(b"\n")[:lines]
