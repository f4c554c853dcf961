# SPDX-License-Identifier: GPL-2.0
# The workshop around io_uring/. `make help` tells what there is.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# What may be set on the command line reaches the scripts by the environment.
CONFIG ?= lean
export CONFIG CONFIGS CMD SHARE ACCEL SMP MEM V T STOCK ALL GUESTS TIMEOUT APPEND JOBS

.PHONY: help
help:
	@echo 'io_uring for Linux 6.12: build it, boot it, test it'
	@echo
	@echo '  make run         build the lean kernel and the guest, boot, show real I/O'
	@echo '  make check       the tests that guard every change'
	@echo '  make check-full  the same with everything on the debug kernel too'
	@echo
	@echo '  make kernel      build a kernel: CONFIG=lean|debug|stock|stock-debug'
	@echo '  make vm          boot it; run CMD="..." there, or a shell without CMD;'
	@echo '                   SHARE=folder is copied to /host in the guest'
	@echo '  make gdb         boot it, waiting for gdb'
	@echo '  make bench       instructions per operation, ours and stock; W="nop ..." some'
	@echo '  make profile     W=workload: where they go; F=function: its instructions'
	@echo '  make lint        checkpatch, sparse, W=1, layers, headers'
	@echo '  make kunit       KUnit suites on UML'
	@echo '  make host        host builds of the lowest layer under sanitizers'
	@echo '  make guest       the guest disk alone'
	@echo '  make tree        build/tree and build/tree-stock alone'
	@echo '  make deps        install the Debian packages that are missing'
	@echo '  make clean       remove what was built; distclean: all of build/'
	@echo
	@echo '  T=pattern        a part of the tests: T=liburing/nop  T=lint'
	@echo '  CONFIGS=lean     test on these kernels only (default lean,debug)'
	@echo '  STOCK=1          test the untouched package instead of ours'
	@echo '  ALL=1            all of liburing'"'"'s tests, listed or not'
	@echo '  GUESTS=2         guests side by side; SMP=2 MEM=2G of each'
	@echo '  ACCEL=auto       auto, kvm or tcg'
	@echo '  TIMEOUT=600      seconds until make vm ends the guest'
	@echo '  V=1              show commands and logs'

.PHONY: deps tree kernel guest vm gdb
deps:
	@scripts/deps

tree: deps
	@scripts/tree

kernel: deps
	@scripts/kernel $(CONFIG)

guest: deps
	@scripts/guest

vm: kernel guest
	@scripts/vm

gdb: kernel guest
	@scripts/vm --gdb

.PHONY: run check check-full lint kunit host
run: deps
	@scripts/demo

check: deps
	@scripts/check

check-full: deps
	@scripts/check --full

lint kunit host: deps
	@scripts/$@ "$(T)"

.PHONY: bench profile
bench: deps
	@scripts/kernel lean
	@scripts/kernel stock
	@scripts/guest
	@scripts/bench $(W)

profile:
	@test -n "$(W)" || { echo 'error: name a workload: make profile W=nop'; exit 1; }
	@scripts/profile -k $(CONFIG) $(W) $(F)

.PHONY: clean distclean
clean:
	rm -rf build/lean build/debug build/stock build/stock-debug build/um \
		build/lint build/lint-lean build/modules build/off build/guest build/headers build/host build/results build/vm build/bench

distclean:
	rm -rf build
