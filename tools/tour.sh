#!/usr/bin/env bash
# A guided tour with the program itself: create a budget, calibrate a release, debit it, price a training run, see what
# is left. It keeps its ledger in out/tour and starts afresh each time.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/build:$PATH"
rm -rf out/tour
mkdir -p out/tour
export CHRONOVEIL_LEDGER=out/tour/ledger.db

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if ! [ -t 1 ]; then say() { printf '\n%s\n' "$*"; }; fi

# Prints a command as one would type it, then runs it.
run() {
  local word line='$'
  for word in "$@"; do
    case "$word" in
      *[!A-Za-z0-9_./:=@,+-]* | '') line+=" '$word'" ;;
      *) line+=" $word" ;;
    esac
  done
  printf '%s\n' "$line"
  "$@" 2>&1
}

# The number that a JSON answer gives under a key.
number() { grep -o "\"$1\": *[0-9.e+-]*" | head -n 1 | grep -o '[0-9][0-9.e+-]*$'; }

echo "Chronoveil in six steps. The numbers are computed on this machine, now."

say "1. A health office may reveal (ε = 2, δ = 1e-6) about each patient, in total and for good."
run chronoveil budget create clinics --epsilon 2 --delta 1e-6 --unit user --relation replace

say "2. It wants to publish a count every week for a year. How much noise keeps all 52 within ε = 1?"
run chronoveil calibrate gaussian --count 52 --epsilon 1 --delta 1e-7
noise=$(chronoveil calibrate gaussian --count 52 --epsilon 1 --delta 1e-7 --json | number noise_multiplier)

say "3. The debit comes first. Only then may data be read and noise be drawn."
run chronoveil budget debit clinics "{\"event\":\"gaussian\",\"noise_multiplier\":$noise,\"count\":52}" \
  --purpose "weekly counts, one year"

say "4. What would it reveal to train a forecaster, in 2000 steps, on the hourly visits to 1000 clinics?"
echo "(A patient belongs to one clinic and is there in at most 20 hours: declared, and part of the event.)"
training='{"event":"structured_subsampling","series":1000,"length":8760,"context_length":48,"forecast_length":24,'
training+='"batch_size":32,"noise_multiplier":4,"unit":"user","width":20,"count":2000}'
run chronoveil account "$training" --delta 1e-7

say "5. That fits beside the weekly counts. Debit it too, and see what is left."
run chronoveil budget debit clinics "$training" --purpose "forecaster of visits"
run chronoveil budget show clinics

say "6. More than that is refused before any data is read."
status=0
run chronoveil budget debit clinics '{"event":"gaussian","noise_multiplier":1}' --purpose "too much" || status=$?
[ "$status" = 4 ] || { echo "the tour expected exit code 4, not $status" >&2; exit 1; }
echo "(exit code 4: over budget)"

say "That was the tour. chronoveil --help says what else there is; README.md is the place to read on."
