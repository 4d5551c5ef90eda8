# SPDX-License-Identifier: GPL-2.0-or-later
# A task that nothing can kill: the workload freezes its own file system and then writes to
# it. The driver has to say so, to stop and to end; whatever happens, the test thaws it.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"
tap_need_root
[ -e /dev/loop-control ] || tap_skip_all "this kernel has no loop devices"
command -v fsfreeze >/dev/null || tap_skip_all "fsfreeze is not here (package util-linux)"
grep -qw ext4 /proc/filesystems || modprobe ext4 2>/dev/null ||
	tap_skip_all "this kernel has no ext4"
pipeline_install
cd "$tap_dir" || exit 99

job stuck <<'E2'
# Cannot be killed.
[job]
summary = for a test
tool = command
[params]
argv = sh -c 'fsfreeze -f . && exec dd if=/dev/zero of=file bs=4k count=1'
E2

# The one that is stuck, while there is one.
stuck_task()
{
	for p in $(our_processes); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = dd ] || continue
		grep -q '^State:.D' "/proc/$p/status" 2>/dev/null && echo "$p" && return
	done
	return 1
}

# Through the folder that it is in: nobody else can reach its mount.
thaw()
{
	for p in $(our_processes); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = dd ] || continue
		fsfreeze -u "/proc/$p/cwd/" 2>/dev/null
	done
	return 0
}

nothing_left()
{
	[ -z "$(our_processes)" ] && [ -z "$(our_orphans)" ]
}

# However the test ends.
trap 'thaw; rm -rf "$tap_dir"' EXIT
(
	trap - EXIT
	while kill -0 $$ 2>/dev/null || [ -n "$(our_processes)" ]; do
		kill -0 $$ 2>/dev/null || thaw
		sleep 1
	done
) >/dev/null 2>&1 &

# end: the driver $pid has ended: thaws, so that what it started can end as well.
end()
{
	wait $pid
	status=$?
	wait_until thawed
	if wait_until nothing_left; then
		tap_ok "$1: nothing is left once the task can end"
	else
		tap_not_ok "$1: nothing is left once the task can end" "$(our_processes) $(our_orphans)"
	fi
}

thawed()
{
	thaw
	! stuck_task >/dev/null
}

# start LABEL: a driver in the background, $pid, whose task gets stuck.
start()
{
	FSDELTA_TEST=$pipeline_mark "$fsdelta" run -q -w stuck -t ext4 -n 3 --size 128M \
		--timeout "$2" -l "$1" 2>"$tap_dir/err" &
	pid=$!
	if wait_until stuck_task >/dev/null; then
		tap_ok "$1: a task is stuck"
	else
		tap_not_ok "$1: a task is stuck" "$(cat "$tap_dir/err")"
	fi
}

start late 2s
end late
tap_is $status 3 "a stuck task makes the run invalid"
journal=$(newest late)/journal.jsonl
tap_is "$(grep -c '"type":"iteration"' "$journal")" 1 "nothing runs after it"
tap_match "$(grep '"type":"iteration"' "$journal")" '"outcome":"TIMEOUT"' "it is a TIMEOUT"
tap_match "$(cat "$(newest late)"/raw/*/facts)" 'dd \(pid [0-9]+, state D\)' "the task is named"
# Where it waits; a kernel without stack traces has nothing to say.
if [ -r /proc/self/stack ]; then
	tap_match "$(cat "$(newest late)"/raw/*/facts)" '[a-z_]+\+0x' "with its kernel stack"
else
	tap_skip "with its kernel stack" "this kernel shows none"
fi

# Ctrl-C while it is stuck: long before its time is over.
start interrupted 200s
kill -INT $pid
end interrupted
tap_is $status 130 "SIGINT ends a run whose task is stuck"
tap_match "$(cat "$tap_dir/err")" 'interrupted' "and the run says so"

tap_done
