#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of runs made by hand (tests/golden/cases.c) against what they looked like when
# somebody last looked: reports/examples/ for the first case, tests/golden/ for the others. After a
# change that is meant, in the build folder:
#
#   make tests/golden/render && top_srcdir=SOURCE tests/golden.sh --update
#
# and look at the difference before committing it.

top_srcdir=${top_srcdir:-.}
render=${top_builddir:-.}/tests/golden/render

if [ "${1-}" = --update ]; then
	"$render" --list | while read -r file case what format; do
		"$render" "$case" "$what" "$format" >"$top_srcdir/$file" || exit 1
	done
	exit
fi

. "$top_srcdir/tests/tap.sh"

[ -x "$render" ] || tap_skip_all "tests/golden/render was not built"
"$render" --list >"$tap_dir/list" || tap_bail "render --list failed"

while read -r file case what format; do
	if ! "$render" "$case" "$what" "$format" >"$tap_dir/got" 2>"$tap_dir/err"; then
		tap_not_ok "$file" "$(cat "$tap_dir/err")"
	elif [ ! -e "$top_srcdir/$file" ]; then
		tap_not_ok "$file" "no such example: tests/golden.sh --update"
	elif difference=$(diff -u "$top_srcdir/$file" "$tap_dir/got"); then
		tap_ok "$file"
	else
		tap_not_ok "$file" "$difference"
	fi
done <"$tap_dir/list"

# What no case renders any more.
(cd "$top_srcdir" && ls reports/examples/* tests/golden/*.text tests/golden/*.json) |
	while read -r file; do
		grep -q "^$file " "$tap_dir/list" || echo "$file"
	done >"$tap_dir/stale"
tap_is "$(cat "$tap_dir/stale")" "" "no example is left over"

for file in $(awk '$4 == "text" { print $1 }' "$tap_dir/list"); do
	LC_ALL=C awk -v file="$file" '
		length > 75 || /[^ -~]/ || / $/ || /^From / { print file ":" FNR ": " $0 }
	' "$top_srcdir/$file"
done >"$tap_dir/unfit"
tap_is "$(cat "$tap_dir/unfit")" "" "text is fit for a mail: ASCII, at most 75 columns"

# mistakes FILE...: one line per violation of the schema.
mistakes()
{
	python3 - "$top_srcdir/results/schema/comparison.schema.json" "$@" <<'PYTHON' 2>&1
import json
import sys

import jsonschema


def no_constant(text):
    raise ValueError("%s is no JSON" % text)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f, parse_constant=no_constant)


validator = jsonschema.Draft202012Validator(load(sys.argv[1]))
validator.check_schema(validator.schema)
for path in sys.argv[2:]:
    for error in validator.iter_errors(load(path)):
        where = "/".join(str(part) for part in error.absolute_path)
        print("%s: %s: %s" % (path, where, error.message[:200]))
PYTHON
}

if python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
	documents=$(awk '$3 == "comparison" && $4 == "json" { print $1 }' "$tap_dir/list")
	# shellcheck disable=SC2086 # names without blanks
	tap_is "$(cd "$top_srcdir" && top_srcdir=. && mistakes $documents)" "" \
		"the documents follow the schema"
	sed 's/"verdict": "IMPROVED"/"verdict": "FASTER"/' "$top_srcdir/reports/examples/comparison.json" \
		>"$tap_dir/broken.json"
	tap_match "$(mistakes "$tap_dir/broken.json")" FASTER "which knows the words of a verdict"
	sed '/"planned"/d' "$top_srcdir/reports/examples/comparison.json" >"$tap_dir/broken.json"
	tap_match "$(mistakes "$tap_dir/broken.json")" planned "and what must be there"
else
	tap_skip "the documents follow the schema" "no python3-jsonschema that knows draft 2020-12"
fi
tap_done
