#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing is forgotten in the build: sources, tests, manual pages and jobs are listed, and
# the packages hold every library that configure asks for.
. "${top_srcdir:-.}/tests/lint-common.sh"

# Every file that the build must name, by its path, in Makefile.am or a Makemodule.am.
unlisted()
{
	(
		cd "$1" || exit
		find . -name '*.am' -not -path './.git/*' -exec cat {} + |
			sed 's/#.*//' | tr -s ' \t\\' '\n' | sort -u >"$tap_dir/listed"
		{
			lint_files . "$rooms tests" "c h job bt"
			lint_files . "tests packaging" "sh"
			lint_files . man "[1-9]"
		} | grep -v '^tests/fixtures/' | while read -r file; do
			# A program is the list entry of its only source.
			grep -Fqx -e "$file" -e "${file%.c}" "$tap_dir/listed" || echo "$file:1: not in the build"
		done
	)
}

# Libraries in configure.ac without a package.
unpackaged()
{
	sed -n 's/^PKG_CHECK_MODULES(\[[A-Z]*\], \[\([a-z-]*\).*/\1/p' "$1/configure.ac" |
		while read -r module; do
			grep -Eq "^(build|test) .* pc:$module " "$1/packaging/packages.txt" ||
				echo "configure.ac:1: no package for $module"
		done
}

lint_tree unlisted "every source, test, page and job is in the build"
lint_tree unpackaged "every library has its package"

plant_new
plant configure.ac <<'EOF'
PKG_CHECK_MODULES([JSON], [json-c >= 0.16])
PKG_CHECK_MODULES([NEW], [new-thing])
EOF
plant packaging/packages.txt <<'EOF'
build libjson-c-dev pc:json-c # results
EOF
plant lib/Makemodule.am <<'EOF'
x_SOURCES = lib/a.c \
	lib/a.h
EOF
for file in lib/a.c lib/a.h lib/aa.c tests/new.sh man/new.1 workloads/new.job; do
	plant "$file" </dev/null
done
lint_finds unpackaged '^configure\.ac:1: no package for new-thing$' "a library without package"
tap_is "$(unpackaged "$planted" | wc -l)" 1 "accepts a library with its package"
tap_is "$(unlisted "$planted")" "lib/aa.c:1: not in the build
workloads/new.job:1: not in the build
tests/new.sh:1: not in the build
man/new.1:1: not in the build" "notices a new source, job, test and manual page"
tap_done
