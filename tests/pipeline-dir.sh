# SPDX-License-Identifier: GPL-2.0-or-later
# The whole way through as an ordinary user: stub tools on PATH, a folder as target.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"

if [ "$(id -u)" -eq 0 ] && [ -z "${PIPELINE_USER-}" ]; then
	command -v setpriv >/dev/null || tap_skip_all "setpriv is not here (package util-linux)"
	mkdir "$tap_dir/home"
	# The test itself has to be readable for the other user too.
	cp -r "$top_srcdir/tests" "$tap_dir/home/tests" || tap_bail "no room"
	pipeline_install
	cp -r "$inst" "$tap_dir/home/built"
	chmod -R a+rwX "$tap_dir/home"
	chmod a+rx "$tap_dir"
	(
		cd "$tap_dir/home" || exit 99
		mkdir -p src/tests bin/workloads/native src/workloads
		mv tests/* src/tests/
		cp built/fsdelta bin/ && cp built/libexec/* bin/workloads/native/
		cp built/workloads/* src/workloads/
		chmod -R a+rX src bin
		top_srcdir=$PWD/src top_builddir=$PWD/bin PIPELINE_USER=1 TMPDIR=$PWD HOME=$PWD \
			setpriv --reuid=65534 --regid=65534 --clear-groups \
			sh src/tests/pipeline-dir.sh
	)
	exit $?
fi

pipeline_install
work=$tap_dir/target
mkdir "$work"
cd "$tap_dir" || exit 99

stub dbench <<E2
cat "$fixtures/dbench-t5-2c.stdout"
E2
stub fio <<E2
case "\$*" in *--version*) echo fio-3.33; exit 0 ;; esac
for a in "\$@"; do
	case \$a in --output=*) cp "$fixtures/fio-fsync.json" "\${a#--output=}" ;; esac
done
E2
PATH=$tap_dir/stubs:$PATH
export PATH

job stub-dbench <<'E2'
# A stub.
[job]
summary = for a test
tool = dbench
[params]
clients = 2
runtime = 5
E2
job stub-fio <<'E2'
# A stub.
[job]
summary = for a test
tool = fio
[params]
rw = write
bs = 4k
size = 8m
fsync = 1
E2
job quick <<'E2'
# A native workload in its smallest form.
[job]
summary = for a test
tool = native
[params]
program = fsync-new
files = 50
E2
job fails <<'E2'
# Says that it failed.
[job]
summary = for a test
tool = command
[params]
argv = false
E2
# Nobody else waits for so long: what does is found by it.
long=$((1000000 + $$))
job straggler <<E2
# Leaves a process behind.
[job]
summary = for a test
tool = command
[params]
argv = sh -c 'setsid sleep $long & echo \$! > {out}/pid'
E2
job hang <<E2
# Never ends.
[job]
summary = for a test
tool = command
timeout = 1s
[params]
argv = sleep $long
E2

tap_run "$fsdelta" run -q -w stub-dbench,stub-fio,quick -t "dir:$work" -n 3 --arm a --arm b
tap_is "$tap_status" 0 "a run of two arms on a folder succeeds"
[ "$tap_status" -eq 0 ] || tap_diag "$tap_err"
tap_is "$(ls -A "$work")" "" "the folder is left empty"
a=$(newest a)
tap_is "$(grep -c '"type":"iteration"' "$a/journal.jsonl")" 9 \
	"the journal has a line for each iteration"
tap_is "$(find "$a/raw" -name facts | wc -l)" 9 "raw output of every iteration is kept"
if [ -e "$a/stage" ]; then
	tap_not_ok "no staging folder is left"
else
	tap_ok "no staging folder is left"
fi
tap_run "$fsdelta" compare a b
tap_is "$tap_status" 3 "compare does not judge three iterations"
tap_match "$tap_out" 'UNTESTABLE' "and says so"
tap_match "$tap_out" 'quick on dir:' "compare has a table for the native workload"
tap_match "$tap_out" '100 \* \(B - A\) / A' "compare prints the formula"
tap_is "$(printf '%s\n' "$tap_out" | awk 'length > 75' | head -n 3)" "" \
	"no line is longer than 75 columns"
tap_is "$(printf '%s\n' "$tap_out" | LC_ALL=C grep -c '[^ -~]')" 0 "all of it is plain ASCII"
tap_run "$fsdelta" compare a b --format json
tap_match "$tap_out" '"schema": *"fsdelta-comparison/1"' "compare --format json names its schema"
tap_run "$fsdelta" compare a a
tap_is "$tap_status" 2 "compare refuses a label twice"
tap_match "$tap_err" 'not compared with itself' "and says why"
tap_run "$fsdelta" show a
tap_is "$tap_status" 0 "show succeeds"

before=$(cat "$a/result.json")
tap_run "$fsdelta" reparse a
tap_is "$tap_status" 0 "reparse succeeds"
tap_is "$(cat "$a/result.json")" "$before" "reparse gives the same result from the raw output"

# A parser fix is stood in for by better raw output.
cp "$fixtures/dbench-enospc.stdout" "$(grep -l '^workload=stub-dbench' "$a"/raw/*/facts |
	head -n 1 | xargs dirname)/stdout"
tap_run "$fsdelta" reparse a
tap_is "$tap_status" 3 "reparse notices output that cannot be believed"

tap_run "$fsdelta" run -q -w fails,quick -t "dir:$work" -n 2 -l bad
tap_is "$tap_status" 3 "a workload that fails gives exit status 3"
tap_run "$fsdelta" show bad
tap_match "$tap_out" 'FAILED' "and is shown as FAILED"
tap_match "$tap_out" 'quick on dir:' "without losing the other workload"

tap_run "$fsdelta" run -q -w straggler -t "dir:$work" -n 1 -l straggler
pid=$(cat "$(newest straggler)"/raw/*/pid 2>/dev/null)
if [ -z "$pid" ]; then
	tap_not_ok "a straggler was started" "$tap_err"
elif pgrep -f "sleep $long" >/dev/null; then
	tap_not_ok "a process that left its session is gone after the iteration"
else
	tap_ok "a process that left its session is gone after the iteration"
fi

tap_run "$fsdelta" run -q -w hang -t "dir:$work" -n 1 -l hang
tap_is "$tap_status" 3 "a workload that hangs gives exit status 3"
tap_run "$fsdelta" show hang
tap_match "$tap_out" 'TIMEOUT' "and is shown as TIMEOUT"

tap_run "$fsdelta" run -w quick -t "dir:$work" --dry-run
tap_is "$tap_status" 0 "--dry-run succeeds"
tap_match "$tap_out" 'libexec/fsync-new .*--files' "and prints the command"
tap_is "$(ls -A "$work")" "" "and leaves the folder alone"

tap_run "$fsdelta" run -w quick -t "dir:$work" -n 1 --governor nosuch --dry-run
tap_is "$tap_status" 2 "a governor that this machine does not have is refused"
tap_match "$tap_err" '--governor: (this machine has no cpufreq|cpu0 has no governor nosuch .available)' \
	"with the reason"

tap_run "$fsdelta" run -w nosuch,quick -t "dir:$tap_dir/missing",zfs -n 1 --mount x --size 1
tap_is "$tap_status" 2 "a plan with mistakes gives exit status 2"
tap_match "$tap_err" 'nosuch' "the missing workload is named"
tap_match "$tap_err" 'missing: No such file' "the missing folder is named"
tap_match "$tap_err" 'zfs: unknown' "the unknown target is named, all at once"

# Every command that is listed explains itself, in a terminal of 80 columns.
commands=$("$fsdelta" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
tap_match "$commands" '^explain-percent$' "--help lists the commands"
tap_match "$commands" '^vm$' "the last one too"
for name in '' $commands; do
	# shellcheck disable=SC2086 # no name is no word
	tap_run "$fsdelta" $name --help
	tap_is "$tap_status$(printf '%s\n' "$tap_out" | awk 'length > 80')" 0 \
		"${name:-fsdelta} --help fits the terminal"
done

for name in ../a -x /etc/passwd; do
	tap_run "$fsdelta" show -- "$name"
	tap_is "$tap_status" 2 "a result called $name is refused"
done

cat >fsdelta.conf <<E2
[run]
workload = quick
target = dir:$work
iterations = 2
[arm one]
[arm two]
E2
tap_run "$fsdelta" run -q
tap_is "$tap_status" 0 "a plan in ./fsdelta.conf is run"
tap_is "$(grep -c '"type":"iteration"' "$(newest two)/journal.jsonl")" 2 "with its arms"
# The same plan again is more of the same analysis, where the machine can be told.
tap_run "$fsdelta" run -q
tap_run "$fsdelta" compare one two
if [ -s /etc/machine-id ]; then
	tap_match "$tap_out" '2 sessions .2 of one, 2 of two' "a second session is pooled"
else
	tap_match "$tap_out" 'one: which machine it was is not' "an unknown machine is not pooled"
fi
tap_run "$fsdelta" compare one two --newest
tap_match "$tap_out" 'one +2 iterations' "--newest takes the latest session alone"
rm fsdelta.conf

# Ctrl-C: what is finished stays, the staging folder goes.
"$fsdelta" run -q -w quick -t "dir:$work" -n 1000 -l cut 2>"$tap_dir/err" &
pid=$!
wait_until has_iteration cut
kill -INT $pid
wait $pid
tap_is "$?" 130 "SIGINT ends a run with status 130"
tap_match "$(cat "$tap_dir/err")" 'stopped early: interrupted' "and says so"
tap_run "$fsdelta" show cut
tap_is "$tap_status" 0 "what was finished can be read"
tap_is "$(ls -A "$work")" "" "and the folder is clean"

tap_done
