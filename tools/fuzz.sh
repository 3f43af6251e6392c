#!/usr/bin/env bash
# A short, repeatable run of the fuzz target: fixed seed, fixed number of inputs. tools/fuzz.sh [RUNS]
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
# New inputs go to the first folder, which is thrown away; the examples in the second are only read.
if ! build-fuzz/tests/fuzz/fuzz_event -seed=1 -runs="${1:-150000}" -max_len=1024 -print_final_stats=1 -verbosity=0 \
  -dict=tests/fuzz/event.dict -artifact_prefix=out/fuzz- "$found" tests/fuzz/corpus >out/fuzz.log 2>&1; then
  tail -n 60 out/fuzz.log >&2
  exit 1
fi
grep '^stat::number_of_executed_units\|^stat::new_units' out/fuzz.log
