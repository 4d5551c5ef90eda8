# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL the driver at random moments, and look for anything that is left: mounts, loop
# devices, processes; every finished iteration must be readable. Others may be measuring
# at the same time: only what is ours is looked at.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"
tap_need_root
[ -e /dev/loop-control ] || tap_skip_all "this kernel has no loop devices"
pipeline_install
cd "$tap_dir" || exit 99

kills=${LEAK_KILLS-30}
# Seeded, and shown, so that a failure can be repeated.
seed=${LEAK_SEED-$(date +%s)}
tap_diag "seed $seed"

# Starts daemons too: one that left its session and one that is its child.
job daemons <<E2
# Does some work and leaves processes behind.
[job]
summary = for a test
tool = command
[params]
argv = sh -c 'setsid sh -c "sleep 9753 & sleep 9753" & exec $inst/libexec/fsync-new --files 100 .'
E2
job waits <<'E2'
# Is there until it is killed.
[job]
summary = for a test
tool = command
[params]
argv = sh -c 'setsid sh -c "sleep 9753 & sleep 9753" & exec sleep 9753'
E2

# start WORKLOAD LABEL: a driver in the background, $pid.
start()
{
	FSDELTA_TEST=$pipeline_mark "$fsdelta" run -q -w "$1" -t btrfs -n 100 --size 256M \
		-l "$2" 2>/dev/null &
	pid=$!
}

# Are that many processes of the workload there?
sleepers_are()
{
	n=0
	for p in $(our_processes); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" != sleep ] || n=$((n + 1))
	done
	[ $n -eq "$1" ]
}

nothing_left()
{
	[ -z "$(our_processes)" ] && [ -z "$(our_orphans)" ]
}

left=0 unreadable=0 finished=0

# kill_driver LABEL: kills $pid, and counts what is wrong afterwards.
kill_driver()
{
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	if ! wait_until nothing_left; then
		left=$((left + 1))
		tap_diag "$1 left: $(our_orphans)"
		for p in $(our_processes); do
			tap_diag "$(tr '\0' ' ' <"/proc/$p/cmdline")"
			kill -KILL "$p"
		done
	fi
	dir=$(newest "$1")
	# Killed before the header was written: there is nothing to read.
	[ -n "$dir" ] && [ -s "$dir/journal.jsonl" ] || return
	finished=$((finished + $(grep -c '"type":"iteration".*}$' "$dir/journal.jsonl")))
	"$fsdelta" show "$1" >/dev/null 2>"$tap_dir/err" || {
		unreadable=$((unreadable + 1))
		tap_diag "$1: $(cat "$tap_dir/err")"
	}
}

mounts=$(grep -c /run/fsdelta /proc/self/mountinfo)

# When all that can be left is there.
start waits inside
if wait_until sleepers_are 3; then
	tap_ok "the test sees what a driver started"
else
	tap_not_ok "the test sees what a driver started" "$(our_processes)"
fi
kill_driver inside
tap_is $left 0 "a kill inside an iteration leaves no loop device or process"

# When something was finished.
start daemons finished
wait_until has_iteration finished
kill_driver finished
if [ $finished -gt 0 ]; then
	tap_ok "an iteration was finished before a kill"
else
	tap_not_ok "an iteration was finished before a kill"
fi

# At any moment.
i=0
while [ $i -lt "$kills" ]; do
	i=$((i + 1))
	start daemons "leak$i"
	sleep "$(awk -v s="$seed" -v i=$i 'BEGIN { srand(s + i); print rand() * 1.5 }')"
	kill_driver "leak$i"
done
tap_is $left 0 "$kills kills leave no loop device or process"
tap_is $unreadable 0 "what was finished before a kill can be read"
tap_is "$(grep -c /run/fsdelta /proc/self/mountinfo)" "$mounts" "no mount is left"

tap_run "$fsdelta" run -q -w daemons -t btrfs -n 1 --size 256M -l after
tap_is "$tap_status" 0 "a run right after all that succeeds"
[ "$tap_status" -eq 0 ] || tap_diag "$tap_err"

tap_done
