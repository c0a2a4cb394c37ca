"""`python -m codeplane.cli`: the same as `cpl`, for processes that start one another."""

from __future__ import annotations

from codeplane.cli.main import main

if __name__ == "__main__":
    main()
