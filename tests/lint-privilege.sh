#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What needs root is behind struct env_ops: only harness/env calls it. The programs of a guest
# (harness/vm/guest) own the machine that they run on.
. "${top_srcdir:-.}/tests/lint-common.sh"

calls='mount|umount2?|open_tree|move_mount|fsopen|fsconfig|fsmount|pivot_root|chroot'
calls="$calls|mnt_context_(do_)?u?mount|unshare|setns|reboot|swapon|swapoff|init_module"
words='CLONE_NEW[A-Z]+|LOOP_[A-Z_]+|SYS_(mount|umount2|unshare|setns|reboot|swapon)'

privilege()
{
	lint_code "$1" "$rooms" | grep -Ev '^harness/(env|vm/guest)/' >"$tap_dir/code"
	{
		lint_calls "$calls" <"$tap_dir/code"
		grep -E "^[^:]+:[0-9]+: (.*[^A-Za-z0-9_])?($words)([^A-Za-z0-9_]|\$)" \
			"$tap_dir/code"
	} | sort -u
}

lint_tree privilege "privileged calls are in harness/env only"

plant_new
plant harness/cell.c <<'EOF'
	ret = mount("x", dir, "btrfs", 0, NULL);
	umount2(dir, MNT_DETACH);
	if (ioctl(fd, LOOP_CTL_GET_FREE) < 0)
	clone(fn, stack, CLONE_NEWNS | SIGCHLD, NULL);
	ret = unshare(flags);
	syscall(SYS_mount, 0);
EOF
plant workloads/native/w.c <<'EOF'
	reboot(RB_AUTOBOOT);
	setns (fd, 0);
EOF
lint_finds privilege '^harness/cell\.c:1: ' "mount"
lint_finds privilege '^harness/cell\.c:2: ' "umount2"
lint_finds privilege '^harness/cell\.c:3: ' "a loop device ioctl"
lint_finds privilege '^harness/cell\.c:4: ' "clone with CLONE_NEWNS"
lint_finds privilege '^harness/cell\.c:5: ' "unshare"
lint_finds privilege '^harness/cell\.c:6: ' "a raw system call"
lint_finds privilege '^workloads/native/w\.c:1: ' "reboot"
lint_finds privilege '^workloads/native/w\.c:2: ' "setns"

plant_new
plant harness/env/real.c <<'EOF'
	ret = mount("x", dir, "btrfs", 0, NULL);
EOF
plant harness/vm/guest/init.c <<'EOF'
	ret = mount("x", dir, "btrfs", 0, NULL);
EOF
plant harness/cell.c <<'EOF'
	/* then mount() it */
	log_info("mount(2) failed");
	ret = env->ops->mount(env, disk, dir);
	ret = env.umount(env, dir);
	env_mount(dir); // unshare() was before
EOF
lint_accepts privilege "harness/env, the guest, and calls through the table"
tap_done
