# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sourced by the tests that run the whole program. They work in a copy of what an
# installation would have, in $tap_dir/inst, readable for any user.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-.}/tests/tap.sh"

inst=$tap_dir/inst
fsdelta=$inst/fsdelta
fixtures=$inst/fixtures

pipeline_install()
{
	mkdir -p "$inst/libexec" "$inst/workloads" "$fixtures" || tap_bail "no room in $tap_dir"
	cp "$top_builddir/fsdelta" "$inst/" || tap_bail "fsdelta is not built"
	cp "$top_srcdir"/workloads/*.job "$inst/workloads/"
	cp "$top_srcdir"/tests/fixtures/* "$fixtures/"
	for prog in fsync-new fsync-append rename-replace rename-plain unlink-many utime; do
		cp "$top_builddir/workloads/native/$prog" "$inst/libexec/" ||
			tap_bail "$prog is not built"
	done
	chmod -R a+rX "$tap_dir"
	FSDELTA_DATADIR=$inst
	FSDELTA_LIBEXECDIR=$inst/libexec
	FSDELTA_STORE=$tap_dir/store
	export FSDELTA_DATADIR FSDELTA_LIBEXECDIR FSDELTA_STORE
}

# stub NAME: the rest of standard input becomes the program NAME on PATH.
stub()
{
	mkdir -p "$tap_dir/stubs"
	{
		echo '#!/bin/sh'
		cat
	} >"$tap_dir/stubs/$1"
	chmod a+rx "$tap_dir/stubs" "$tap_dir/stubs/$1"
}

# job NAME: the rest of standard input becomes the workload NAME.
job()
{
	cat >"$inst/workloads/$1.job"
	chmod a+r "$inst/workloads/$1.job"
}

# newest LABEL: the folder of the newest result with this label.
newest()
{
	find "$FSDELTA_STORE" -maxdepth 1 -name "*-$1-*" 2>/dev/null | sort | tail -n 1
}

# wait_until COMMAND...: until it succeeds; false after 30 s.
wait_until()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.05
	done
}

# has_iteration LABEL: is one iteration of the newest result in its journal?
has_iteration()
{
	dir=$(newest "$1")
	[ -n "$dir" ] && grep -q '"type":"iteration"' "$dir/journal.jsonl" 2>/dev/null
}

# The environment tells our processes from those of others: drivers started with
# FSDELTA_TEST=$pipeline_mark, and all they start.
pipeline_mark=$$-$(basename "$tap_dir")

# our_processes: their numbers, one a line; also of what runs a program of ours without it.
our_processes()
{
	{
		grep -lzx "FSDELTA_TEST=$pipeline_mark" /proc/[0-9]*/environ
		find /proc/[0-9]*/exe -lname "$inst/*"
	} 2>/dev/null | sed 's|/proc/||; s|/.*||' | sort -u
}

# orphans: loop devices on memory that no driver holds, whoever left them there.
orphans()
{
	held=$(find /proc/[0-9]*/fd -lname '/memfd:fsdelta-*' -printf '%l\n' 2>/dev/null)
	for f in /sys/block/loop*/loop/backing_file; do
		name=$(cat "$f" 2>/dev/null) || continue
		case $name in
		/memfd:fsdelta-*) printf '%s\n' "$held" | grep -qxF "$name" || echo "$f $name" ;;
		esac
	done
}

# What was there before us is somebody else's.
pipeline_old_orphans=$(orphans)

# our_orphans: those that were not there when the test began.
our_orphans()
{
	orphans | grep -vxF "${pipeline_old_orphans:-nothing}"
}
