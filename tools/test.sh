#!/usr/bin/env bash
# Everything that must hold, in parts, with a table of how long each took. Stops at the first part that fails.
set -uo pipefail
cd "$(dirname "$0")/.."

installed=$(mktemp)
started=$SECONDS
table=''
status=0

# part NAME COMMAND...
part() {
  local name=$1 from=$SECONDS verdict=ok
  shift
  [ "$status" = 0 ] || return 0
  printf '\n== %s: %s\n' "$name" "$*"
  "$@" || { status=$?; verdict="FAILED ($status)"; }
  table+=$(printf '%-22s %5d s  %s' "$name" $((SECONDS - from)) "$verdict")$'\n'
}

summary() {
  printf '\nInstalled: %s\n' "$(cat "$installed" 2>/dev/null | grep . || echo nothing, all was there)"
  printf '%s%-22s %5d s\n' "$table" total $((SECONDS - started))
  rm -f "$installed"
}
trap summary EXIT
trap 'status=130; exit 130' INT TERM

# built PRESET TARGET...
built() {
  local preset=$1
  shift
  cmake --preset "$preset" >/dev/null && cmake --build --preset "$preset" --target "$@"
}

part install env CHRONOVEIL_INSTALLED="$installed" tools/setup.sh build test
part layers python3 tools/check_layers.py
part format tools/format.sh --check
part configure cmake --preset dev
part build cmake --build --preset dev
part tests ctest --preset dev
part docs python3 tools/run_docs.py
part tables python3 tools/make_tables.py --check
part "fuzz build" built fuzz fuzz_event fuzz_csv
part fuzz tools/fuzz.sh
part "asan build" built asan test_programs
part "asan tests" ctest --preset asan
part "tsan build" built tsan base_tests threads_tests ledger_tests bound_tests
part "tsan tests" tools/tsan.sh
exit "$status"
