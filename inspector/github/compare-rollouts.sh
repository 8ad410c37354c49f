#!/usr/bin/env bash
# usage: compare-rollouts.sh BASE HEAD FOLDER [OUT]
#
# What a pull request does to the rollouts or fixtures in FOLDER: writes OUT (default rollouts.md), a Markdown comment of
# at most 60 kB, and prints GitHub annotations for fixtures that differ and findings of severity error. Exits 1 when a
# fixture differs, 0 otherwise: a changed rollout is for the reviewer to judge. Nothing in the checkout is written but OUT.
set -euo pipefail
base=$1 head=$2 folder=${3%/} out=${4:-rollouts.md}
status=0

if ! git cat-file -e "$head:$folder" 2>/dev/null; then
  printf '### Rollouts\n\nThis pull request removes the folder.\n' >"$out"
elif ! git cat-file -e "$base:$folder" 2>/dev/null; then
  {
    printf '### Rollouts\n\nNew folder: there is nothing to compare with.\n\n```\n'
    rollout-inspect list "$folder" | head -c 50000
    printf '```\n'
  } >"$out"
else
  rollout-inspect diff "$base:$folder" "$head:$folder" --output markdown --title "Rollouts: base and this pull request" >"$out"
fi

if [ -n "$(git ls-files "$folder" | grep -m1 '\(^\|/\)expect\.json$' || true)" ]; then
  rollout-inspect walk "$folder" --run --output github || status=1
fi
if [ -d "$folder" ] || [ -f "$folder" ]; then
  rollout-inspect check "$folder" --output github --fail-on never || true
fi
exit "$status"
