#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processor time of `fsdelta stats` on two files of N numbers, against what else compares such
# files here: ministat, and wilcox.test of R. Best of several runs each; a ratio below 1 means
# that fsdelta is faster.
#
#   bench/bench-stats.sh [N [RUNS]]     default 1000000 and 5
#
# $FSDELTA: the program; default ./fsdelta.

set -u
n=${1:-1000000}
runs=${2:-5}
fsdelta=${FSDELTA:-./fsdelta}

dir=$(mktemp -d "${TMPDIR:-/tmp}/fsdelta-bench.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# numbers SEED MEAN: N values about MEAN, deviation 3, the same in each run.
numbers()
{
	awk -v n="$n" -v seed="$1" -v mean="$2" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			bell = -6
			for (j = 0; j < 12; j++)
				bell += rand()
			printf "%.4f\n", mean + 3 * bell
		}
	}'
}

# processor_ms COMMAND...: user and system time, the least of the runs.
processor_ms()
{
	i=0
	while [ "$i" -lt "$runs" ]; do
		# The second line of times is about the children.
		("$@" >/dev/null 2>"$dir/err" && times) || echo failed
		i=$((i + 1))
	done | awk '
		/failed/ { bad = 1 }
		$1 ~ /m.*s$/ && ++lines % 2 == 0 {
			split($1, user, "m")
			split($2, sys, "m")
			ms = 1000 * (60 * (user[1] + sys[1]) + user[2] + sys[2])
			if (best == "" || ms < best)
				best = ms
		}
		END { print bad || best == "" ? "-" : best }'
}

# report NAME COMMAND...
report()
{
	name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		printf '%-16s %10s %8s\n' "$name" "not here" -
		return
	fi
	ms=$(processor_ms "$@")
	awk -v name="$name" -v ms="$ms" -v ours="$ours" 'BEGIN {
		printf "%-16s %10s %8s\n", name, ms == "-" ? "failed" : sprintf("%.0f ms", ms),
			ms == "-" || ms == 0 ? "-" : sprintf("%.2f", ours / ms)
	}'
}

numbers 1 100 >"$dir/a"
numbers 2 99.5 >"$dir/b"
ours=$(processor_ms "$fsdelta" stats "$dir/a" "$dir/b")
if [ "$ours" = - ]; then
	cat "$dir/err" >&2
	exit 2
fi

echo "two files of $n numbers, best of $runs runs"
printf '%-16s %10s %8s\n' program time ratio
report fsdelta "$fsdelta" stats "$dir/a" "$dir/b"
report ministat ministat "$dir/a" "$dir/b"
report R Rscript --vanilla -e "a <- scan('$dir/a', quiet = TRUE); b <- scan('$dir/b', quiet = TRUE)
	wilcox.test(b, a, conf.int = length(a) < 5000)"
if [ -x /usr/bin/time ]; then
	/usr/bin/time -f %M -o "$dir/kb" "$fsdelta" stats "$dir/a" "$dir/b" >/dev/null
	awk -v n="$n" '{ printf "fsdelta: at most %.0f bytes a number\n", 1024 * $1 / (2 * n) }' \
		"$dir/kb"
fi
