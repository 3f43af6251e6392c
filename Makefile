# What to type. Everything works in a fresh clone on a bare Debian machine, as root or as a user with sudo.
PREFIX ?= /usr/local
DESTDIR ?=
export DESTDIR
EXPERIMENTS := koga2022 fan2011 gupta2024 ye2023 schuchardt2025 joint

.PHONY: help setup build build-forecast run run-forecast test wheel bench soak torture $(EXPERIMENTS:%=experiment-%) check format docs pictures install uninstall clean

help:  ## Say what there is to type
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name text; do printf '  make %-20s %s\n' "$$name" "$$text"; done

setup:  ## Install the Debian packages that building and testing need
	@tools/setup.sh build forecast test

build:  ## Build the program, build/chronoveil, the library, and the library for devices
	@tools/setup.sh build
	@cmake --preset dev -DCHRONOVEIL_TESTS=OFF -DCHRONOVEIL_NEURAL=OFF -Wno-dev --log-level=WARNING
	@cmake --build --preset dev --target chronoveil printed device_example

build-forecast:  ## Build build/chronoveil-forecast as well: it needs libtorch, which is large
	@tools/setup.sh build forecast
	@cmake --preset dev -DCHRONOVEIL_TESTS=OFF -Wno-dev --log-level=WARNING
	@cmake --build --preset dev --target chronoveil chronoveil-forecast printed device_example chronoveil_static chronoveil_shared

run: build  ## Build, then take the guided tour
	@tools/tour.sh

run-forecast: build-forecast  ## Build, then train a private forecaster and ask it for tomorrow
	@tools/tour.sh forecast

test:  ## Install, build, run every test and check; a table of times at the end
	@tools/test.sh

wheel:  ## Build the wheels of the Python package, out/wheels/chronoveil-*.whl: for Python 3.11, and for 3.12 and later
	@tools/setup.sh build python
	@cmake --preset dev -DCHRONOVEIL_TESTS=OFF -DCHRONOVEIL_NEURAL=OFF -Wno-dev --log-level=WARNING
	@tools/python.sh wheel
	@tools/python.sh newer wheel

bench: wheel  ## Build and run the benchmarks, print their table
	@tools/setup.sh build forecast bench
	@cmake --preset release -DCHRONOVEIL_BENCH=ON
	@cmake --build --preset release
	@python3 bench/run.py

NEEDS_schuchardt2025 := forecast
ALSO_schuchardt2025 := schuchardt2025_train
experiment-koga2022:  ## Make the tables and figures of experiments/koga2022 from ../shared/data
experiment-fan2011:  ## Make the tables and figures of experiments/fan2011 from ../shared/data
experiment-gupta2024:  ## Make the tables and figures of experiments/gupta2024 from ../shared/data
experiment-ye2023:  ## Make the tables and figures of experiments/ye2023 from ../shared/data
experiment-schuchardt2025:  ## Make the accountant's tables and figures of experiments/schuchardt2025, and plan its training
experiment-joint:  ## Make the tables and figures of experiments/joint from ../shared/data
$(EXPERIMENTS:%=experiment-%): experiment-%:
	@tools/setup.sh build $(NEEDS_$*)
	@cmake --preset dev -DCHRONOVEIL_TESTS=OFF -DCHRONOVEIL_NEURAL=$(if $(NEEDS_$*),ON,OFF) -Wno-dev --log-level=WARNING
	@cmake --build --preset dev --target $* $(ALSO_$*)
	@python3 experiments/$*/run.py

soak:  ## Kill a live release and a training 1,000 times at random, restart each time, and read what they left
	@tools/setup.sh build forecast test
	@cmake --preset dev -Wno-dev --log-level=WARNING
	@cmake --build --preset dev --target chronoveil chronoveil-forecast kill_at_write
	@CHRONOVEIL_KILLS=$${CHRONOVEIL_KILLS:-1000} ctest --preset dev -R "live_crash|train_crash" -V

torture:  ## What make test does on a sample, in full: every damaged byte, every killed call, all sanitizers, long fuzzing
	@tools/test.sh torture

check:  ## Static analysis: clang-tidy and cppcheck
	@tools/setup.sh build forecast test check
	@tools/check.sh

format:  ## Format the C++ sources in place
	@tools/format.sh

docs: build-forecast  ## Run every command in the documentation and rewrite its output and the tables
	@python3 tools/make_tables.py
	@python3 tools/run_docs.py --update

pictures: build  ## Make the pictures of the documentation anew; needs chromium and pngquant
	@python3 tools/make_pictures.py $(if $(wildcard build/chronoveil-forecast),--forecast build/chronoveil-forecast) \
	  $(addprefix --python ,$(firstword $(wildcard build/python/*/test/bin/python)))

install:  ## Install the programs and the library under PREFIX (default /usr/local), honouring DESTDIR
	@test -x build/chronoveil -a -f build/libchronoveil.so || $(MAKE) --no-print-directory build
	@cmake --install build --prefix "$(PREFIX)"

uninstall:  ## Remove what install put there
	@xargs -a build/install_manifest.txt -I{} rm -fv "$(DESTDIR){}"

clean:  ## Remove everything that was built
	rm -rf build build-asan build-tsan build-release out .venv
