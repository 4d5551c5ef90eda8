# SPDX-License-Identifier: GPL-2.0-or-later
# Rules that end a run, one arm under two names, and what is said before a run: as they are used,
# with a stub that prints known numbers, in a folder, without root.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"

pipeline_install
work=$tap_dir/target
numbers=$tap_dir/numbers
mkdir "$work" "$numbers"
cd "$tap_dir" || exit 99

# A dbench whose throughput is the next number of a list, which starts again at its end, and
# half as much again where the next line of the order is 1.
stub dbench <<E2
case "\$*" in *--help*) echo "dbench version 4.00"; exit 0 ;; esac
n=\$(cat "$numbers/at" 2>/dev/null || echo 0)
echo \$((n + 1)) >"$numbers/at"
lines=\$(wc -l <"$numbers/list")
rate=\$(sed -n "\$((n % lines + 1))p" "$numbers/list")
[ "\$(sed -n "\$((n + 1))p" "$numbers/order")" != 1 ] || rate=\$((rate * 3 / 2))
sed "s/^Throughput [0-9.]* /Throughput \$rate /" "$fixtures/dbench-t5-2c.stdout"
E2
PATH=$tap_dir/stubs:$PATH
export PATH

job known <<'E2'
# Known numbers.
[job]
summary = for a test
tool = dbench
[params]
clients = 2
runtime = 5
E2
# list NUMBER...: what the stub gives, from the first one on.
list()
{
	rm -f "$numbers/at"
	printf '%s\n' "$@" >"$numbers/list"
	: >"$numbers/order"
}

# count LABEL: iterations in the newest result.
count()
{
	grep -c '"type":"iteration"' "$(newest "$1")/journal.jsonl"
}

# run OPTION...: of the known numbers.
run()
{
	tap_run "$fsdelta" run -t "dir:$work" -w known "$@"
}

tap_run "$fsdelta" help run
tap_is "$tap_status" 0 "help for a command"
tap_match "$tap_out" '--until-width PCT' "is that command's"
tap_run "$fsdelta" help nosuch
tap_is "$tap_status" 2 "there is none for what is no command"

# --- until the width ---

list 100
run --arm a --arm b --until-width 1%
tap_is "$tap_status" 0 "numbers without noise: a run until the width ends well"
tap_is "$(count a) $(count b)" "10 10" "after ten blocks, not before"
tap_match "$tap_err" 'ended after 10 iterations of each arm: the 95 % interval .* within \+-1 %' \
	"and says why"
tap_match "$tap_err" 'at most ' "what is left is a limit"
tap_run "$fsdelta" list results
tap_match "$tap_out" '10/40 +b ' "it is complete"
tap_run "$fsdelta" compare a b
tap_match "$tap_out" 'stopping +until the 95 % interval' "compare knows of the rule"
tap_match "$tap_out" '95% interval' "which leaves the level as it is"

# In no order that has to do with arms: scatter of some 30 per cent.
noisy="71 104 133 88 126 79 117 95 140 68 109 122 84 99 131 75 113"
# shellcheck disable=SC2086 # a list of words
list $noisy
run --arm a --arm b --until-width 1% -n 12
tap_is "$tap_status" 0 "noise: the budget ends it"
tap_is "$(count a) $(count b)" "12 12" "after as many blocks as were allowed"
tap_match "$tap_err" 'ended after all 12 .* still wider' "and says so"

# One of four has no number: ten blocks are fewer than ten values then.
list 100 100 100 x
run --arm a --arm b --until-width 1% -n 40
tap_is "$tap_status" 3 "iterations are lost"
tap_is "$([ "$(count a)" -gt 10 ] && echo more)" more "and others take their place"

# shellcheck disable=SC2086 # a list of words
list $noisy
run --arm a --arm b --until-width 1% --max-time 1s
tap_is "$tap_status" 0 "a limit of time ends it"
tap_match "$tap_err" 'ended after [0-9]+ iterations of each arm, since --max-time' "and says so"

# --- until it is decided ---

# order ARGUMENT...: in this plan, arm b does half as much again. A run of it tells the order.
order()
{
	list 100 101 102 103 104 105 106
	tap_run "$fsdelta" run -q -t "dir:$work" -w known -l order --seed 7 "$@"
	for arm in order.a order.b; do
		sed -n 's/.*"type":"iteration","seq":\([0-9]*\).*/\1/p' \
			"$(newest $arm)/journal.jsonl" | sed "s/\$/ ${arm#order.}/"
	done | sort -n | sed 's/.* a/0/; s/.* b/1/' >"$numbers/order"
	rm -f "$numbers/at"
}

order --arm a --arm b --until-decided
run --seed 7 --arm a --arm b --until-decided
tap_is "$tap_status" 0 "a clear difference: a run until it is decided ends well"
tap_is "$(count a) $(count b)" "8 8" "at the first look"
tap_match "$tap_err" 'ended at look 1, after 8 .* share of the level, 0.5 %' "and says so"
tap_match "$(cat "$(newest a)/journal.jsonl")" '"type":"stopped","why":"reached","units":8,"look":1' \
	"the look is stored"
tap_run "$fsdelta" compare --newest a b
tap_match "$tap_out" '99.5% interval' "compare judges at the share of that look"
tap_match "$tap_out" 'IMPROVED' "and finds the difference"
tap_run "$fsdelta" reparse a
tap_match "$(cat "$(newest a)/result.json")" '"why":"reached","units":8,"look":1' \
	"reparse keeps the look"

list 100
run --arm a --arm b --until-decided --looks 8,12
tap_is "$(count a)" 12 "no difference: the last look ends it"
tap_match "$tap_err" 'not every primary metric is decided' "and says so"
tap_run "$fsdelta" compare --newest a b
tap_match "$tap_out" 'look 2, after$|look 2, after 12' "compare names the last look"
tap_match "$tap_out" '96.7% interval' "whose level it takes"

list 100
"$fsdelta" run -q -t "dir:$work" -w known --arm a --arm b -l cut --until-decided \
	--looks 8,1000 2>"$tap_dir/err" &
pid=$!
enough()
{
	dir=$(newest cut.a)
	[ -n "$dir" ] && [ "$(grep -c '"type":"iteration"' "$dir/journal.jsonl")" -ge 9 ]
}
wait_until enough
kill -INT $pid
wait $pid
tap_is "$?" 130 "SIGINT ends such a run"
tap_run "$fsdelta" compare cut.a cut.b
tap_match "$(printf '%s' "$tap_out" | tr -s ' \n' '  ')" \
	'judged at the share of the next look not taken, 3.33 %' "judged at the next look's share"

tap_run "$fsdelta" run -t "dir:$work" -w known,unlink-many,utime,fsync-new --arm a --arm b \
	--until-decided --dry-run
tap_is "$tap_status" 2 "a first look that cannot end the run is refused"
tap_match "$tap_err" '--looks 12,20,40 leaves it out' "with what would do"

# --- one arm twice ---

list 100
run --aa -l same -n 6
tap_is "$tap_status" 0 "one arm twice"
tap_is "$(count same) $(count same-again)" "6 6" "under two names"
tap_match "$tap_err" 'A/A: 0 false alarms in ' "without false alarms where there is no noise"
tap_match "$tap_err" 'noise floor of known on dir:.*the largest change in 1 session' \
	"one session has a floor, and says what it is"
tap_run "$fsdelta" compare same same-again
tap_match "$tap_out" 'Both arms are the same' "compare knows what they are"

sessions=2
run --aa -q -l same -n 6
tap_match "$tap_err" "noise floor of known on dir:.*the largest change in $sessions sessions" \
	"sessions accumulate"
tap_run "$fsdelta" list noise
tap_match "$tap_out" 'known on dir:' "list noise names the cell"
tap_match "$tap_out" "\* [a-z.]+: [0-9.e+]+ %, the largest of $sessions sessions until" "and its floor"
tap_is "$(grep -c '"session":' "$FSDELTA_STORE/noise.json")" "$sessions" "every session is kept"

# As if they had all seen 3 %.
sed -i 's/"pct":[^,}]*/"pct":3.0/g' "$FSDELTA_STORE/noise.json"
order --arm a --arm b -n 10
run -q --seed 7 --arm a --arm b -n 10
tap_run "$fsdelta" compare --newest a b
floor=$(printf '%s' "$tap_out" | tr -s ' \n' '  ')
tap_match "$floor" "smallest effect 3 %: noise floor of an A/A on [0-9-]+, $sessions sessions" \
	"compare takes the floor for the smallest effect"
tap_run "$fsdelta" compare --newest --delta 0.5 a b
floor=$(printf '%s' "$tap_out" | tr -s ' \n' '  ')
tap_match "$floor" 'smallest effect 0.5 %: --delta wins over the 3 %' \
	"--delta wins, and says so"

echo '{"schema":"fsdelta-noise/2","sessions":[]}' >"$FSDELTA_STORE/noise.json"
tap_run "$fsdelta" compare --newest a b
tap_match "$tap_err" 'noise.json: its schema is' "noise of a newer program is not read"
run --aa -q -l same -n 6
tap_is "$tap_status" 2 "and not written over"
tap_is "$(cat "$FSDELTA_STORE/noise.json")" '{"schema":"fsdelta-noise/2","sessions":[]}' "it is as it was"

# --- before a run ---

tap_run "$fsdelta" run -t "dir:$work" -w known,fsync-new --arm a --arm b -n 10 --dry-run
tap_match "$tap_out" '# known on dir:.*: n = 10 can see a change of .* earlier runs' \
	"what a plan can see, from earlier runs"
tap_match "$tap_out" '# fsync-new on dir:.*: no earlier runs here' "or that it is not known"
tap_match "$tap_out" '# takes about [0-9.]+[smh], and what 1 of 2 ' "and how long it takes"
tap_run "$fsdelta" run -t "dir:$work" -w known,fsync-new --arm a --arm b --arm c -n 6 --dry-run
tap_is "$(printf '%s\n' "$tap_out" | grep -c '^# warning')" 0 "four tests with n = 6 can decide"
tap_run "$fsdelta" run -t "dir:$work" -w known,fsync-new,utime,unlink-many,rename-replace,rename-plain \
	--arm a --arm b -n 6 --dry-run
tap_match "$tap_out" '^# warning: 6 primary tests share .* p <= 0.0083, .* p = 0.0093 .* -n 7 would do' \
	"six cannot, and it is said"

tap_done
