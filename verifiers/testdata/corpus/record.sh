#!/usr/bin/env bash
# Records the corpus again: one small run of each experiment here, packed beside it. Needs what chaeos run needs. Afterwards
# go test ./verifiers -run Corpus -update writes the golden reports: read the difference before it is committed.
set -euo pipefail
cd "$(dirname "$0")"
chaeos=${1:?the chaeos program to record with}
for yaml in ${2:-*.yaml}; do
  name=${yaml%.yaml}
  runs=$(mktemp -d)
  # The exit code is the experiment's: the golden report holds it.
  "$chaeos" run "$yaml" --out "$runs" || [ $? -gt 2 ]
  run=("$runs"/*/)
  sed -i 's|"dataDir": "[^"]*"|"dataDir": ""|' "$run/run.json"
  # No owners, no modes, no times: the same run packs to the same bytes.
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r -C "$run" -cf - run.json history readback | gzip -9n >"$name.tar.gz"
  rm -rf "$runs"
done
