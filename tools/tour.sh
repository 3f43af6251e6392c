#!/usr/bin/env bash
# A guided tour with the program itself; it keeps everything in out/tour or out/tour_forecast and starts afresh each time.
#   tools/tour.sh            simulate a city's traffic, give it a budget, plan, check, release, evaluate, see what is left,
#                            publish a series week by week, publish mean speeds on a map, blur when a meter ran
#   tools/tour.sh forecast   learn from a hundred households to forecast, which needs libtorch
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/build:$PATH"
case "${1:-}" in
  '') folder=out/tour ;;
  forecast) folder=out/tour_forecast ;;
  *) echo "tour: $1 is not a tour; there is forecast, and the one without a name" >&2; exit 2 ;;
esac
rm -rf "$folder"
mkdir -p "$folder"
export CHRONOVEIL_LEDGER=$folder/ledger.db

# Nobody is there to answer questions.
if [ -t 0 ]; then exec < /dev/null; fi

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

# The second tour.
forecast() {
  say "To learn from series without giving them away: a model of a hundred households that says what comes next."
  chronoveil simulate meters --meters 100 --days 14 --output out/tour_forecast/readings.csv 2>&1
  cut -d, -f1 out/tour_forecast/readings.csv | tail -n +2 | sort -u > out/tour_forecast/households.txt
  cat > out/tour_forecast/learn.toml <<'JOB'
version = 1
[dataset]
name = "households"
[source]
path = "readings.csv"
series = "meter"
value = "value"
zone = "Europe/London"
[slots]
start = "2026-01-12"
end = "2026-01-26"
length = "30min"
[series]
list = "households.txt"
[privacy]
unit = "event"
epsilon = 2.0
delta = 1e-6
[train]
model = "simple_feed_forward"
context_length = 96
forecast_length = 48
batch_size = 100
steps = 300
[output]
model = "households.cvm"
report = "households_report.html"
JOB
  run chronoveil budget create households --epsilon 2 --delta 1e-6 --unit event --relation replace_values
  run chronoveil train out/tour_forecast/learn.toml | sed '/^  /d'
  head -n 3 out/tour_forecast/households.txt > out/tour_forecast/three.txt
  run chronoveil forecast out/tour_forecast/households.cvm out/tour_forecast/readings.csv --series meter --keys out/tour_forecast/three.txt \
    --output out/tour_forecast/tomorrow.csv --report out/tour_forecast/tomorrow.html
  head -n 3 out/tour_forecast/tomorrow.csv
  echo "(a forecast shows the history that it is made from; chronoveil forecast --private hides that, too)"
  echo "What anybody may have: out/tour_forecast/households.cvm, $PWD/out/tour_forecast/households_report.html"
  echo "What stays inside: out/tour_forecast/tomorrow.html"
}
if [ $# = 1 ]; then
  "$1"
  exit
fi

echo "Chronoveil in ten steps. The numbers are computed on this machine, now."

say "1. A city counts the cards that pass its sensors. Here is one, made up: a million passings in four weeks."
run chronoveil simulate traffic --records 1000000 --output out/tour/trips.csv --keys out/tour/sensors.txt \
  --job out/tour/city.toml

say "2. It may reveal (ε = 2, δ = 2e-6) about each cardholder, in total and for good."
run chronoveil budget create city --epsilon 2 --delta 2e-6 --unit user

say "3. Half of that shall pay for hourly counts of every sensor. Which mechanism? Planning touches no data."
run chronoveil plan out/tour/city.toml

say "4. Would it work? Columns, outputs, budget and every row are checked; nothing is debited."
run chronoveil check out/tour/city.toml | sed -n '1p; /^guarantee/p; /^cost/,$p'

say "5. Release: the debit comes first, then the data is read, then the noise is drawn."
run chronoveil run out/tour/city.toml

say "6. How good is it? Only the city can ask: this compares with the data, and its answer is not for publication."
run chronoveil evaluate out/tour/city.toml --release out/tour/city_release.json --report out/tour/internal.html

say "7. What is left of the budget. More than that is refused before any data is read."
run chronoveil budget show city
sed 's/^epsilon = 1.0/epsilon = 2.0/' out/tour/city.toml > out/tour/again.toml
status=0
run chronoveil run out/tour/again.toml --yes || status=$?
[ "$status" = 4 ] || { echo "the tour expected exit code 4, not $status" >&2; exit 1; }
echo "(exit code 4: over budget)"

say "8. A series need not wait for its end. A year of weekly cases is debited once, and every week is published as it comes."
chronoveil simulate flu --weeks 5 --start 2026-07-06 --output out/tour/cases.csv 2>&1
cat > out/tour/weekly.toml <<'JOB'
version = 1
[dataset]
name = "flu"
[source]
path = "cases.csv"
time = "time"
value = "value"
zone = "Europe/Berlin"
[slots]
start = "2026-07-06"
end = "2027-07-05"
length = "1w"
[privacy]
unit = "user"
max_steps = 12
epsilon = 1.0
delta = 1e-6
[output]
csv = "weekly.csv"
integers = true
JOB
run chronoveil budget create flu --epsilon 1 --delta 1e-6 --renews year
run chronoveil live out/tour/weekly.toml --once
echo "2026-08-10,52" >> out/tour/cases.csv
echo "(a week later; it could have crashed in between)"
run chronoveil live out/tour/weekly.toml --once
run chronoveil live status out/tour/weekly.toml | sed -n '1,7p'

say "9. Not counts but means: how fast are buses, where and when? Their values are protected; where they drive is public."
run chronoveil simulate buses --vehicles 1000 --days 1 --output out/tour/buses.csv --job out/tour/buses.toml
run chronoveil budget create buses --epsilon 1 --unit user --relation replace_values
run chronoveil run out/tour/buses.toml
run chronoveil evaluate out/tour/buses.toml --release out/tour/buses_release.json

say "10. And where nobody but the owner is trusted: a household's meter hides when, not what. No reading is changed."
awk 'BEGIN { print "time,kwh"; for (i = 0; i < 336; i++) { h = i % 24; printf "2026-02-%02dT%02d:00,%.2f\n", 2 + int(i / 24), h,
  0.2 + (h > 6 && h < 9) * 1.1 + (h > 17 && h < 22) * 1.6 + (i * 37 % 23) / 40 } }' > out/tour/meter.csv
cat > out/tour/meter.toml <<'JOB'
version = 1
[dataset]
name = "meter"
[source]
path = "meter.csv"
[privacy]
window = 24
epsilon = 4.0
[output]
csv = "meter_blurred.csv"
report = "meter_report.html"
JOB
run chronoveil budget create meter --epsilon 4 --relation swap --window 24
run chronoveil run out/tour/meter.toml
run chronoveil account ranswitch --window 10 --stay 0.46 --epsilon 2
echo "(what a paper states for single outputs is not what holds for sets of them: both are shown)"

say "That was the tour. What the city may publish:"
echo "  the report   $PWD/out/tour/city_report.html (open it in a browser)"
echo "  the map      $PWD/out/tour/buses_report.html"
echo "  the numbers  out/tour/city_release.csv, out/tour/city_release.json, out/tour/weekly.csv, out/tour/buses_release.csv"
echo "What the household may publish: out/tour/meter_blurred.csv, out/tour/meter_report.html"
echo "What stays inside: out/tour/internal.html. Next: make run-forecast. chronoveil --help says what else there is;"
echo "README.md is the place to read on."
