#!/usr/bin/env bash
# Fetches the Python of Debian 13, with its headers, into a folder: for the wheel of Python 3.12 and later on Debian 12.
#   tools/newer_python.sh FOLDER [debug]   prints the path of an interpreter that runs beside the system's own; `debug`
#                                          is its debug build, which counts every reference
# Nothing is installed, and no right of root is needed: its packages are unpacked, and it runs by the C library that
# came with it. What it starts, the compiler above all, is the system's own. FOLDER/root holds that Python and what it
# needs, and can be the root of a process.
set -euo pipefail
folder=$(realpath -m "$1")
root=$folder/root
loader=lib64/ld-linux-x86-64.so.2
apt=(-q -o "Dir::State=$folder/apt" -o "Dir::State::status=$folder/apt/status" -o "Dir::Cache=$folder/apt"
  -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Debug::NoLocking=true
  -o APT::Sandbox::User= -o APT::Install-Recommends=false)

fetch() {
  rm -rf "$folder"
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$root/usr/lib64" "$root/usr/lib" "$root/usr/bin"
  for link in lib64 lib bin; do ln -s "usr/$link" "$root/$link"; done
  touch "$folder/apt/status"
  local mirror  # the one of this machine
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' \
    "Codename: $(. /etc/os-release && echo "$VERSION_CODENAME")" | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$folder/apt/sources.list"
  apt-get "${apt[@]}" update
  apt-get "${apt[@]}" --yes --download-only install python3-venv libpython3.13-dev libstdc++6
  for package in "$folder"/apt/archives/*.deb; do
    case "$package" in
      */lib*-dev_* | */linux-libc-dev_*) ;;
      *) dpkg -x "$package" "$root" ;;
    esac
  done
  # Of what is for developers, its own headers alone: those of the C library would ask for more than others have.
  dpkg --fsys-tarfile "$folder"/apt/archives/libpython3.13-dev_*.deb |
    tar -x -C "$root" ./usr/include/python3.13 ./usr/include/x86_64-linux-gnu/python3.13
  cp "$root/usr/include/x86_64-linux-gnu/python3.13/pyconfig.h" "$root/usr/include/python3.13/"
  # Where `venv` finds pip, from outside of that root; the same path leads there from inside.
  grep -rlZ /usr/share/python-wheels "$root/usr/lib/python3.13" | xargs -0 sed -i "s|/usr/share/python-wheels|$root&|g"
  mkdir -p "$root$folder" && ln -s / "$root$root"
  # What configuring a package would have written, and pip reads.
  mkdir -p "$root/etc/ssl/certs"
  cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
  rm -f "$folder"/apt/archives/*.deb
  launch python3.13 python-beside
}

fetch_debug() {
  (cd "$folder/apt/archives" && apt-get "${apt[@]}" download python3.13-dbg libpython3.13-dbg)
  for package in "$folder"/apt/archives/*.deb; do
    dpkg --fsys-tarfile "$package" | tar -x -C "$root" --exclude='./usr/lib/debug' --exclude='*.a'
  done
  rm -f "$folder"/apt/archives/*.deb
  launch python3.13-dbg python-debug-beside
}

# launch PYTHON NAME: an interpreter that runs by the C library of its own root
launch() {
  cat >"$root/usr/bin/$2" <<EOL
#!/bin/sh
exec "$root/$loader" --argv0 "\$0" --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/$1" "\$@"
EOL
  chmod +x "$root/usr/bin/$2"
}

# made NAME COMMAND: runs it unless that interpreter is there
made() {
  [ -x "$root/usr/bin/$1" ] || "$2" >>"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
}

mkdir -p "$(dirname "$folder")"
made python-beside fetch
if [ "${2:-}" = debug ]; then
  made python-debug-beside fetch_debug
  echo "$root/usr/bin/python-debug-beside"
else
  echo "$root/usr/bin/python-beside"
fi
