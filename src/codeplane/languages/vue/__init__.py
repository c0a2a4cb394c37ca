"""Vue single-file components. Their scripts have all the facts of JavaScript or TypeScript."""

from __future__ import annotations

from codeplane.languages.html.component import component_language

LANGUAGES = (component_language("vue", ".vue"),)
