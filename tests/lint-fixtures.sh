#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every tool of the table has a captured output, tests/fixtures/TOOL-*, and metrics that are
# expected of it, tests/fixtures/TOOL-*.expected.
. "${top_srcdir:-.}/tests/lint-common.sh"

without_fixture()
{
	(
		cd "$1" || exit
		[ -f workloads/tools.c ] || exit 0
		grep -Eo '&tool_[a-z0-9_]+,' workloads/tools.c | sed 's/&tool_//; s/,//' |
			while read -r tool; do
				# The C name of stress-ng is stress_ng.
				pattern=$(echo "$tool" | tr _ '?')
				find tests/fixtures -name "$pattern-*.expected" 2>/dev/null |
					grep -q . ||
					echo "workloads/tools.c:1: no fixture with .expected for $tool"
			done
	)
}

lint_tree without_fixture "every tool has a fixture"

plant_new
plant workloads/tools.c <<'EOF'
const struct tool *const tools[] = {
	&tool_fio,
	&tool_new,
	&tool_old,
	&tool_stress_ng,
	NULL,
};
EOF
for file in fio-a.json fio-a.expected stress-ng-a.expected old-a.stdout new.expected; do
	plant tests/fixtures/$file </dev/null
done
tap_is "$(without_fixture "$planted")" \
	"workloads/tools.c:1: no fixture with .expected for new
workloads/tools.c:1: no fixture with .expected for old" \
	"notices a tool without a fixture, or with one of which nothing is expected"
tap_done
