#!/usr/bin/env bash
# A short, repeatable run of the fuzz target: fixed seed, fixed number of inputs. tools/fuzz.sh [RUNS]
set -euo pipefail
cd "$(dirname "$0")/.."
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
# New inputs go to the first folder, which is thrown away; the examples in the second are only read.
build-fuzz/tests/fuzz/fuzz_event -seed=1 -runs="${1:-150000}" -max_len=1024 -print_final_stats=1 -verbosity=0 \
  -dict=tests/fuzz/event.dict -artifact_prefix="$PWD/out/fuzz-" "$found" tests/fuzz/corpus
