#!/usr/bin/env bash
# Installs the Debian packages that are missing, and nothing else.
#   tools/setup.sh [build] [forecast] [test] [python] [bench] [check] [readers] [--list]
# With CHRONOVEIL_INSTALLED=FILE the names of what was installed are written there. docs/dependencies.md says what
# each is for.
set -euo pipefail
cd "$(dirname "$0")/.."

build=(g++ cmake ninja-build pkg-config python3 libsodium-dev libsqlite3-dev libpq-dev libeigen3-dev libboost-dev
  libexpected-dev libcli11-dev nlohmann-json3-dev libfmt-dev zlib1g-dev liblzma-dev libfast-float-dev
  libtomlplusplus-dev libhowardhinnant-date-dev tzdata)
forecast=(libtorch-dev libopenblas0-openmp)
test=(libgtest-dev libgmock-dev postgresql clang libclang-rt-14-dev clang-format python3 zsh fish
  xz-utils chromium fonts-dejavu-core librsvg2-bin)
python=(python3-dev python3-venv debootstrap)
bench=(python3 python3-venv)
check=(clang clang-tidy cppcheck python3)
readers=(r-base-core libreoffice-calc-nogui)

list_only=false
wanted=()
for group in "$@"; do
  case "$group" in
    build | forecast | test | python | bench | check | readers)
      declare -n members="$group"
      wanted+=("${members[@]}")
      ;;
    --list) list_only=true ;;
    *)
      echo "setup: $group is not a group; it must be build, forecast, test, python, bench, check or readers" >&2
      exit 2
      ;;
  esac
done
if $list_only; then
  printf '%s\n' "${wanted[@]}" | sort -u
  exit
fi

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup: this needs root and there is no sudo; as root, run: $*" >&2
    return 1
  fi
}

# A run as root leaves build folders that a later run as a user could not write.
if [ "$(id -u)" != 0 ]; then
  if ! [ -w . ]; then
    echo "setup: $(id -un) cannot write to this checkout, which belongs to $(stat -c %U .); clone it as $(id -un) or use sudo" >&2
    exit 1
  fi
  foreign=()
  for folder in build build-* out .venv; do
    if [ -e "$folder" ] && [ -n "$(find "$folder" ! -user "$(id -u)" -print -quit)" ]; then foreign+=("$folder"); fi
  done
  if [ ${#foreign[@]} -gt 0 ]; then
    echo "setup: taking over from an earlier run by another user: ${foreign[*]}"
    as_root chown -R "$(id -u):$(id -g)" "${foreign[@]}"
  fi
fi

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not Debian; please install the equivalents of: ${wanted[*]}" >&2
  exit 1
fi
missing=()
for package in $(printf '%s\n' "${wanted[@]}" | sort -u); do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  if [ "$status" != installed ]; then missing+=("$package"); fi
done
if [ -n "${CHRONOVEIL_INSTALLED:-}" ]; then echo "${missing[*]}" >"$CHRONOVEIL_INSTALLED"; fi
if [ ${#missing[@]} = 0 ]; then
  echo "setup: everything needed is installed"
  exit
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@"; }
if ! { apt update && apt -y install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup: apt-get failed" >&2
  exit 1
fi
echo "setup: done"
