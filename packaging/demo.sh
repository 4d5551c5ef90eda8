#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: demo.sh [FSDELTA]
#
# Does btrfs without its log tree change the cost of fsync, rename and unlink? Two arms
# on a file system in memory, then the comparison. Results go to ./fsdelta-results.
set -u

fsdelta=${1:-fsdelta}
results=./fsdelta-results
limit=170 # seconds for the measurement

[ "$(id -u)" -eq 0 ] || {
	echo "demo: measuring makes and mounts file systems: run it as root (sudo make demo)" >&2
	exit 1
}
command -v "$fsdelta" >/dev/null || {
	echo "demo: no program '$fsdelta'" >&2
	exit 1
}

say()
{
	printf '\n$ fsdelta'
	for word in "$@"; do
		printf ' %s' "$word"
	done
	printf '\n'
}

set -- run --arm default --arm notreelog:mount=notreelog \
	-w fsync-new,rename-replace,unlink-many,stress-utime -t btrfs --memory -n 6
say "$@"
timeout --foreground "$limit" "$fsdelta" "$@" </dev/null
ret=$?
if [ $ret -eq 124 ]; then
	echo "demo: stopped after $limit s; what was measured is in $results" >&2
elif [ $ret -ne 0 ]; then
	echo "demo: the run failed with status $ret" >&2
	exit 1
fi

set -- compare default notreelog
say "$@"
"$fsdelta" "$@"
ret=$?
# 1: something became slower, 3: nothing certain; both are answers.
case $ret in
0 | 1 | 3) ;;
*)
	echo "demo: the comparison failed with status $ret" >&2
	exit 1
	;;
esac

cat <<EOF

Everything measured, with the raw output of the tools, is in $results:
EOF
find "$results" -name result.json | sort | sed 's/^/  /'
cat <<EOF

To try next ($fsdelta):
  fsdelta compare default notreelog --format json
  fsdelta list
  fsdelta run --dry-run -w fsync-new -t ext4 --memory
EOF
