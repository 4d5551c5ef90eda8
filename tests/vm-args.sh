# SPDX-License-Identifier: GPL-2.0-or-later
# fsdelta vm refuses what cannot work, and says all of it; nothing is booted.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-.}/tests/tap.sh"
fsdelta=${top_builddir:-.}/fsdelta
fixtures=${top_srcdir:-.}/tests/fixtures
XDG_CACHE_HOME=$tap_dir/cache
export XDG_CACHE_HOME

# refused STATUS REGEX DESC ARGS...
refused()
{
	want=$1 regex=$2 desc=$3
	shift 3
	tap_run "$fsdelta" vm "$@"
	tap_is "$tap_status" "$want" "$desc"
	tap_match "$tap_err" "$regex" "$desc: the message"
}

image=$fixtures/vm-tiny-gzip.bzimage
refused 2 'which kernel' "no kernel" -- true
refused 2 'which command' "no command" --kernel "$image"
refused 2 "cpus|number from 1" "no number" --kernel "$image,cpus=x" -- true
refused 2 'timeout' "no time" --kernel "$image" --timeout soon -- true
refused 2 'disk' "no size" --kernel "$image" --disk 1 -- true
refused 2 'auto, kvm, tcg' "no accelerator" --kernel "$image" --accel warp -- true
refused 125 'neither a bzImage nor' "no kernel image" --kernel "$0" -- true
refused 125 'No such file' "no file" --kernel "$tap_dir/none" -- true
head -c 1100 "$image" >"$tap_dir/cut"
refused 125 'cut off' "half a kernel image" --kernel "$tap_dir/cut" -- true
refused 125 'no modules of 6.9.0-tiny' "the wrong folder of modules" \
	--kernel "$image,modules=$tap_dir" -- true
refused 125 'CONFIG_9P_FS is off' "a kernel that lacks much" --kernel "$image" -- true
tap_match "$tap_err" 'CONFIG_OVERLAY_FS is off' "names one thing"
tap_match "$tap_err" 'CONFIG_NET_9P=m .*modules=DIR' "and another, with what to do"

tap_run "$fsdelta" vm --help
tap_is "$tap_status" 0 "--help"
tap_match "$tap_out" 'git bisect run' "teaches"
tap_done
