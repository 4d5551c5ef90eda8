#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of 600 lines and functions of 100 fail; from 400 and 60 on they are named, as
# diagnostics: which noun is missing there?
. "${top_srcdir:-.}/tests/lint-common.sh"

# sizes TREE FILE_LIMIT FUNCTION_LIMIT
sizes()
{
	(
		cd "$1" || exit
		lint_files . "$rooms tests" "c h sh awk" |
			xargs -r awk -v most="$2" -v most_function="$3" '
			function file_ends()
			{
				if (lines > most)
					print name ":1: " lines " lines"
			}
			FNR == 1 {
				file_ends()
				name = FILENAME
				start = 0
			}
			{ lines = FNR }
			/^\{/ { start = FNR }
			/^\}/ && start {
				if (FNR - start > most_function)
					print name ":" start ": function of " FNR - start " lines"
				start = 0
			}
			END { file_ends() }'
	)
}

too_big()
{
	sizes "$1" 600 100
}

plant_lines()
{
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "\tx;" }'
}

lint_tree too_big "no file above 600 lines, no function above 100"
tap_diag "worth a look:
$(sizes "$tree" 400 60)"

plant_new
plant_lines 601 | plant lib/long.c
{ echo "{" && plant_lines 100 && echo "}"; } | plant harness/env/function.c
lint_finds too_big '^lib/long\.c:1: 601 lines' "a long file"
lint_finds too_big '^harness/env/function\.c:1: ' "a long function"

plant_new
plant_lines 600 | plant lib/long.c
{ echo "{" && plant_lines 99 && echo "}" && echo "{" && plant_lines 50 && echo "}"; } |
	plant lib/function.c
lint_accepts too_big "what is just short enough"
tap_done
