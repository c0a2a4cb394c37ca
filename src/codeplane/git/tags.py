"""Tags of a repository. Runs in the git worker."""

from __future__ import annotations

import pygit2

from codeplane.git.log import describe_signature
from codeplane.git.model import CommitTag

_TAGS = "refs/tags/"


def list_tags(repository: pygit2.Repository) -> list[CommitTag]:
    """Return the tags that name a commit, newest first."""
    found = []
    for name in repository.references:
        if name.startswith(_TAGS):
            reference = repository.references[name]
            try:
                commit = reference.peel(pygit2.Commit)
            except (KeyError, ValueError, pygit2.GitError):
                continue
            target = repository[reference.resolve().target]
            annotated = target if isinstance(target, pygit2.Tag) else None
            message = annotated.message.rstrip() if annotated is not None and annotated.message else ""
            signed = annotated.tagger if annotated is not None else None
            time = describe_signature(signed).time if signed is not None else commit.commit_time
            found.append(CommitTag(name.removeprefix(_TAGS), str(commit.id), message, time))
    return sorted(found, key=lambda tag: (-tag.time, tag.name))
