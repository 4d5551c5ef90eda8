# SPDX-License-Identifier: GPL-2.0-or-later
# Guests whose instructions are counted: the same nanoseconds in every boot.

# shellcheck source=tests/vm-lib.sh
. "${top_srcdir:-.}/tests/vm-lib.sh"
vm_need_kernel
cd "$tap_dir" || exit 99

exact()
{
	vm --exact --seed 42 "$@"
}

# shellcheck disable=SC2016 # for the guest's shell
script='date +%s.%N; head -c 100000 /dev/zero | tail -c 30000 | od -An -v -tx1 >&2
	cat /sys/block/nullb0/size; echo "$FSDELTA_DISK"; exit 9'
set -- --file /bin/date --file /usr/bin/head --file /usr/bin/tail --file /usr/bin/od \
	--file /bin/cat -- sh -c "$script"
exact --results "$tap_dir/one" "$@"
tap_is "$tap_status" 9 "the command's status"
[ "$tap_status" -eq 9 ] || tap_diag "$tap_err"
tap_is "$(printf '%s\n' "$tap_out" | tail -n 2)" "6291456
/dev/nullb0" "its output, and its disk"
tap_is "$(printf '%s\n' "$tap_err" | wc -l)" 1875 "a larger output is whole"
first=$tap_out
exact --results "$tap_dir/two" "$@"
tap_is "$tap_out" "$first" "the time is the same to the nanosecond in a second boot"
tap_match "$tap_out" '^17[0-9]{8}\.[0-9]{9}$' "and is a time"

exact -- no-such-program
tap_is "$tap_status" 125 "a program that is not there"
tap_match "$tap_err" 'no-such-program: there is no such program' "is named before anything boots"
exact --disk 1G -- true
tap_is "$tap_status" 2 "--disk is for other guests"
tap_is "$(vm_qemus)" "" "nothing is left"
tap_done
