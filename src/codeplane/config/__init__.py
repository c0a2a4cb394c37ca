"""Configuration: layers merged into frozen dataclasses, each value knowing which layer set it.

Nothing here reads the environment or looks for files: the caller hands over the
environment, the documents and the one-off overrides, in the order in which they win.
"""

from codeplane.config.layers import Layer, environment_layer, merge, override_layer
from codeplane.config.model import (
    Config,
    EditsConfig,
    FreshnessConfig,
    Ignored,
    IndexConfig,
    LedgerConfig,
    LoggingConfig,
    Output,
    ServerConfig,
    Trust,
)

__all__ = [
    "Config",
    "EditsConfig",
    "FreshnessConfig",
    "Ignored",
    "IndexConfig",
    "Layer",
    "LedgerConfig",
    "LoggingConfig",
    "Output",
    "ServerConfig",
    "Trust",
    "environment_layer",
    "merge",
    "override_layer",
]
