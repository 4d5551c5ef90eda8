#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: clean-chroot.sh DIRECTORY CHECKOUT [COMMAND]
#
# Proves that packages.txt is complete: makes a fresh Debian 12 in DIRECTORY, clones the
# git CHECKOUT into it, and runs COMMAND there as root (default: make check && make demo).
# Only git, make and sudo's part (being root) are added to the minimal system. DIRECTORY
# must not exist; it is removed at the end, unless KEEP=1.
set -eu

suite=bookworm

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
fi
[ "$(id -u)" -eq 0 ] || {
	echo "$0: needs root" >&2
	exit 2
}
# All mounts live and die with this process.
if [ -z "${FSDELTA_CHROOT_PRIVATE-}" ]; then
	FSDELTA_CHROOT_PRIVATE=1 exec unshare --mount --propagation private --pid --fork \
		--kill-child "$BASH" "$0" "$@"
fi

dir=$1
checkout=$(cd "$2" && pwd)
command=${3:-make check && make demo}
[ ! -e "$dir" ] || {
	echo "$0: $dir exists" >&2
	exit 2
}

# The mirror that this machine uses, from either form of source list.
mirror()
{
	cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | awk -v suite="$suite" '
		/^[ \t]*#/ { next }
		$1 == "deb" {
			for (i = 2; i < NF; i++)
				if ($i ~ /^(https?|file):/ && $(i + 1) == suite)
					found = found ? found : $i
		}
		$1 == "URIs:" { uri = $2 }
		$1 == "Suites:" && index(" " $0 " ", " " suite " ") && uri != "" {
			found = found ? found : uri
		}
		END { print found ? found : "http://deb.debian.org/debian" }'
}

cleanup()
{
	# The mounts first: what is below them is not ours to remove.
	umount -R "$dir" 2>/dev/null || :
	if mount | grep -q " on $(readlink -f "$dir")[/ ]"; then
		echo "$0: still mounted below $dir: not removed" >&2
	elif [ "${KEEP-}" != 1 ]; then
		rm -rf --one-file-system "$dir"
	fi
}
trap cleanup EXIT

mirror=$(mirror)
echo "fsdelta: $suite from $mirror into $dir"
debootstrap --variant=minbase --include=git,make,ca-certificates \
	"$suite" "$dir" "$mirror" >"$dir.log" 2>&1 || {
	tail -n 20 "$dir.log" >&2
	exit 1
}
rm -f "$dir.log"

# What makes the package client of this machine work (proxies, old snapshots).
find /etc/apt/apt.conf.d -type f -exec grep -qE '^ *Acquire' {} \; \
	-exec cp -t "$dir/etc/apt/apt.conf.d" {} +
cp /etc/resolv.conf "$dir/etc/resolv.conf"

# The root in there has to be a mount point: only that can be made private.
mount --bind "$dir" "$dir"
mount --rbind /dev "$dir/dev"
mount -t proc proc "$dir/proc"
mount --rbind /sys "$dir/sys"
mount --make-rslave "$dir/dev"
mount --make-rslave "$dir/sys"

git clone --quiet --no-hardlinks "$checkout" "$dir/srv/fsdelta"
status=0
chroot "$dir" /usr/bin/env -i HOME=/srv TERM=dumb LC_ALL=C.UTF-8 \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	sh -c "cd /srv/fsdelta && $command" || status=$?
if [ $status -eq 0 ]; then
	echo "fsdelta: fresh $suite: passed: $command"
else
	echo "fsdelta: fresh $suite: failed with status $status: $command" >&2
fi
exit $status
