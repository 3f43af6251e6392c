#!/usr/bin/env bash
# Static analysis of our sources: clang-tidy on every translation unit of src and apps, then cppcheck.
set -euo pipefail
cd "$(dirname "$0")/.."
# clang cannot read headers that g++ precompiled, and looks at one file at a time: the compile commands come from a
# folder of their own. Compiling each file alone also shows that it includes all that it needs.
cmake --preset dev -B build-check -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCHRONOVEIL_UNITY=OFF >/dev/null
mapfile -t sources < <(find src apps -name '*.cc' | sort)
echo "clang-tidy: ${#sources[@]} files"
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p build-check --extra-arg=-Wno-unknown-warning-option
echo "cppcheck: ${#sources[@]} files"
# log(0) = -infinity is meant where probabilities are added in logarithms; a Result is not the boolean it converts to.
cppcheck --quiet --std=c++20 --language=c++ --inline-suppr --error-exitcode=1 -j "$(nproc)" -I include -I src \
  --enable=warning,performance,portability --suppress=missingIncludeSystem --suppress=missingInclude \
  --suppress=invalidFunctionArg --suppress=identicalConditionAfterEarlyExit src apps
echo "check: clean"
