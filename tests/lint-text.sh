#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the text of the project must not hold: names of folders of somebody's machine, blanks
# at the end of lines, tabs in manual pages, files without a licence, wrong spelling.
. "${top_srcdir:-.}/tests/lint-common.sh"

# Text written by people: no captured or generated data, no build products.
text_files()
{
	(
		cd "$1" || exit
		# shellcheck disable=SC2086 # room names
		{
			find . -maxdepth 1 -type f \( -name '*.md' -o -name 'NEWS*' \
				-o -name 'HACKING*' -o -name configure.ac \
				-o -name Makefile.am -o -name GNUmakefile -o -name .gitignore \)
			for folder in $rooms man packaging tests m4 .ci doc; do
				[ ! -d "$folder" ] || find "$folder" -type f
			done
		} | sed 's,^\./,,' |
			grep -Ev '^tests/(fixtures|vectors|expected|golden)/|\.(o|a|log|trs|Po)$' |
			grep -Ev '(^|/)(\.deps|\.dirstamp|results-data)(/|$)' | sort |
			while read -r file; do
				grep -Iq . "$file" && echo "$file"
			done
	)
}

# grep_text TREE REGEX WHAT
grep_text()
{
	text_files "$1" | (cd "$1" && xargs -r grep -HnE -e "$2") | cut -d: -f1,2 |
		sed "s/\$/: $3/"
}

# Written so that the lint does not find itself.
places='(^|[^A-Za-z0-9_.$})])/(wor[k]/[a-z]+|hom[e]/[a-z]+|roo[t])[^A-Za-z0-9]'
fixed='(^|[^A-Za-z0-9_.$})])/(tm[p]|var/tm[p])/[A-Za-z0-9]'

machine_paths()
{
	grep_text "$1" "$places" "folder of some machine"
	grep_text "$1" "$fixed" "temporary folder without TMPDIR" | sed -nE '/\.(c|h|sh):/p'
}

trailing_blanks()
{
	grep_text "$1" '[ 	]+$' "blank at the end of the line"
}

man_tabs()
{
	(
		cd "$1" || exit
		[ ! -d man ] || find man -name '*.[1-9]' -exec grep -Hn '	' {} + |
			cut -d: -f1,2 | sed 's/$/: tab in a manual page/'
	)
}

licences()
{
	text_files "$1" | grep -E '\.(c|h|sh|am|m4|bt|awk)$|(^|/)(GNUmakefile|configure\.ac|run)$' |
		while read -r file; do
			head -n 3 "$1/$file" |
				grep -q 'SPDX-License-Identifier: GPL-2\.0-or-later' ||
				echo "$file:1: no SPDX-License-Identifier"
		done
}

spelling()
{
	# Its status says that it found something.
	text_files "$1" | (cd "$1" && xargs -r codespell -q 3 -L "$words" || :)
}

# Right words that codespell takes for wrong ones.
words='fils,fo,nd,parms,upto'

lint_tree machine_paths "no folder of somebody's machine"
lint_tree trailing_blanks "no blanks at the end of lines"
lint_tree man_tabs "no tabs in manual pages"
lint_tree licences "every source names its licence"

plant_new
printf 'int x;\nchar *s = "/%s/me/x";\n' home | plant lib/a.c
printf 'see /%s/main.\n' work | plant README.md
printf 'cd /%s/x\n' tmp | plant tests/c.sh
printf 'text \n' | plant doc/b.md
printf '.Bl\n.It a\tb\n' | plant man/fsdelta.1
lint_finds machine_paths '^lib/a\.c:2: ' "a home folder"
lint_finds machine_paths '^README\.md:1: ' "a folder in the README"
lint_finds machine_paths '^tests/c\.sh:1: ' "a fixed temporary folder"
lint_finds trailing_blanks '^doc/b\.md:1: ' "a blank at the end"
lint_finds man_tabs '^man/fsdelta\.1:2: ' "a tab in a manual page"
lint_finds licences '^lib/a\.c:1: ' "a source without a licence"

if command -v codespell >/dev/null; then
	lint_tree spelling "spelling"
	plant_new
	printf 'Read %s first.\n' te''h | plant README.md
	lint_finds spelling 'README\.md:1:' "a wrong word"
else
	tap_skip "spelling" "no codespell here"
fi
tap_done
