#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two published experiments of one run a side (tests/published; the other two, which have
# lists of samples, are in stats.sh): the figures they gave, what they did not say, and that
# nothing of it is a verdict.

# shellcheck source=tests/pipeline-lib.sh
. "${top_srcdir:-.}/tests/pipeline-lib.sh"

pipeline_install
published=$(cd "$top_srcdir/tests/published" && pwd)
work=$tap_dir/target
mkdir "$work"
cd "$tap_dir" || exit 99

# dbench: the table of the mail, and a line of progress, without which no run is believed.
stub dbench <<EOF2
echo '  16   1000000  1000.00 MB/sec  execute 299 sec  latency 100.000 ms'
cat "$published/dbench-\$SIDE.txt"
EOF2
job published-dbench <<'EOF2'
# Prints what was published.
[job]
summary = for a test
tool = dbench
[params]
clients = 16
runtime = 300
EOF2
for side in before after; do
	tap_run env PATH="$tap_dir/stubs:$PATH" SIDE=$side "$fsdelta" run -q \
		-w published-dbench -t "dir:$work" -n 1 --label $side
	[ "$tap_status" -eq 0 ] || tap_not_ok "dbench: $side" "$tap_err"
done
# change METRIC: of the means, in percent, from the JSON document.
tap_run "$fsdelta" compare before after --format json
json=$tap_out
change()
{
	printf '%s\n' "$json" | awk -v name="$1" '
		/"metric": / { split($0, part, "\""); metric = part[4] }
		metric == name && /"pct_mean": / {
			sub(/.*: /, "")
			printf "%.1f\n", $0 + 0
			exit
		}'
}

tap_is "$(change throughput)" "6.5" "dbench: the published throughput"
tap_is "$(change headline-max-latency)" "-29.4" "dbench: the published max latency"
tap_is "$(change rename.latency.max)" "-75.8" "dbench: 'rename latency' is the maximum"
tap_is "$(change rename.latency.mean)" "-94.3" "dbench: the average fell by more"
tap_is "$(change unlink.latency.mean)" "19.4" "dbench: Unlink's average rose, unsaid"
tap_is "$(change flush.latency.mean)" "17.9" "dbench: Flush's average rose, unsaid"
tap_run "$fsdelta" compare before after --all
tap_is "$(printf '%s\n' "$tap_out" | grep -Ec '(IMPROVED|REGRESSED|SMALL|SAME)$')" 0 \
	"dbench: one run a side is no verdict"
tap_match "$tap_out" 'n = 1 and 1: one value says nothing about noise' "dbench: and why"
tap_is "$tap_status" 3 "dbench: exit status says inconclusive"

# fs_mark: four arms, one value each.
fs_mark()
{
	for arm in baseline list-lock per-cpu trylock; do
		awk -v arm="$arm" -v column="$1" '
			$1 == "arm" { for (i = 1; i <= NF; i++) at[$i] = i }
			$1 == arm { print $at[column] }' "$published/fs_mark.txt" >$arm
	done
	tap_run "$fsdelta" stats --better higher baseline list-lock per-cpu trylock
	printf '%s\n' "$tap_out" | sed -n 's/^means  *//p' | tr -s ' '
}

tap_is "$(fs_mark xfs-files)" "+27.70% +27.10% +24.59%" "fs_mark: files/s on xfs"
tap_is "$(fs_mark xfs-MB)" "+8.09% +1.10% -2.21%" "fs_mark: MB/s on xfs"
tap_is "$(fs_mark btrfs-files)" "+4.04% +6.30% +2.01%" "fs_mark: files/s on btrfs"
tap_is "$(fs_mark btrfs-MB)" "+24.28% +21.09% +17.89%" "fs_mark: MB/s on btrfs"
fs_mark xfs-files >/dev/null
tap_is "$(printf '%s\n' "$tap_out" | grep -Ec 'IMPROVED|REGRESSED')" 0 "fs_mark: no verdict"
tap_match "$tap_out" 'UNTESTABLE' "fs_mark: and that is said"

tap_done
