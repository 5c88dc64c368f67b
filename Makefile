# Quern: the short commands. Each sees to the packages it needs (scripts/setup), builds with CMake into build/ and
# works from any folder: make -C quern run
#
# Variables: PREFIX (install), DESTDIR (install), JOBS (how many things at once), BUILD_TYPE (Release, Debug, …).

SHELL := /bin/bash
.SHELLFLAGS := -e -u -o pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
PREFIX ?= /usr/local
export JOBS BUILD_TYPE DESTDIR
# The scripts choose how many jobs run at once; an outer make's job server is not theirs.
unexport MAKEFLAGS MAKELEVEL MFLAGS

.PHONY: all run test bench install check-format format help clean

all: ## build the library, the tool, the examples
	@scripts/setup build
	@scripts/build build

run: ## the main job: kernels on real data on every device of this machine; pictures go to build/
	@scripts/setup build opencl
	@scripts/build build
	@scripts/build build --target run-main

test: ## all tests, under gcc and clang, with and without sanitizers
	@scripts/setup build test
	@scripts/test

bench: ## quern bench on every device: launches and memory bandwidth beside plain C, OpenMP, raw OpenCL and the bare CUDA driver
	@scripts/setup build opencl
	@scripts/build build
	@build/quern bench --device all

install: ## headers, libraries, tool, quern.pc and CMake package under PREFIX (/usr/local unless told)
	@scripts/setup build
	@scripts/build build
	@scripts/install "$(PREFIX)"

check-format: ## is every C file formatted as .clang-format says?
	@scripts/setup format
	@scripts/format check

format: ## format every C file
	@scripts/setup format
	@scripts/format apply

clean: ## remove build/
	@rm -rf build

help: ## this list
	@echo "make TARGET [PREFIX=/usr/local] [JOBS=n] [BUILD_TYPE=Release]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16
