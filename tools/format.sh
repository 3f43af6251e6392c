#!/usr/bin/env bash
# Formats our C++ with clang-format; with --check only says what would change, or which comments are too wide, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
folders=()
for folder in include src apps bindings tests bench examples experiments; do [ -d "$folder" ] && folders+=("$folder"); done
sources() { find "${folders[@]}" \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0; }
sources | xargs -0 clang-format --style=file "${mode[@]}"
[ "${1:-}" != --check ] || sources | xargs -0 python3 -B tools/comment_width.py
