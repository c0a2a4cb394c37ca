"""Map configuration to index and workspace options."""

from __future__ import annotations

from codeplane.index.options import IndexOptions
from codeplane.operations.context import Context
from codeplane.workspace.freshness import WorkspaceSettings


def overlay_enabled(context: Context) -> bool:
    """True if untracked files are indexed: by default everywhere except in CI."""
    setting = context.config.index.overlay
    return not context.in_ci if setting == "auto" else setting == "on"


def index_options(context: Context) -> IndexOptions:
    config = context.config.index
    return IndexOptions(
        root=context.root,
        user_state=context.user_state,
        overlay=overlay_enabled(context),
        workers=config.workers,
        max_parse_bytes=config.max_parse_bytes,
        max_lexical_bytes=config.max_lexical_bytes,
        parse_seconds=config.parse_timeout_sec,
        full_hash_every=config.full_hash_every,
        hash_concurrency=config.hash_concurrency,
        ignore=config.ignore,
        max_bytes=config.max_bytes,
        extraction_cache_bytes=config.extractions_bytes,
        index_cache_bytes=config.shelf_bytes,
    )


def workspace_settings(context: Context, *, build: bool = True, prewarm: bool = True) -> WorkspaceSettings:
    freshness = context.config.freshness
    return WorkspaceSettings(
        policy=freshness.policy,
        inline_ms=freshness.inline_ms,
        strict_seconds=freshness.strict_sec,
        watcher=freshness.watcher,
        debounce_ms=freshness.debounce_ms,
        interval_seconds=freshness.interval_sec,
        build=build,
        prewarm=prewarm and context.config.server.prewarm,
    )
