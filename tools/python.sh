#!/usr/bin/env bash
# The Python package: builds its wheel, and tests it as others get it.
#   tools/python.sh wheel     builds out/wheels/chronoveil-*.whl from the objects of build/
#   tools/python.sh test      the same, then installs it into an environment of its own and runs its tests
#   tools/python.sh clean     installs it with nothing, with pandas alone, polars alone, DuckDB alone, and releases
#   tools/python.sh bare      the same in a Debian that has Python and nothing else, not even time zones, and those tests
#                             that need nothing (needs root)
#   tools/python.sh newer ... any of these with the Python of Debian 13
#   tools/python.sh debug     counts references under the debug build of that Python; needs the wheel of `newer wheel`
# From Python 3.12 on, the wheel is for the stable ABI: one for all that follow. PYTHON names another interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
package=bindings/python
python=${PYTHON:-python3}
newer=false
if [ "${1:-}" = newer ] || [ "${1:-}" = debug ]; then
  newer=true
  python=$(tools/newer_python.sh build/python/debian13)
fi
if [ "${1:-}" = newer ]; then shift; fi
tag=$("$python" -c 'from sys import version_info as v; print("cp312-abi3" if v >= (3, 12) else f"cp3{v[1]}-cp3{v[1]}")')
made=build/python/$tag
wheels=out/wheels
wheel="$wheels/chronoveil-*-$tag-*.whl"
tools=$made/tools/bin/python
pip=(-m pip --quiet --disable-pip-version-check)

# The environment that builds, and whose pip installs into all others: theirs would have to be installed each time.
make_tools() {
  if ! [ -x "$tools" ]; then mkdir -p "$made" && "$python" -m venv "$made/tools"; fi
  installed tools -r $package/requirements-build.txt
}

# installed NAME PIP-ARGUMENT...: into an environment, if the list changed. Modules are compiled when they are imported.
installed() {
  local folder=$made/$1 asked="${*:2}"
  if [ "$(cat "$folder/asked" 2>/dev/null)" != "$asked" ]; then
    "$tools" "${pip[@]}" --python "$folder/bin/python" install --no-compile "${@:2}"
    echo "$asked" >"$folder/asked"
  fi
}

# environment NAME [PIP-ARGUMENT...]: a virtual environment, made once, of that Python or the one that `of` names
environment() {
  if ! [ -x "$made/$1/bin/python" ]; then "${of:-$python}" -m venv --without-pip "$made/$1"; fi
  if [ $# -gt 1 ]; then installed "$@"; fi
}

build_wheel() {
  make_tools
  cmake --build --preset dev --target chronoveil_static
  # Its licence, and those of the libraries that come with it.
  rm -rf $package/licenses $made/raw && mkdir -p $package/licenses $made/raw $wheels
  cp LICENSE $package/licenses/chronoveil
  local library
  for library in libfmt liblzma libsodium libsqlite3- libtomlplusplus; do
    cp /usr/share/doc/"$library"[0-9]*/copyright "$package/licenses/${library%-}"
  done
  PATH="$PWD/$made/tools/bin:$PATH" "$tools" "${pip[@]}" wheel --no-deps --no-build-isolation \
    --wheel-dir $made/raw $package
  rm -f $wheel
  PATH="$PWD/$made/tools/bin:$PATH" "$made/tools/bin/auditwheel" repair --plat manylinux_2_34_x86_64 \
    --wheel-dir $wheels $made/raw/*.whl >$made/auditwheel.log 2>&1 || { cat $made/auditwheel.log >&2; return 1; }
  local size
  size=$(stat -c %s $wheel)
  echo "wheel: $(basename $wheel), $((size / 1024)) KiB"
  [ "$size" -lt 8000000 ] || { echo "wheel: it must stay below 8 MB" >&2; return 1; }
}

install_into() { "$tools" "${pip[@]}" --python "$made/$1/bin/python" install --no-deps --force-reinstall $wheel; }

run_tests() {
  make_tools
  # Nixtla's compiler is larger than all the others together: not in every run.
  environment test -r $package/requirements-test.txt \
    ${CHRONOVEIL_TORTURE:+-r $package/requirements-torture.txt} &  # while the compiler works
  local environment=$!
  build_wheel
  wait "$environment"
  install_into test
  "$made/test/bin/python" -m pytest -q -p no:cacheprovider -n "$(nproc)" $package/tests "$@"
}

# The first example of the documentation, wherever nothing but one library is installed.
try_one() {
  local root=$PWD only=$1 library=()
  if [ "$only" != nothing ]; then library=(-c $package/requirements-test.txt "$only"); fi
  environment "only-$only" "${library[@]}"
  install_into "only-$only"
  (cd "$(mktemp -d)" && "$root/$made/only-$only/bin/python" -B "$root/$package/tests/first_example.py" "$only" \
    "$root/docs/python.md")
}
try_clean() {
  local only tries=() try
  make_tools
  for only in nothing pandas polars duckdb; do
    try_one "$only" &
    tries+=($!)
  done
  for try in "${tries[@]}"; do wait "$try"; done
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# A Debian 12 with Python: unpacked, for nothing in it needs to be configured. It is made once.
debian12() {
  local root=$made/bookworm
  if ! [ -e "$root/made" ]; then
    as_root rm -rf "$root"
    as_root debootstrap --foreign --variant=minbase --include=python3-venv bookworm "$PWD/$root" \
      >$made/debootstrap.log || { cat $made/debootstrap.log >&2; return 1; }
    as_root chown -R "$(id -u):$(id -g)" "$root"
    local name
    for name in $(cat "$root/debootstrap/base"); do
      dpkg --fsys-tarfile "$root/var/cache/apt/archives/${name}"_*.deb | tar -x -C "$root" --keep-directory-symlink
    done
    rm -rf "$root"/var/cache/apt/archives
    touch "$root/made"
  fi
  echo "$root"
}

try_bare() {
  local root
  make_tools
  if $newer; then root=build/python/debian13/root; else root=$(debian12); fi
  if compgen -G "$root/usr/bin/*cc" || compgen -G "$root/usr/bin/*g++*"; then
    echo "python: there is a compiler" >&2
    return 1
  fi
  as_root rm -rf "$root/try" "$root/usr/share/zoneinfo" && mkdir -p "$root/try" "$root/dev"
  if ! [ -e "$root/dev/null" ]; then as_root mknod -m 666 "$root/dev/null" c 1 3; fi
  "$tools" "${pip[@]}" download --dest "$root/try" -c $package/requirements-test.txt tzdata pytest
  cp $wheel docs/python.md "$root/try"
  cp -r $package/tests "$root/try/tests"
  as_root chroot "$root" /usr/bin/python3 -m venv /try/env
  as_root chroot "$root" /try/env/bin/pip install --quiet --no-index --no-deps --find-links /try chronoveil tzdata
  # In a folder that goes with the rest: what a ledger has beside it would be there the next time. There may be no shell.
  as_root chroot "$root" /try/env/bin/python -c 'import os, sys; os.chdir("/try"); os.execv(sys.executable, [
      sys.executable, "tests/first_example.py", "bare", "python.md"])'
  # What needs none of the libraries, nor the program, nor tools of a developer.
  if ! $newer; then
    as_root chroot "$root" /try/env/bin/pip install --quiet --no-index --find-links /try pytest
    as_root chroot "$root" /usr/bin/env CHRONOVEIL_LEAST=75 CHRONOVEIL_PROGRAM=/nowhere /try/env/bin/python -B -m pytest \
      -q -p no:cacheprovider --ignore /try/tests/test_wheel.py --ignore /try/tests/test_postgres.py /try/tests
  fi
  as_root rm -rf "$root/try"
}

# The same wheel: a debug build loads what others do.
try_debug() {
  local root=$PWD
  make_tools
  of=$(tools/newer_python.sh build/python/debian13 debug) environment debug
  install_into debug
  (cd "$(mktemp -d)" && CHRONOVEIL_LEAK_WARNINGS=1 "$root/$made/debug/bin/python" -B \
    "$root/$package/tests/lifetimes.py" 2>&1) | tee $made/debug.log
  ! grep -q leaked $made/debug.log
}

case "${1:-}" in
  wheel) build_wheel ;;
  test) shift && run_tests "$@" ;;
  clean) try_clean ;;
  bare) try_bare ;;
  debug) try_debug ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
