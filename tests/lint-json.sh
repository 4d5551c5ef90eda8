#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Our own JSON is written and read in the store and written by the JSON reports; the output
# of other programs is parsed by their tool; the benchmark of reading reads it with json-c alone.
# Nothing else touches JSON.
. "${top_srcdir:-.}/tests/lint-common.sh"

write='json_object_to_(json_string[a-z_]*|file[a-z_]*|fd)|json_object_new_(object|array)[a-z_]*'
write="$write|json_set(_[a-z0-9]+)?"
read='json_tokener_parse[a-z_]*|json_object_from_[a-z]+|json_parse'
writers='^(lib/json\.[ch]|results/store[a-z-]*\.c|reports/json[a-z-]*\.c):'
readers='^(lib/json\.[ch]|results/store[a-z-]*\.c|workloads/tools/[a-z_-]+\.c|probes/bpftrace\.c|bench/bench-compare\.c):'

json()
{
	lint_code "$1" "$rooms" >"$tap_dir/code"
	grep -Ev "$writers" "$tap_dir/code" | lint_calls "$write" |
		sed 's/: .*/: writes JSON/'
	grep -Ev "$readers" "$tap_dir/code" | lint_calls "$read" |
		sed 's/: .*/: parses JSON/'
}

lint_tree json "JSON is read and written in its places only"

plant_new
plant harness/a.c <<'EOF'
	puts(json_object_to_json_string_ext(o, 0));
	o = json_tokener_parse(text);
EOF
plant workloads/tools/x.c <<'EOF'
	o = json_parse(text, len, NULL);
	json_set_str(o, "a", "b");
EOF
lint_finds json '^harness/a\.c:1: writes' "serialising in harness"
lint_finds json '^harness/a\.c:2: parses' "parsing in harness"
lint_finds json '^workloads/tools/x\.c:2: writes' "a tool that writes JSON"
tap_is "$(json "$planted" | grep -c '^workloads/tools/x.c:1:')" 0 "accepts a tool that parses"

plant_new
plant results/store-write.c <<'EOF'
	json_set_str(o, "a", "b");
	o = json_parse(text, len, NULL);
EOF
plant reports/text.c <<'EOF'
	s = json_get_str(o, "a");
EOF
lint_accepts json "the store, and looking at parsed values"
tap_done
