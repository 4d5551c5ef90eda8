#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each fuzz target survives its seeds, cut and changed in many ways (tests/fuzz/replay.c). The
# seeds: the jobs, the examples of results, the captured output of tools, patches.
. "${top_srcdir:-.}/tests/tap.sh"

for program in "${top_builddir:-.}"/tests/fuzz/fuzz-*; do
	[ -x "$program" ] && [ -f "$program" ] || continue
	name=${program##*/fuzz-}
	case $name in
	job) set -- "${top_srcdir:-.}"/workloads/*.job ;;
	patch) set -- "${top_srcdir:-.}"/tests/vectors/patches/*.patch ;;
	store) set -- "${top_srcdir:-.}"/results/examples/* ;;
	tools) set -- "${top_srcdir:-.}"/tests/fixtures/* ;;
	*) set -- "${top_srcdir:-.}/tests/fixtures/$name"-* ;;
	esac
	if [ ! -f "$1" ]; then
		tap_not_ok "$name: has seeds" "none of $*"
		continue
	fi
	tap_run "$program" "$@"
	if [ "$tap_status" -eq 0 ]; then
		tap_ok "$name: survives $# seeds"
	else
		tap_not_ok "$name: survives $# seeds" "status $tap_status after
$(tail -n 5 "$tap_dir/.out")
$(tail -n 40 "$tap_dir/.err")"
	fi
done
[ "$tap_n" -gt 0 ] || tap_bail "no fuzz target is built"
tap_done
