#!/usr/bin/env bash
# Fetches the Python of Debian 13, with its headers, into a folder: for the wheel of Python 3.12 and later on Debian 12.
#   tools/newer_python.sh FOLDER [debug]   prints the path of an interpreter that runs beside the system's own; `debug`
#                                          is its debug build, which counts every reference
# Nothing is installed, and no right of root is needed: its packages are unpacked, and it runs by the C library that
# came with it. What it starts, the compiler above all, is the system's own.
set -euo pipefail
folder=$(realpath -m "$1")
packages=(python3-venv libpython3.13-dev)
python=python3.13
if [ "${2:-}" = debug ]; then
  packages=(python3-venv python3.13-dbg libpython3.13-dev)
  python=python3.13-dbg
fi
interpreter=$folder/root/usr/bin/python-beside
loader=lib64/ld-linux-x86-64.so.2

fetch() {
  local asked=(-q -o "Dir::State=$folder/apt" -o "Dir::State::status=$folder/apt/status" -o "Dir::Cache=$folder/apt"
    -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Debug::NoLocking=true
    -o APT::Sandbox::User= -o APT::Install-Recommends=false)
  rm -rf "$folder"
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/root/usr/lib64" "$folder/root/usr/lib"
  ln -s usr/lib64 "$folder/root/lib64"
  ln -s usr/lib "$folder/root/lib"
  touch "$folder/apt/status"
  local mirror  # the one of this machine
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' "Codename: $(. /etc/os-release && echo "$VERSION_CODENAME")" | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$folder/apt/sources.list"
  apt-get "${asked[@]}" update
  apt-get "${asked[@]}" --yes --download-only install "${packages[@]}"
  for package in "$folder"/apt/archives/*.deb; do
    case "$package" in
      */libpython3.13-dev_* | */lib*-dev_* | */linux-libc-dev_*) ;;
      *) dpkg -x "$package" "$folder/root" ;;
    esac
  done
  # Of what is for developers, its own headers alone: those of the C library would ask for more than others have.
  dpkg --fsys-tarfile "$folder"/apt/archives/libpython3.13-dev_*.deb |
    tar -x -C "$folder/root" ./usr/include/python3.13 ./usr/include/x86_64-linux-gnu/python3.13
  cp "$folder/root/usr/include/x86_64-linux-gnu/python3.13/pyconfig.h" "$folder/root/usr/include/python3.13/"
  grep -rlZ /usr/share/python-wheels "$folder/root/usr/lib/python3.13" |
    xargs -0 sed -i "s|/usr/share/python-wheels|$folder/root&|g"  # where `venv` finds pip
  cat >"$interpreter" <<EOL
#!/bin/sh
exec "$folder/root/$loader" --argv0 "\$0" --library-path "$folder/root/usr/lib/x86_64-linux-gnu" \\
  "$folder/root/usr/bin/$python" "\$@"
EOL
  chmod +x "$interpreter"
  rm -rf "$folder/apt" "$folder/root/usr/lib/debug"
}

if ! [ -x "$interpreter" ]; then
  mkdir -p "$(dirname "$folder")"
  fetch >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
fi
echo "$interpreter"
