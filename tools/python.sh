#!/usr/bin/env bash
# The Python package: builds its wheel, and tests it as others get it.
#   tools/python.sh wheel     builds out/wheels/chronoveil-*.whl from the objects of build/
#   tools/python.sh test      the same, then installs it into an environment of its own and runs its tests
#   tools/python.sh clean     installs it with nothing, with pandas alone, polars alone, DuckDB alone, and releases
#   tools/python.sh debian    the same in a Debian without a compiler (needs root and debootstrap)
#   tools/python.sh newer ... any of these with the Python of Debian 13
#   tools/python.sh debug     counts references under the debug build of that Python; needs the wheel of `newer wheel`
# From Python 3.12 on, the wheel is for the stable ABI: one for all that follow. PYTHON names another interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
package=bindings/python
release=${DEBIAN:-bookworm}
python=${PYTHON:-python3}
if [ "${1:-}" = debug ]; then python=$(tools/newer_python.sh build/python/debian13-debug debug); fi
if [ "${1:-}" = newer ]; then
  python=$(tools/newer_python.sh build/python/debian13)
  release=trixie
  shift
fi
tag=$("$python" -c 'from sys import version_info as v; print("cp312-abi3" if v >= (3, 12) else f"cp3{v[1]}-cp3{v[1]}")')
made=build/python/$tag
wheels=out/wheels
wheel="$wheels/chronoveil-*-$tag-*.whl"
pip=(-m pip --quiet --disable-pip-version-check)

# environment NAME [PIP-ARGUMENT...]: a virtual environment, made once; packages are installed if the list changed
environment() {
  local folder=$made/$1 asked="${*:2}"
  if ! [ -x "$folder/bin/python" ]; then mkdir -p "$made" && "$python" -m venv "$folder"; fi
  if [ "$(cat "$folder/asked" 2>/dev/null)" != "$asked" ]; then
    if [ -n "$asked" ]; then "$folder/bin/python" "${pip[@]}" install "${@:2}"; fi
    echo "$asked" >"$folder/asked"
  fi
}

build_wheel() {
  environment tools -r $package/requirements-build.txt
  cmake --build --preset dev --target chronoveil_static
  rm -rf $made/raw && mkdir -p $made/raw $wheels
  PATH="$PWD/$made/tools/bin:$PATH" "$made/tools/bin/python" "${pip[@]}" wheel --no-deps --no-build-isolation \
    --wheel-dir $made/raw $package
  rm -f $wheel
  PATH="$PWD/$made/tools/bin:$PATH" "$made/tools/bin/auditwheel" repair --plat manylinux_2_34_x86_64 \
    --wheel-dir $wheels $made/raw/*.whl >$made/auditwheel.log 2>&1 || { cat $made/auditwheel.log >&2; return 1; }
  local size
  size=$(stat -c %s $wheel)
  echo "wheel: $(basename $wheel), $((size / 1024)) KiB"
  [ "$size" -lt 8000000 ] || { echo "wheel: it must stay below 8 MB" >&2; return 1; }
}

install_into() { "$made/$1/bin/python" "${pip[@]}" install --no-deps --force-reinstall $wheel; }

run_tests() {
  environment test -r $package/requirements-test.txt
  install_into test
  "$made/test/bin/python" -m pytest -q -p no:cacheprovider $package/tests "$@"
}

# The first example of the documentation, wherever nothing but one library is installed.
try_clean() {
  local only
  for only in nothing pandas polars duckdb; do
    if [ "$only" = nothing ]; then environment nothing; else environment "only-$only" "$only"; fi
    local folder=$([ "$only" = nothing ] && echo nothing || echo "only-$only")
    install_into "$folder"
    (cd "$(mktemp -d)" && "$OLDPWD/$made/$folder/bin/python" -B "$OLDPWD/$package/tests/first_example.py" "$only")
  done
}

# A Debian that has Python and nothing else of ours; it is made once.
try_debian() {
  local root=$PWD/$made/$release as_root=()
  if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
  if ! [ -e "$root/made" ]; then
    "${as_root[@]}" rm -rf "$root"
    "${as_root[@]}" debootstrap --variant=minbase --include=python3-venv $release "$root" >$made/debootstrap.log ||
      { cat $made/debootstrap.log >&2; return 1; }
    "${as_root[@]}" chown -R "$(id -u):$(id -g)" "$root"
    touch "$root/made"
  fi
  "${as_root[@]}" rm -rf "$root/try" && mkdir "$root/try"
  cp $wheel $package/tests/first_example.py "$root/try"
  "${as_root[@]}" chroot "$root" sh -c 'cd /try && ! command -v cc && python3 -m venv env &&
    env/bin/pip install --quiet --no-index --no-deps *.whl && env/bin/python first_example.py nothing'
  "${as_root[@]}" rm -rf "$root/try"
}

# The same wheel: a debug build loads what others do.
try_debug() {
  environment debug
  install_into debug
  (cd "$(mktemp -d)" && CHRONOVEIL_LEAK_WARNINGS=1 "$OLDPWD/$made/debug/bin/python" -B "$OLDPWD/$package/tests/lifetimes.py" \
    2>&1) | tee $made/debug.log
  ! grep -q leaked $made/debug.log
}

case "${1:-}" in
  wheel) build_wheel ;;
  test) build_wheel && shift && run_tests "$@" ;;
  clean) try_clean ;;
  debian) try_debian ;;
  debug) try_debug ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
