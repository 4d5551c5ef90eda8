# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sourced by the lints. A lint is a function that takes a source tree and prints one
# line per violation ("file:line: what"); it is tried on this tree, and on small trees with
# a violation planted in them, since a lint that cannot fail is worthless.

. "${top_srcdir:-.}/tests/tap.sh"

tree=$(cd "${top_srcdir:-.}" && pwd) || exit 99
# shellcheck disable=SC2034 # for the lints
rooms="lib results workloads probes reports harness bench"

# lint_tree LINT DESC: this tree has no violation.
lint_tree()
{
	found=$("$1" "$tree") || tap_bail "$1 failed"
	if [ -z "$found" ]; then
		tap_ok "$2"
	else
		tap_not_ok "$2" "$found"
	fi
}

# plant FILE: adds a file, read from standard input, to the tree $planted.
plant()
{
	mkdir -p "$(dirname "$planted/$1")" && cat >"$planted/$1"
}

# plant_new: starts an empty tree $planted.
plant_new()
{
	planted=$tap_dir/planted
	rm -rf "$planted"
	mkdir -p "$planted"
}

# lint_finds LINT REGEX DESC: the planted tree has a violation that REGEX matches.
lint_finds()
{
	tap_match "$("$1" "$planted")" "$2" "notices $3"
}

# lint_accepts LINT DESC: the planted tree has none.
lint_accepts()
{
	tap_is "$("$1" "$planted")" "" "accepts $2"
}

# lint_files TREE FOLDERS EXTENSIONS: the names, relative to TREE, one a line, of files
# below the folders with one of the extensions; folders that do not exist are ignored.
lint_files()
{
	(
		cd "$1" || exit
		for folder in $2; do
			for ext in $3; do
				[ ! -d "$folder" ] || find "$folder" -type f -name "*.$ext"
			done
		done | sort
	)
}

# lint_code TREE FOLDERS: the C code below FOLDERS as "file:line: code", without comments
# and with empty strings.
lint_code()
{
	(
		cd "$1" || exit
		# shellcheck disable=SC2046 # names without blanks
		set -- $(lint_files . "$2" "c h")
		[ $# -eq 0 ] || awk '
			FNR == 1 { comment = 0 }
			{
				line = $0
				code = ""
				while (line != "") {
					if (comment) {
						end = index(line, "*/")
						if (!end)
							break
						line = substr(line, end + 2)
						comment = 0
					} else if (match(line, /^\/\//)) {
						break
					} else if (match(line, /^\/\*/)) {
						line = substr(line, 3)
						comment = 1
					} else if (match(line, /^"([^"\\]|\\.)*"/)) {
						code = code "\"\""
						line = substr(line, RLENGTH + 1)
					} else if (match(line, /^\047([^\047\\]|\\.)+\047/)) {
						code = code "0"
						line = substr(line, RLENGTH + 1)
					} else if (match(line, /^[^"\047\/]+/)) {
						code = code substr(line, 1, RLENGTH)
						line = substr(line, RLENGTH + 1)
					} else {
						code = code substr(line, 1, 1)
						line = substr(line, 2)
					}
				}
				if (code ~ /[^ \t]/)
					print FILENAME ":" FNR ": " code
			}' "$@"
	)
}

# lint_calls NAMES: filters the output of lint_code to the lines that call or take one of the
# functions (extended regular expression), not members of that name.
lint_calls()
{
	grep -E "^[^:]+:[0-9]+: (.*[^A-Za-z0-9_.>])?($1)[ 	]*[(]" || :
}
