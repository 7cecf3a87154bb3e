#!/usr/bin/env bash
# Records the corpus again: a run of each experiment, packed here by its name. Afterwards
# go test ./verifiers -run Corpus -update writes the golden reports: read the difference before it is committed.
# An argument that is a run's folder is packed as it is, under its experiment's name.
set -euo pipefail
chaeos=$(realpath "${1:?the chaeos program to record with}")
shift
here=$(cd "$(dirname "$0")" && pwd)

# No owners, no modes, no times: the same run packs to the same bytes. Where its brokers kept their data is nobody's business.
pack() {
  local name tmp
  name=$(sed -n 's/^  "experiment": "\([^"]*\)",$/\1/p' "$1/run.json")
  tmp=$(mktemp -d)
  cp -r "$1/run.json" "$1/history" "$1/readback" "$tmp"
  sed -i 's|"dataDir": "[^"]*"|"dataDir": ""|' "$tmp/run.json"
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r -C "$tmp" -cf - run.json history readback | gzip -9n >"$here/$name.tar.gz"
  rm -rf "$tmp"
}

# What is recorded, and with which flags: as little as still shows what the run is there for.
flags() {
  case $1 in
  leader-partition) echo --rate 60 --duration 32s --pipelines acks1,idempotent,transactional ;;
  worker-kill) echo --rate 40 --duration 27s --pipelines auto-commit,idempotent ;;
  esac
}

for what in "${@:-}"; do
  if [ -f "$what/run.json" ]; then
    pack "$what"
    continue
  fi
  for experiment in ${what:-baseline commit-first fencing late-request-tv1 leader-partition lingering-txn power-loss worker-kill}; do
    runs=$(mktemp -d)
    # shellcheck disable=SC2046 # the flags are words
    "$chaeos" run "$experiment" $(flags "$experiment") --out "$runs" || [ $? -gt 2 ] # the golden report holds the verdict
    pack "$runs"/*/
    rm -rf "$runs"
  done
done
