#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fsdelta probe, from the command line: functions of a patch, probes, scripts.
. "${top_srcdir:-.}/tests/tap.sh"

fsdelta=${top_builddir:-.}/fsdelta
patches=$(cd "${top_srcdir:-.}/tests/vectors/patches" && pwd) || tap_bail "no patches"
[ -x "$fsdelta" ] || tap_bail "fsdelta is not built"

# The tree is one text: "==> PATH" begins a file.
mkdir -p "$tap_dir/tree/fs/demo"
awk -v dir="$tap_dir/tree/" '/^==> / { file = dir $2; next } { print >file }' "$patches/tree.txt"

tap_run "$fsdelta" probe --patch "$patches/rename-function.patch" --tree "$tap_dir/tree"
tap_is "$tap_status" 0 "a patch with its tree"
tap_is "$tap_out" "fs/demo/inode.c:
  demo_after_short                     changed
  demo_short                           removed
  demo_tiny                            new" "its functions"

tap_run "$fsdelta" probe --patch "$patches/inline.patch" --tree "$tap_dir/tree"
tap_match "$tap_out" 'demo_generation +changed inline function' "an inline function"
tap_match "$tap_out" 'used by demo_dirty$' "who uses it"
tap_match "$tap_out" 'Only functions can be probed by name' "what that means"

tap_run "$fsdelta" probe --patch "$patches/wrong-header.patch"
tap_match "$tap_out" 'demo_after_short +changed \(a guess\)' "without a tree: a guess"

tap_run "$fsdelta" probe --patch "$patches/other-tree.patch" --tree "$tap_dir/tree"
tap_match "$tap_err" 'warning: fs/other/commit.c: not in this tree' "a patch to another tree"

tap_run "$fsdelta" probe --patch "$patches/comments.patch" --tree "$tap_dir/tree"
tap_is "$tap_status" 2 "comments touch no function"
tap_match "$tap_err" 'touches no function' "... and it says so"

tap_run "$fsdelta" probe --patch "$patches/tree.txt"
tap_is "$tap_status" 2 "no patch"
tap_match "$tap_err" 'no patch in it' "... and it says so"

tap_run sh -c "'$fsdelta' probe --patch - <'$patches/macro.patch'"
tap_match "$tap_out" 'DEMO_ROUND +changed macro' "a patch from standard input"

tap_run "$fsdelta" probe --check fsdelta_no_such_function
tap_is "$tap_status" 3 "a function that is not there cannot be counted"
tap_match "$tap_out" '^fsdelta_no_such_function: ' "... and it says why"

tap_run "$fsdelta" probe --script fsdelta_no_such_function
tap_is "$tap_status" 2 "no script without a function"

tap_run "$fsdelta" probe fsync-latency
tap_is "$tap_status" 0 "explains a probe"
tap_match "$tap_out" 'fsync\.time +ns +lower' "... with its metrics"
tap_run "$fsdelta" probe no-such-probe
tap_is "$tap_status" 2 "an unknown probe"

for wrong in "" "--check" "--tree x f" "--check --script f" "a b" "--stacks --check f" \
	"--patch x --cgroup 5" "--script --cgroup x f"; do
	# shellcheck disable=SC2086 # words
	tap_run "$fsdelta" probe $wrong
	tap_is "$tap_status" 2 "refuses: probe $wrong"
done

tap_run "$fsdelta" list probes
tap_is "$tap_status" 0 "lists probes"
tap_is "$(printf '%s\n' "$tap_out" | wc -l)" "$(find "${top_srcdir:-.}/probes" -name '*.bt' | wc -l)" \
	"... all of them"
tap_done
