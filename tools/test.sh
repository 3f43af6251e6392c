#!/usr/bin/env bash
# Everything that must hold, in parts, with a table of how long each took. Stops at the first part that fails.
#   tools/test.sh            at every change: every test, and an eighth of each module's under a sanitizer
#   tools/test.sh torture    in full what the above does on a sample: damage and kills, all sanitizers, long fuzzing
set -uo pipefail
cd "$(dirname "$0")/.."

installed=$(mktemp)
# A ledger waits for the disk at every step. Those of tests need not outlive them: they lie in memory where that has room.
scratch=$(mktemp -d)
room=$(df --output=avail -B1M /dev/shm 2>/dev/null | tail -n 1)
if [ "${room:-0}" -ge 2048 ] && [ -w /dev/shm ]; then
  rmdir "$scratch"
  scratch=$(mktemp -d -p /dev/shm)
fi
chmod 1777 "$scratch"  # as /tmp is: some tests start servers and programs as other users
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
  rm -rf "$installed" "$scratch"
}
trap summary EXIT
trap 'status=130; exit 130' INT TERM

# built PRESET SAMPLE TARGET...: with SAMPLE = ON, every eighth file of each module's tests
built() {
  local preset=$1 sample=$2
  shift 2
  cmake --preset "$preset" -DCHRONOVEIL_SAMPLE="$sample" >/dev/null && cmake --build --preset "$preset" --target "$@"
}

needed=(build forecast test python)
if [ "${1:-}" = torture ]; then needed+=(readers); fi
part install env CHRONOVEIL_INSTALLED="$installed" tools/setup.sh "${needed[@]}"
part configure cmake --preset dev
part build cmake --build --preset dev
if [ "${1:-}" = torture ]; then
  part torture python3 -B tools/torture.py
  part python env CHRONOVEIL_TORTURE=1 CHRONOVEIL_RELEASES=10000 CHRONOVEIL_EXAMPLES=300 tools/python.sh test
  part "newer python" tools/python.sh newer test
  part "asan build" built asan OFF test_programs fuzz_event fuzz_csv
  part "asan tests" ctest --preset asan
  part fuzz tools/fuzz.sh 5000000
  part "tsan build" built tsan OFF base_tests threads_tests ledger_tests bound_tests
  part "tsan tests" tools/tsan.sh
else
  part layers python3 tools/check_layers.py
  part format tools/format.sh --check
  part tests env TMPDIR="$scratch" ctest --preset dev
  part python tools/python.sh test
  part "python clean" tools/python.sh clean
  part "python, bare Debian" tools/python.sh bare
  part "newer python" tools/python.sh newer wheel
  part "newer, bare Debian" tools/python.sh newer bare
  part "python, references" tools/python.sh debug
  part docs env TMPDIR="$scratch" python3 tools/run_docs.py
  part tables python3 tools/make_tables.py --check
  part "asan build" built asan ON test_programs fuzz_event fuzz_csv
  part "asan tests" env TMPDIR="$scratch" ctest --preset asan
  part fuzz tools/fuzz.sh
fi
exit "$status"
