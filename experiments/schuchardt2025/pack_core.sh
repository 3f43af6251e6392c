#!/usr/bin/env bash
# Gathers what the forecasting core needs beside libtorch, for a machine where nothing can be installed:
#   pack_core.sh FOLDER      FOLDER/lib/libsodium.a, and in FOLDER/include the headers of libsodium, tl::expected and of
#                            the parts of Boost that our sources include
# There: cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCHRONOVEIL_CORE_ONLY=ON -DSODIUM_ROOT=FOLDER \
#          -DCMAKE_PREFIX_PATH=$(python3 -c 'import torch;print(torch.utils.cmake_prefix_path)')
set -euo pipefail
out=$(realpath -m "$1")
root=$(realpath "$(dirname "$0")/../..")
mkdir -p "$out/lib" "$out/include"
cp "$(pkg-config --variable=libdir libsodium)/libsodium.a" "$out/lib/"
includes=$(pkg-config --variable=includedir libsodium)
cp -r "$includes/sodium.h" "$includes/sodium" "$includes/tl" "$out/include/"
grep -rhoE '#include <boost/[^>]+>' "$root"/src/chronoveil/{base,noise,forecasting,neural} | sort -u |
  g++ -std=c++20 -M -x c++ - | tr -d '\\' | tr ' ' '\n' | grep "^$includes/boost/" | sort -u |
  while read -r header; do
    mkdir -p "$out/include/$(dirname "${header#"$includes/"}")"
    cp "$header" "$out/include/${header#"$includes/"}"
  done
du -sh "$out"
