# SPDX-License-Identifier: GPL-2.0-or-later
# The whole way through as root: fresh file systems on loop devices.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"
tap_need_root
[ -e /dev/loop-control ] || tap_skip_all "this kernel has no loop devices"
pipeline_install
cd "$tap_dir" || exit 99

job quick <<'E2'
# A native workload in its smallest form.
[job]
summary = for a test
tool = native
[params]
program = fsync-new
files = 50
E2
job filler <<'E2'
# Fills the file system and says that all is well.
[job]
summary = for a test
tool = command
[params]
argv = sh -c 'dd if=/dev/zero of=big bs=1M 2>/dev/null; exit 0'
E2

# Is no loop device left that is backed by something of ours, or by memory?
no_loops()
{
	! grep -qsF "$tap_dir" /sys/block/loop*/loop/backing_file && [ -z "$(our_orphans)" ]
}

for fs in btrfs ext4 xfs; do
	if ! grep -qw "$fs" /proc/filesystems && ! modprobe "$fs" 2>/dev/null; then
		tap_skip "$fs" "this kernel has no $fs"
		continue
	fi
	tap_run "$fsdelta" run -q -w quick -t $fs -n 2 --size 512M -l "one-$fs"
	tap_is "$tap_status" 0 "$fs: a run on memory succeeds"
	[ "$tap_status" -eq 0 ] || tap_diag "$tap_err"
	result=$(newest "one-$fs")/result.json
	tap_match "$(cat "$result")" '"mount.options": *"rw' "$fs: mount options in force are kept"
	tap_match "$(cat "$result")" '"disk.flushes"' "$fs: flushes of the device are kept"
	tap_match "$(cat "$result")" '"umount"' "$fs: the time of umount is kept"
done

tap_run "$fsdelta" run -q -w quick -t btrfs -n 2 --size 512M --arm a --arm b:mount=notreelog
tap_is "$tap_status" 0 "two arms with different mount options"
tap_match "$(cat "$(newest b)/result.json")" '"mount.options": *"[^"]*notreelog' \
	"notreelog is in force in the arm that asks for it"
tap_is "$(grep -c notreelog "$(newest a)/raw/"*/facts | grep -vc ':0$')" 0 \
	"and not in the other"
tap_run "$fsdelta" compare a b
tap_match "$tap_out" 'mount.*notreelog' "compare names what the plan varied"

tap_run "$fsdelta" run -q -w filler -t ext4 -n 1 --size 128M -l full
tap_is "$tap_status" 3 "a full file system makes the iteration invalid"
tap_run "$fsdelta" show full
tap_match "$(printf '%s\n' "$tap_out" | tr -s ' \n' ' ')" \
	'1 FAILED \(the file system ended with [0-9.]+ % of its space in use' "with the reason"

tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --image "$tap_dir/ours.img" --size 512M
tap_is "$tap_status" 0 "an image is made when it is missing"
tap_run "$fsdelta" run -q -w quick -t ext4 -n 1 --image "$tap_dir/ours.img" --size 512M
tap_is "$tap_status" 0 "and used again, since it is ours"
truncate -s 512M "$tap_dir/theirs.img"
mkfs.ext4 -q -F -L precious "$tap_dir/theirs.img"
sum=$(sha256sum <"$tap_dir/theirs.img")
tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --image "$tap_dir/theirs.img" --size 512M
tap_is "$tap_status" 2 "an image with another's data is refused"
tap_match "$tap_err" 'ext4' "naming what is on it"
tap_is "$(sha256sum <"$tap_dir/theirs.img")" "$sum" "and not touched"

dev=$(losetup -f --show "$tap_dir/theirs.img")
tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --device "$dev"
tap_is "$tap_status" 2 "a device with another's data is refused"
tap_match "$tap_err" 'ext4' "naming what is on it"
mkdir "$tap_dir/m"
mount "$dev" "$tap_dir/m"
tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --device "$dev" --force-device "$dev"
tap_is "$tap_status" 2 "a mounted device is refused even with --force-device"
tap_match "$tap_err" 'mounted' "saying that it is mounted"
umount "$tap_dir/m"
tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --device "$dev" --force-device "$dev"
tap_is "$tap_status" 0 "--force-device with the same name overwrites"
[ "$tap_status" -eq 0 ] || tap_diag "$tap_err"
tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --device "$dev"
tap_is "$(printf '%s\n' "$tap_err" | grep -c -e ext4 -e btrfs)" 0 \
	"from then on what is on the device is ours"
tap_match "$tap_err" 'by-id' "but a loop device's name is not trusted to stay"
losetup -d "$dev"

tap_run "$fsdelta" run -q -w quick -t btrfs -n 1 --size 512M --mount nosuchoption -l broken
tap_is "$tap_status" 3 "a mount option that the kernel refuses"
tap_run "$fsdelta" show broken
tap_match "$tap_out" 'BROKEN' "makes the iteration BROKEN"

tap_run "$fsdelta" run -q -w quick -t btrfs -n 2 --size 512M --keep -l kept
img=$(find "$(newest kept)/raw" -name filesystem.img)
tap_is "$(blkid -p -s LABEL -o value "$img")" fsdelta "--keep keeps the last file system"
tap_is "$(printf '%s\n' "$img" | wc -l)" 1 "and only that"

tap_run "$fsdelta" run -w quick -t btrfs,xfs --arm a --arm b:mount=noatime --dry-run
tap_match "$tap_out" '^mkfs.xfs ' "--dry-run prints mkfs"
tap_match "$tap_out" 'noatime' "and the mount options"

if wait_until no_loops; then
	tap_ok "no loop device is left"
else
	tap_not_ok "no loop device is left" "$(grep -s . /sys/block/loop*/loop/backing_file)"
fi
tap_is "$(grep -c /run/fsdelta /proc/self/mountinfo)" 0 "no mount is left"

tap_done
