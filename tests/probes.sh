#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each stock probe that needs only tracepoints, run by bpftrace on this kernel against a number
# of operations that is known, in a cgroup of their own: what it counts is exact.
. "${top_srcdir:-.}/tests/tap.sh"

tap_need_root
probes=$(cd "${top_srcdir:-.}/probes" && pwd) || tap_bail "no probes"
events=/sys/kernel/tracing/events

command -v bpftrace >/dev/null || tap_skip_all "no bpftrace here: install the package bpftrace"
# Mounts are made in a namespace of our own, and end with it.
if [ "${FSDELTA_TEST_NS-}" != "$PPID" ]; then
	unshare -m true 2>/dev/null || tap_skip_all "no mount namespaces here"
	rm -rf "$tap_dir"
	FSDELTA_TEST_NS=$$ exec unshare -m --propagation private sh -c '"$@"; exit $?' sh sh "$0"
fi
[ -d $events ] || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null ||
	tap_skip_all "tracefs cannot be mounted"
[ -d $events/syscalls ] || tap_skip_all "this kernel has no tracepoints for system calls"

cgroup=
id=0
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
leave()
{
	[ -z "$loop" ] || { umount "$tap_dir/m" 2>/dev/null; losetup -d "$loop" 2>/dev/null; }
	[ -z "$cgroup" ] || rmdir "$cgroup"
	rm -rf "$tap_dir"
}
loop=
trap leave EXIT
if [ -n "$group" ] && mkdir "$group/fsdelta-test.$$" 2>/dev/null; then
	cgroup=$group/fsdelta-test.$$
	id=$(stat -c %i "$cgroup")
else
	tap_skip_all "no cgroup v2: what others do cannot be told from what the test does"
fi

# wait_until COMMAND...: false after 60 s.
wait_until()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

# bpftrace says that it has attached its probes before it does; then it waits for events.
attached()
{
	grep -q attached_probes "$tap_dir/out" 2>/dev/null &&
		grep -q epoll "/proc/$bpf/wchan" 2>/dev/null || ! kill -0 "$bpf" 2>/dev/null
}

# Asks it to end, again after 10 s: a signal that comes while it starts is lost, and a second one
# while it prints its maps kills it.
ended()
{
	[ $((tries % 100)) -ne 0 ] || kill -INT "$bpf" 2>/dev/null
	case $(cut -d ' ' -f 3 "/proc/$bpf/stat" 2>/dev/null) in
	Z | "") ;;
	*) return 1 ;;
	esac
}

# probe NAME ARG FUNCTION: runs FUNCTION in the cgroup while the probe is attached; what it
# printed is in $tap_dir/out.
probe()
{
	rm -f "$tap_dir/out"
	bpftrace -f json -B none -o "$tap_dir/out" "$probes/$1.bt" "$2" >/dev/null 2>"$tap_dir/err" &
	bpf=$!
	wait_until attached
	(
		echo 0 >"$cgroup/cgroup.procs"
		cd "$tap_dir/m" && "$3"
	) >"$tap_dir/log" 2>&1
	ops=$?
	wait_until ended || kill -KILL $bpf
	wait $bpf
	status=$?
	if [ $status -ne 0 ] || [ $ops -ne 0 ]; then
		tap_not_ok "$1: runs" "bpftrace: $status, operations: $ops
$(cat "$tap_dir/err" "$tap_dir/log")"
		return 1
	fi
	tap_ok "$1: runs"
}

# value MAP [KEY]: the number that was printed last; "" when none was.
value()
{
	python3 - "$tap_dir/out" "$@" <<'PYTHON'
import json
import sys

found = ""
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    try:
        data = json.loads(line)["data"]
    except (ValueError, KeyError):
        continue
    if isinstance(data, dict) and sys.argv[2] in data:
        found = data[sys.argv[2]]
        for key in sys.argv[3:]:
            found = found.get(key, "") if isinstance(found, dict) else ""
print(found)
PYTHON
}

at_least()
{
	if [ "${1:-0}" -ge "$2" ] 2>/dev/null; then
		tap_ok "$3"
	else
		tap_not_ok "$3" "got '$1', want $2 or more"
	fi
}

command -v python3 >/dev/null || tap_skip_all "no python3 here to read JSON"

# with_fs NAME MKFS...: $tap_dir/m is a new file system on $loop; false: not here.
with_fs()
{
	fs=$1
	shift
	if ! command -v "$1" >/dev/null || ! grep -qw "$fs" /proc/filesystems; then
		tap_skip "$fs" "no $1, or no $fs in this kernel"
		return 1
	fi
	rm -f "$tap_dir/image"
	truncate -s 600M "$tap_dir/image"
	"$@" "$tap_dir/image" >"$tap_dir/log" 2>&1 || tap_bail "$* failed: $(cat "$tap_dir/log")"
	loop=$(losetup -f --show "$tap_dir/image") || tap_bail "no loop device"
	mount -t "$fs" "$loop" "$tap_dir/m" || tap_bail "$fs cannot be mounted"
	for i in 1 2 3 4 5; do
		echo $i >"$tap_dir/m/file$i"
	done
	sync -f "$tap_dir/m"
}

without_fs()
{
	umount "$tap_dir/m" || tap_bail "umount failed"
	losetup -d "$loop"
	loop=
}

seven_fsyncs()
{
	for i in 1 2 3 4 5 6 7; do
		echo x >>"file$i" && sync "file$i" || return 1
	done
}

three_syncs()
{
	seven_fsyncs || return 1
	for i in 1 2 3; do
		echo y >>"file$i" && sync -f . || return 1
	done
}

# mv asks for a rename that replaces nothing: one system call.
five_renames()
{
	for i in 1 2 3 4 5; do
		mv "file$i" "moved$i" || return 1
	done
	for i in 1 2 3 4 5; do
		mv "moved$i" "file$i" || return 1
	done
}

removals()
{
	mkdir a b && touch c d e || return 1
	rmdir a b && unlink c && rm d e
}

all_of_them()
{
	seven_fsyncs && five_renames && removals
}

mkdir "$tap_dir/m"
for i in 1 2 3 4 5; do
	echo $i >"$tap_dir/m/file$i"
done

if probe fsync-latency "$id" seven_fsyncs; then
	tap_is "$(value @calls)" 7 "fsync-latency: 7 calls began"
	tap_is "$(value @time count)" 7 "fsync-latency: 7 ended"
fi
if probe rename-latency "$id" five_renames; then
	tap_is "$(value @calls)" 10 "rename-latency: 10 calls began"
	tap_is "$(value @time count)" 10 "rename-latency: 10 ended"
	tap_is "$(value @failed)" 0 "rename-latency: none failed"
fi
if probe unlink-latency "$id" removals; then
	tap_is "$(value @calls)" 5 "unlink-latency: 3 unlinks and 2 rmdirs began"
	tap_is "$(value @time count)" 5 "unlink-latency: 5 ended"
fi
if probe syscalls "$id" all_of_them; then
	tap_is "$(value @calls fsync)" 7 "syscalls: 7 fsyncs"
	tap_is "$(value @calls rmdir)" 2 "syscalls: 2 rmdirs"
	tap_is "$(value @calls unlink)" 1 "syscalls: 1 unlink"
	tap_is "$(value @calls unlinkat)" 2 "syscalls: 2 unlinkats"
fi
if [ -d $events/lock ]; then
	if probe lock-wait "$id" all_of_them; then
		waits=$(value @waits)
		ended=$(value @time count)
		tap_is "${ended:-0}" "${waits:-0}" "lock-wait: each wait ended"
	fi
else
	tap_skip "lock-wait" "this kernel has no tracepoints for locks"
fi

if with_fs ext4 mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0; then
	if probe commits-ext4 "$id" seven_fsyncs; then
		tap_is "$(value @fsyncs)" 7 "commits-ext4: 7 fsyncs"
		at_least "$(value @commits)" 7 "commits-ext4: a commit for each"
	fi
	number=$(stat -c %t:%T "$loop" | awk -F: '{ print $1, $2 }')
	# shellcheck disable=SC2086 # two words
	set -- $number
	dev=$(((0x$1 << 20) | 0x$2))
	sync -f "$tap_dir/m"
	before=$(awk '{ print $16 }' "/sys/block/${loop#/dev/}/stat")
	if probe flush $dev seven_fsyncs; then
		after=$(awk '{ print $16 }' "/sys/block/${loop#/dev/}/stat")
		at_least "$(value @fsyncs)" 7 "flush: 7 fsyncs, and those of others"
		tap_is "$(value @flushes)" $((after - before)) \
			"flush: as many flushes as the block layer counts itself"
		at_least "$(value @flushes)" 7 "flush: one for each fsync"
	fi
	without_fs
fi
if with_fs btrfs mkfs.btrfs -q -f; then
	if probe commits-btrfs "$id" three_syncs; then
		tap_is "$(value @fsyncs)" 7 "commits-btrfs: 7 fsyncs"
		tap_is "$(value @syncs)" 6 "commits-btrfs: 3 calls of syncfs, each asks twice"
		at_least "$(value @commits)" 3 "commits-btrfs: a commit for each"
	fi
	without_fs
fi
if with_fs xfs mkfs.xfs -q -f; then
	if probe commits-xfs "$id" seven_fsyncs; then
		tap_is "$(value @fsyncs)" 7 "commits-xfs: 7 fsyncs"
		at_least "$(value @forces)" 7 "commits-xfs: a log force for each"
	fi
	without_fs
fi
tap_done
