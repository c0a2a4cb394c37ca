"""Cases hold sources named like tests; none of them is collected."""

collect_ignore_glob = ["*/*/*"]
