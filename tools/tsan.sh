#!/usr/bin/env bash
# The tests with several threads, under the thread sanitizer. The others would only take long: it finds nothing in a
# single thread.
set -euo pipefail
cd "$(dirname "$0")/.."
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"

# run PROGRAM FILTER: a filter that finds no test is an error, not a success.
run() {
  local output
  output=$("build-tsan/tests/$1" --gtest_filter="$2" 2>&1) || { echo "$output"; return 1; }
  grep -q '^\[  PASSED  \] [1-9]' <<<"$output" || { echo "tsan: $1 has no test $2"; return 1; }
  echo "$1 $2: $(grep '^\[  PASSED  \]' <<<"$output")"
}

run base_tests '*Thread*'
run threads_tests '*'
run ledger/ledger_tests '*Race*Thread*'
run bound_tests 'Order*:Handover*:CellsOrder*:Workers*'
