"""Configuration: layers merged into frozen dataclasses, each value knowing which layer set it.

Nothing here reads the environment or looks for files: the caller hands over the
environment, the documents and the one-off overrides, in the order in which they win.
"""

from codeplane.config.layers import ConfigLayer, environment_layer, merge, override_layer
from codeplane.config.model import (
    Config,
    EditsConfig,
    FreshnessConfig,
    IgnoredSetting,
    IndexConfig,
    LedgerConfig,
    LoggingConfig,
    LogOutput,
    ServerConfig,
    TrustState,
)

__all__ = [
    "Config",
    "ConfigLayer",
    "EditsConfig",
    "FreshnessConfig",
    "IgnoredSetting",
    "IndexConfig",
    "LedgerConfig",
    "LogOutput",
    "LoggingConfig",
    "ServerConfig",
    "TrustState",
    "environment_layer",
    "merge",
    "override_layer",
]
