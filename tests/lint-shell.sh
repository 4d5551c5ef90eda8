#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Our shell scripts: shellcheck finds nothing to warn of.
. "${top_srcdir:-.}/tests/lint-common.sh"

scripts()
{
	(
		cd "$1" || exit
		# shellcheck disable=SC2046 # names without blanks
		set -- $(lint_files . "$rooms tests packaging" sh)
		[ ! -f .ci/run ] || set -- "$@" .ci/run
		[ $# -eq 0 ] || shellcheck -S warning -f gcc -e SC1090,SC1091,SC2034,SC2148,SC2154 "$@"
		true
	)
}

command -v shellcheck >/dev/null || tap_skip_all "no shellcheck here"

lint_tree scripts "shellcheck is content"

plant_new
plant packaging/a.sh <<'EOF'
#!/bin/sh
cd $1
EOF
lint_finds scripts '^packaging/a\.sh:2:' "a cd that may fail"
tap_done
