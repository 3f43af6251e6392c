#!/usr/bin/env bash
# Formats our C++ with clang-format; with --check only says what would change, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
folders=()
for folder in include src apps bindings tests bench examples experiments; do [ -d "$folder" ] && folders+=("$folder"); done
find "${folders[@]}" \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0 | xargs -0 clang-format --style=file "${mode[@]}"
