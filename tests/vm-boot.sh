# SPDX-License-Identifier: GPL-2.0-or-later
# Commands in guests, and every way in which a guest can end: each provoked for real.

# shellcheck source=tests/vm-lib.sh
. "${top_srcdir:-.}/tests/vm-lib.sh"
vm_need_kernel
cd "$tap_dir" || exit 99

printf 'from outside\n' >secret
# shellcheck disable=SC2016
vm --disk 300M --results "$tap_dir/first" -- sh -c 'uname -r; pwd; cat; echo "$FSDELTA_TEST"
	cat secret; echo lost >made-in-guest; blockdev --getsize64 "$FSDELTA_DISK"
	grep -c " / overlay " /proc/mounts; echo oops >&2; exit 7'
tap_is "$tap_status" 7 "the command's status"
tap_is "$tap_out" "$vm_release
$tap_dir
$vm_mark
from outside
314572800
1" "its output; it sees our files, our folder and our environment, and its input is closed"
tap_is "$tap_err" "oops" "its standard error, and nothing else"
tap_is "$(find . -name made-in-guest)" "" "what it writes is lost"
tap_is "$(cat first/out/stdout)" "$tap_out" "--results keeps the output"
tap_match "$(cat first/qemu.cmd)" 'vmlinux-[0-9a-f]{64}' "a bzImage is unpacked once"
tap_is "$(find cache/fsdelta -name 'vmlinux-*' | wc -l)" 1 "into the cache"

vm -- no-such-command
tap_is "$tap_status" 127 "a command that is not there"

vm -- sh -c 'echo before; echo c >/proc/sysrq-trigger; echo after'
tap_is "$tap_status" 123 "a kernel that crashes"
tap_is "$tap_out" "before" "the output until then is there"
tap_match "$tap_err" 'CRASHED: kernel panic: .*sysrq triggered crash' "the telling line is shown"
console=$(printf '%s\n' "$tap_err" | sed -n 's/.*console is kept: //p')
tap_match "$(cat "$console")" 'RIP:' "the console is kept"
rm -rf "$(dirname "$console")"

tap_run "$fsdelta" vm -q --accel tcg --patience 5 --results "$tap_dir/noinit" \
	--kernel "$kernel,append=rdinit=/nothing" -- true
tap_is "$tap_status" 123 "a kernel that crashes while it boots"
tap_match "$tap_err" 'CRASHED: kernel panic: .*' "with its last words"

vm --timeout 2 --results "$tap_dir/slow" -- sleep 1000
tap_is "$tap_status" 124 "a command that never ends"
tap_match "$tap_err" 'TIMEOUT: the command did not end within 2 s' "is named"
tap_is "$(vm_qemus)" "" "and its guest is gone"

vm_start "$tap_dir/killed" -- sleep 1000
wait_until test -e "$tap_dir/killed/out/started" || tap_diag "$(cat killed.err)"
# shellcheck disable=SC2046 # one number
kill -KILL $(vm_qemus)
wait "$vm_pid"
tap_is "$?" 125 "QEMU is killed"
tap_match "$(cat killed.err)" 'BROKEN: QEMU was killed by signal 9' "no fault of the kernel's"

tap_run "$fsdelta" vm -q --accel tcg --kernel "$kernel,memory=100T" --results "$tap_dir/big" -- true
tap_is "$tap_status" 125 "more memory than there is"
tap_match "$tap_err" 'BROKEN: QEMU ended with status 1: .*memory' "QEMU's own words are shown"

# The next guest needs as long as this one takes to count as dead.
vm_start "$tap_dir/still" --silence 12 -- sleep 1000
wait_until test -e "$tap_dir/still/out/started" || tap_diag "$(cat still.err)"
# shellcheck disable=SC2046 # one number
kill -STOP $(vm_qemus)
still_pid=$vm_pid

if [ "$(id -u)" -eq 0 ]; then
	mkdir -p "$tap_dir/full/out"
	mount -t tmpfs -o size=256k none "$tap_dir/full/out"
	vm --results "$tap_dir/full" -- sh -c 'head -c 1000000 /dev/zero; exit 0'
	tap_is "$tap_status" 125 "a folder for results that is full"
	tap_match "$tap_err" 'BROKEN: .*the folder for results' "no result, though the status was 0"
	umount "$tap_dir/full/out"
else
	tap_skip "a folder for results that is full" "needs root to make one"
fi

wait "$still_pid"
tap_is "$?" 123 "a guest that stands still"
tap_match "$(cat still.err)" 'CRASHED: the guest stands still: no sign of life for' "counts as dead"
tap_is "$(vm_qemus)" "" "and is ended"

vm_start "$tap_dir/int" -- sleep 1000
wait_until test -e "$tap_dir/int/out/started" || tap_diag "$(cat int.err)"
# The shell made it ignore SIGINT, as it does in the background.
kill -TERM "$vm_pid"
wait "$vm_pid"
tap_is "$?" 143 "a signal ends it"
tap_is "$(vm_qemus)" "" "and its guest"

vm_start "$tap_dir/kill9" -- sleep 1000
wait_until test -e "$tap_dir/kill9/console" || tap_diag "$(cat kill9.err)"
kill -KILL "$vm_pid"
wait "$vm_pid" 2>/dev/null
if wait_until no_qemu; then
	tap_ok "nothing is left after SIGKILL"
else
	tap_not_ok "nothing is left after SIGKILL" "$(vm_qemus)"
fi

tap_done
