"""Configuration: layers merged into frozen dataclasses, with the origin of each value.

Nothing here reads the environment or searches for files: the caller passes the environment, the configuration files and
the overrides, in order of precedence.
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
