#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: summary.sh BUILD_DIR
#
# What did not pass in the last test run in BUILD_DIR, with reasons, and the totals. Fails
# when something failed or nothing was run.
set -u

[ -d "${1:?}/tests" ] || exit 1
cd "$1" || exit 1

# The driver repeats in each log the line that it printed.
find tests -name '*.log' | sort | while read -r log; do
	awk -v name="${log%.log}" '
		/^(FAIL|ERROR|XPASS|SKIP): / && index($2, name) == 1' "$log"
done

find tests -name '*.trs' -exec cat {} + | awk '
	$1 == ":test-result:" {
		n++
		if ($2 == "PASS" || $2 == "XFAIL")
			passed++
		else if ($2 == "SKIP")
			skipped++
		else
			failed++
	}
	END {
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0 || n == 0
	}'
