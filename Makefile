# giftd. `make help` says what there is.
#
# JOBS=N   how many compilers run at once (all processors)
# FUZZ=S   seconds for each fuzz target (60)

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help dependencies build test check demo bench asan tsan fuzz clean

JOBS ?= $(shell nproc)
FUZZ ?= 60
SWIFT := swift
build := $(SWIFT) build --quiet --jobs $(JOBS)

help: ## show this
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dependencies:
	@scripts/install-dependencies

build: dependencies ## giftd, giftctl and giftdraw, into .build/release
	@$(build) --configuration release

test: dependencies ## every test, those with real servers included
	@JOBS=$(JOBS) scripts/run-tests

check: dependencies ## formatting, the systemd unit, the scripts
	@scripts/check

demo: dependencies ## draw, pack and show gifts in a room: demo/room.mp4, demo/room.png
	@JOBS=$(JOBS) scripts/demo

bench: dependencies ## giftd against ffmpeg and GStreamer, and every kernel by itself: docs/bench.svg
	@$(build) --configuration release
	@.build/release/giftbench
	@scripts/bench --svg docs/bench.svg

asan: dependencies ## unit tests under AddressSanitizer and LeakSanitizer
	@JOBS=$(JOBS) scripts/run-tests --sanitize address

tsan: dependencies ## unit tests under ThreadSanitizer
	@JOBS=$(JOBS) scripts/run-tests --sanitize thread

fuzz: dependencies ## every parser of foreign bytes against libFuzzer
	@JOBS=$(JOBS) FUZZ=$(FUZZ) scripts/fuzz

clean: ## remove what was built
	@rm -rf .build .build-* demo
