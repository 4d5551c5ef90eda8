#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Results follow results/schema/result.schema.json: the old examples, and what the store
# writes now. The schema is tried on broken results, too.
. "${top_srcdir:-.}/tests/tap.sh"

schema=${top_srcdir:-.}/results/schema/result.schema.json
noise_schema=${top_srcdir:-.}/results/schema/noise.schema.json
examples=${top_srcdir:-.}/results/examples
store=${top_builddir:-.}/tests/unit/test-store

command -v python3 >/dev/null || tap_skip_all "no python3 here"
python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null ||
	tap_skip_all "no python3-jsonschema here that knows draft 2020-12"

cat >"$tap_dir/check.py" <<'PYTHON'
"""check.py SCHEMA FILE...: one line per mistake. A journal's last line may be cut."""
import json
import sys

import jsonschema


def no_constant(text):
    raise ValueError("%s is no JSON" % text)


def load(text):
    return json.loads(text, parse_constant=no_constant)


def documents(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not path.endswith(".jsonl"):
        return [load(text)]
    return [load(line) for line in text.split("\n")[:-1]]


schema = load(open(sys.argv[1], encoding="utf-8").read())
jsonschema.Draft202012Validator.check_schema(schema)
line = {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": "#/$defs/line"}
for path in sys.argv[2:]:
    use = line if path.endswith(".jsonl") else schema
    validator = jsonschema.Draft202012Validator(use)
    try:
        found = documents(path)
    except ValueError as e:
        print("%s: %s" % (path, e))
        continue
    if not found:
        print("%s: nothing in it" % path)
    for document in found:
        for error in validator.iter_errors(document):
            where = "/".join(str(part) for part in error.absolute_path)
            print("%s: %s: %s" % (path, where, error.message[:200]))
PYTHON

check()
{
	python3 "$tap_dir/check.py" "$schema" "$@" 2>&1
}

check_noise()
{
	python3 "$tap_dir/check.py" "$noise_schema" "$@" 2>&1
}

results=$(find "$examples" -name '*.json*' ! -name 'noise*')
# shellcheck disable=SC2086 # names without blanks
tap_is "$(check $results)" "" "the examples"
tap_is "$(check_noise "$examples"/noise*.json)" "" "the examples of noise"
for change in 's,fsdelta-noise/1,fsdelta-noise/2,' 's/"pct":[-0-9.]*/"pct":null/' \
	's/"units":10/"units":-1/' 's/"digest":"[^"]*",//' 's/"primary":true/"primary":1/'; do
	sed "$change" "$examples/noise.json" >"$tap_dir/noise.json"
	if [ -n "$(check_noise "$tap_dir/noise.json")" ]; then
		tap_ok "refuses noise after $change"
	else
		tap_not_ok "refuses noise after $change"
	fi
done

if [ -x "$store" ]; then
	mkdir "$tap_dir/kept"
	FSDELTA_TEST_KEEP=$tap_dir/kept "$store" >"$tap_dir/log" 2>&1 ||
		tap_not_ok "test-store" "$(cat "$tap_dir/log")"
	set -- "$tap_dir"/kept/*-result.json
	tap_is "$(check "$@")" "" "results that are written now"
	tap_is "$([ $# -ge 10 ] && echo many)" many "there are many of them"
	tap_is "$(check "$tap_dir"/kept/*-journal.jsonl)" "" "journals that are written now"
else
	tap_skip "results that are written now" "test-store was not built"
fi

reach=$(python3 "$tap_dir/check.py" "${top_srcdir:-.}/results/schema/reach.schema.json" \
	"${top_srcdir:-.}/tests/fixtures/reach-example.json" 2>&1)
tap_is "$reach" "" "the example of reach"
sed 's/"reason":"no[^"]*"/"reason":null/' "${top_srcdir:-.}/tests/fixtures/reach-example.json" \
	>"$tap_dir/reach.json"
tap_match "$(python3 "$tap_dir/check.py" "${top_srcdir:-.}/results/schema/reach.schema.json" \
	"$tap_dir/reach.json" 2>&1)" 'reason' "refuses unknown hits without a reason"

# broken SED DESC: makes a file of the first example, changed.
broken()
{
	n=$((n + 1))
	echo "$2" >"$tap_dir/broken/$n.what"
	sed "$1" "$examples/fsync-new.json" >"$tap_dir/broken/$n.json"
}

n=0
mkdir "$tap_dir/broken"
broken 's,fsdelta-result/1,fsdelta-result/2,' "another version"
broken '/^"label":/d' "a missing label"
broken 's/"seed":[0-9]*/"seed":"x"/' "a seed that is no number"
broken 's/"planned":4/"planned":-4/' "a negative count"
broken 's/"planned":4/"planned":18446744073709551616/' "a count of more than 64 bits"
broken 's/"better":"higher"/"better":"up"/' "an unknown direction"
broken 's/"kind":"quantile"/"kind":"p99"/' "an unknown kind"
broken 's/"outcome":"OK"/"outcome":"PASS"/' "an unknown outcome"
broken 's/"outcome":"OK","reason":null/"outcome":"FAILED","reason":"x"/' "samples of a failure"
broken 's/"fsync.rate":[0-9.]*/"fsync.rate":NaN/' "a number that is not finite"
broken 's/"fsync.rate":[0-9.]*/"fsync.rate":"1"/' "a number in quotes"
broken 's/"buckets":\[\[[0-9]*/"buckets":[[3776/' "a bucket that does not exist"
broken 's/"min":[0-9]*,//' "a histogram without its minimum"
broken 's/"complete":true/"complete":"yes"/' "an end that is not said"
broken 's/"complete":true/"complete":true,"stopped":{"why":"tired","units":1}/' "an unknown end"
broken 's/^"settings":/"stopping":{"rule":"width","first":10,"most":40},&/' "a rule in part"
broken 's/^"settings":/"stopping":{"rule":"decided","looks":[]},&/' "a rule without looks"
broken 's/"iterations":\[/"iteration":[/' "a result without iterations"

check "$tap_dir"/broken/*.json >"$tap_dir/log"
for file in "$tap_dir"/broken/*.json; do
	what=$(cat "${file%.json}.what")
	if cmp -s "$examples/fsync-new.json" "$file"; then
		tap_not_ok "refuses $what" "the example was not changed"
	elif grep -qF "$file: " "$tap_dir/log"; then
		tap_ok "refuses $what"
	else
		tap_not_ok "refuses $what"
	fi
done
tap_done
