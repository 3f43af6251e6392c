#!/usr/bin/env bash
# A short, repeatable run of the fuzz targets: fixed seed, fixed number of inputs. tools/fuzz.sh [RUNS]
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

# fuzz TARGET RUNS CORPUS OPTION...
fuzz() {
  local target=$1 runs=$2 corpus=$3 log=out/$1.log
  shift 3
  mkdir "$found/$target"
  # New inputs go to the first folder, which is thrown away; the examples in the second are only read.
  if ! "build-asan/tests/fuzz/$target" -seed=1 -runs="$runs" -print_final_stats=1 -verbosity=0 "$@" \
    -artifact_prefix=out/fuzz- "$found/$target" "$corpus" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    exit 1
  fi
  grep '^stat::number_of_executed_units\|^stat::new_units' "$log"
}

fuzz fuzz_event "${1:-50000}" tests/fuzz/corpus -max_len=1024 -dict=tests/fuzz/event.dict &
beside=$!
fuzz fuzz_csv "${1:-20000}" tests/fuzz/csv_corpus -max_len=512
wait "$beside"
