"""Gradle, Maven and sbt builds of the JVM languages."""

from __future__ import annotations

import re

from codeplane.languages.family import Family, Marker, WorkspaceRules, markers
from codeplane.languages.java.gradle import read_settings
from codeplane.languages.java.maven import read_pom
from codeplane.languages.manifest import name_reader, text_reader

_SBT_NAME = r'^(?:ThisBuild / )?name[ \t]{0,20}:=[ \t]{0,20}"([^"\n]{1,200})"'
_GRADLE_BUILDS = "build.gradle build.gradle.kts"

FAMILY = Family(
    name="jvm",
    unit_files=("*.java", "*.kt", "*.kts", "*.scala", "*.sc"),
    text_extensions=(".groovy", ".gradle"),
    markers=(
        Marker("settings.gradle", text_reader(read_settings), 0, fence=True),
        Marker("settings.gradle.kts", text_reader(read_settings), 0, fence=True),
        Marker("pom.xml", text_reader(read_pom), 1),
        Marker("build.sbt", name_reader(_SBT_NAME, re.MULTILINE), 2),
        *markers(_GRADLE_BUILDS),
        *markers(".mvn/", fence=True, package=False),
    ),
    workspace=WorkspaceRules(
        projects=True,
        implied_members=("buildSrc",),
        # A Gradle build says nothing about the builds of other tools.
        detachable=tuple(_GRADLE_BUILDS.split()),
        module_file="pom.xml",
    ),
)
