# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL the driver at random moments, and look for anything that is left: mounts, loop
# devices, processes; every finished iteration must be readable.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"
tap_need_root
[ -e /dev/loop-control ] || tap_skip_all "this kernel has no loop devices"
pipeline_install
cd "$tap_dir" || exit 99

kills=${LEAK_KILLS-30}
marker=$inst/libexec/fsync-new

# Starts daemons too: one that left its session and one that is its child.
job daemons <<E2
# Does some work and leaves processes behind.
[job]
summary = for a test
tool = command
[params]
argv = sh -c 'setsid sh -c "sleep 9753 & sleep 9753" & exec $marker --files 100 .'
E2

ours_loops()
{
	for f in /sys/block/loop*/loop/backing_file; do
		[ -e "$f" ] && cat "$f" 2>/dev/null
	done | grep -c memfd
}

nothing_left()
{
	[ "$(ours_loops)" -eq 0 ] || return 1
	grep -q /run/fsdelta /proc/*/mountinfo 2>/dev/null && return 1
	pgrep -f 'sleep 9753' >/dev/null && return 1
	pgrep -f "$inst" >/dev/null && return 1
	return 0
}

wait_until nothing_left || tap_bail "another run is going on on this machine"

# Seeded, and shown, so that a failure can be repeated.
seed=${LEAK_SEED-$(date +%s)}
tap_diag "seed $seed"
left=0 unreadable=0 finished=0
i=0
while [ $i -lt "$kills" ]; do
	i=$((i + 1))
	ms=$(awk -v s="$seed" -v i=$i 'BEGIN { srand(s + i); print int(rand() * 1500) }')
	"$fsdelta" run -q -w daemons -t btrfs -n 100 --size 256M -l "leak$i" 2>/dev/null &
	pid=$!
	sleep "$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	if ! wait_until nothing_left; then
		left=$((left + 1))
		tap_diag "kill $i after $ms ms left: $(ours_loops) loop devices;" \
			"$(pgrep -fa "sleep 9753|$inst" | head -n 3)"
		pkill -KILL -f 'sleep 9753'
	fi
	dir=$(newest "leak$i")
	# Killed before the header was written: there is nothing to read.
	[ -n "$dir" ] && [ -s "$dir/journal.jsonl" ] || continue
	want=$(grep -c '"type":"iteration".*}$' "$dir/journal.jsonl")
	finished=$((finished + want))
	"$fsdelta" show "leak$i" >/dev/null 2>"$tap_dir/err" || {
		unreadable=$((unreadable + 1))
		tap_diag "$(cat "$tap_dir/err")"
	}
done
tap_is $left 0 "$kills kills leave no mount, loop device or process"
tap_is $unreadable 0 "what was finished before a kill can be read"
if [ $finished -gt 0 ]; then
	tap_ok "some iterations were finished before a kill"
else
	tap_not_ok "some iterations were finished before a kill"
fi
tap_run "$fsdelta" run -q -w daemons -t btrfs -n 1 --size 256M -l after
tap_is "$tap_status" 0 "a run right after all that succeeds"
[ "$tap_status" -eq 0 ] || tap_diag "$tap_err"

tap_done
