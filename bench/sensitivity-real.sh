#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A known difference in a real workload: is it found, and is its size right? Each operation of
# `rename-plain` is delayed by a busy wait that makes it PERCENT slower. Not part of
# `make bench`: it takes minutes, and root.
#
#   sudo bench/sensitivity-real.sh [PERCENT [ITERATIONS [FILESYSTEM]]]     default 5, 20, btrfs
#
# $FSDELTA: the program; default ./fsdelta. Everything measured stays in
# ./sensitivity-results. The arms differ in a mount option that does nothing here (the files
# are not read); a wrapper delays the program where it finds it.

set -u
percent=${1:-5}
iterations=${2:-20}
fs=${3:-btrfs}
fsdelta=$(realpath "${FSDELTA:-./fsdelta}")
native=$(cd "$(dirname "$fsdelta")/workloads/native" && pwd) || exit 2
jobs=$(cd "$(dirname "$0")/../workloads" && pwd)

[ "$(id -u)" -eq 0 ] || {
	echo "$0: file systems are made and mounted: run it as root" >&2
	exit 2
}
mkdir -p sensitivity-results/programs sensitivity-results/fsdelta.d &&
	cd sensitivity-results || exit 2
here=$PWD
cp "$jobs/rename-plain.job" fsdelta.d/ || exit 2
FSDELTA_LIBEXECDIR=$here/programs
FSDELTA_STORE=store
export FSDELTA_LIBEXECDIR FSDELTA_STORE

# wrapper DELAY_NS: the last argument is the folder that is worked in.
wrapper()
{
	cat >programs/rename-plain <<EOF2
#!/bin/sh
for dir in "\$@"; do :; done
case \$(findmnt -n -o OPTIONS -T "\$dir") in
*noatime*) exec "$native/rename-plain" --delay-ns $1 "\$@" ;;
esac
exec "$native/rename-plain" "\$@"
EOF2
	chmod +x programs/rename-plain
}

run()
{
	"$fsdelta" run -q -w rename-plain -t "$fs" --memory "$@" </dev/null >>log 2>&1 || {
		cat log >&2
		exit 2
	}
}

# How long is an operation? The delay follows from it, and is the same for all that follow.
wrapper 0
run --label calibrate -n 6
rate=$("$fsdelta" show calibrate | awk '$1 == "*" && $2 == "rename-same.rate" { print $5 }')
delay=$(awk -v rate="$rate" -v percent="$percent" \
	'BEGIN { if (rate > 0) printf "%.0f", 1e9 / rate * percent / 100 }')
[ -n "$delay" ] || {
	echo "$0: no rate in what was calibrated" >&2
	exit 2
}
wrapper "$delay"
run --arm plain --arm delayed:mount=noatime -n "$iterations"
"$fsdelta" compare plain delayed >comparison
awk -v rate="$rate" -v delay="$delay" -v percent="$percent" 'BEGIN {
	printf "%s operations/s when calibrated; each delayed by %d ns, %s %% of its time\n", \
		rate, delay, percent
	printf "expected change of the rate: %.2f %%\n", 100 / (1 + percent / 100) - 100
}'
sed -n '/^Summary/,/^$/p' comparison
