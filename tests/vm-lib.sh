# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sourced by the tests that boot guests: a kernel of Debian's, fetched once and not installed.
# $kernel is what to give to --kernel. Guests are emulated, so that every machine does the same.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-.}/tests/tap.sh"

fsdelta=${top_builddir:-.}/fsdelta
vm_kept=${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/fsdelta/test-kernel

# What our processes have in their environment, and no one else's.
vm_mark=$$-$(basename "$tap_dir")

# vm_need_kernel: skips the whole test where there is no QEMU or no kernel to be had.
vm_need_kernel()
{
	command -v qemu-system-x86_64 >/dev/null ||
		tap_skip_all "no qemu-system-x86_64 (package qemu-system-x86)"
	[ "$(uname -m)" = x86_64 ] || tap_skip_all "this machine is no x86_64"
	if [ ! -d "$vm_kept" ]; then
		sh "$top_srcdir/packaging/install-packages.sh" --unpack "$vm_kept" guest \
			>"$tap_dir/fetch" 2>&1 ||
			tap_skip_all "no kernel could be fetched: $(tail -n 1 "$tap_dir/fetch")"
	fi
	for image in "$vm_kept"/boot/vmlinuz-*; do :; done
	[ -f "$image" ] || tap_bail "no kernel in $vm_kept"
	vm_release=${image##*/vmlinuz-}
	kernel=$image,modules=$vm_kept
	XDG_CACHE_HOME=$tap_dir/cache
	FSDELTA_TEST=$vm_mark
	export XDG_CACHE_HOME FSDELTA_TEST
}

# vm OPTION... -- COMMAND...: as tap_run, with our kernel.
vm()
{
	tap_run "$fsdelta" vm --quiet --accel tcg --patience 5 --kernel "$kernel" "$@"
}

# vm_start DIR OPTION... -- COMMAND...: likewise, in the background, results in DIR, status in
# DIR.status; its process is $vm_pid.
vm_start()
{
	dir=$1
	shift
	"$fsdelta" vm --quiet --accel tcg --patience 5 --kernel "$kernel" --results "$dir" "$@" \
		</dev/null >"$dir.out" 2>"$dir.err" &
	vm_pid=$!
}

# vm_qemus: the numbers of our QEMU processes.
vm_qemus()
{
	for found in $(grep -lzx "FSDELTA_TEST=$vm_mark" /proc/[0-9]*/environ 2>/dev/null); do
		found=${found%/environ}
		case $(readlink "$found/exe") in
		*qemu-system*) echo "${found#/proc/}" ;;
		esac
	done
}

no_qemu()
{
	[ -z "$(vm_qemus)" ]
}

# wait_until COMMAND...: until it succeeds; false after 100 s.
wait_until()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || return 1
		sleep 0.1
	done
}
