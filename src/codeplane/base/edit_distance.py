"""Edit distance between names, for spelling suggestions."""

from __future__ import annotations


def edit_distance(one: str, other: str) -> int:
    """Return the optimal string alignment distance: insertions, deletions, substitutions, transpositions."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, here in enumerate(one, 1):
        last, row, older = row, [i], before
        for j, there in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (here != there))
            if i > 1 and j > 1 and here == other[j - 2] and one[i - 2] == there:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]
