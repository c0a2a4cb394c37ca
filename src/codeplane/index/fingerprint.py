"""Fingerprint of an index built by this program."""

from __future__ import annotations

from codeplane import __version__
from codeplane.facts.blocks import BLOCK_VERSION
from codeplane.facts.links import LINKS_VERSION
from codeplane.facts.summary import SUMMARY_VERSION
from codeplane.facts.version import EXTRACTOR_VERSION
from codeplane.languages.versions import grammar_versions
from codeplane.store.fingerprint import Fingerprint
from codeplane.store.lexical import TOKENIZER_VERSION
from codeplane.store.schema import SCHEMA_VERSION


def runtime_fingerprint() -> Fingerprint:
    grammars = ",".join(f"{name}={version}" for name, version in grammar_versions().items())
    extractor = f"{EXTRACTOR_VERSION}.{BLOCK_VERSION}.{SUMMARY_VERSION}.{LINKS_VERSION}"
    return Fingerprint(str(SCHEMA_VERSION), extractor, grammars, TOKENIZER_VERSION, __version__)
