#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Real comparisons of an arm with itself, on file systems in memory: how often is a difference
# claimed that cannot be there? Not part of `make bench`: it takes about a minute a
# comparison, and root.
#
#   sudo bench/aa-real.sh [COMPARISONS [ITERATIONS]]     default 20 and 10
#
# $FSDELTA: the program; default ./fsdelta. Workloads are those of the default suite in a small
# form; the file systems take turns. Everything measured stays in ./aa-results.

set -u
comparisons=${1:-20}
iterations=${2:-10}
fsdelta=$(realpath "${FSDELTA:-./fsdelta}")
jobs=$(cd "$(dirname "$0")/../workloads" && pwd)

[ "$(id -u)" -eq 0 ] || {
	echo "$0: file systems are made and mounted: run it as root" >&2
	exit 2
}
mkdir -p aa-results/fsdelta.d && cd aa-results || exit 2
for name in fsync-new rename-replace unlink-many utime; do
	sed 's/^files = .*/files = 1000/' "$jobs/$name.job" >"fsdelta.d/aa-$name.job" || exit 2
done

# claims: of a comparison as JSON, on one line: rows, primary rows, and claims among each.
claims()
{
	awk '
	/^ *"primary": / { primary = /true/ }
	/^ *"verdict": / {
		n = split("IMPROVED REGRESSED HIGHER LOWER SMALL", word, " ")
		rows++
		primaries += primary
		for (i = 1; i <= n; i++)
			if (index($0, "\"" word[i] "\"")) {
				claimed++
				primary_claimed += primary
			}
	}
	END { print rows + 0, primaries + 0, claimed + 0, primary_claimed + 0 }'
}

i=0
while [ "$i" -lt "$comparisons" ]; do
	case $((i % 3)) in 0) fs=btrfs ;; 1) fs=xfs ;; *) fs=ext4 ;; esac
	i=$((i + 1))
	FSDELTA_STORE=store-$i "$fsdelta" run -q --arm one --arm other -n "$iterations" --memory \
		-t $fs -w aa-fsync-new,aa-rename-replace,aa-unlink-many,aa-utime --seed $i \
		</dev/null >/dev/null 2>log-$i || {
		cat log-$i >&2
		exit 2
	}
	FSDELTA_STORE=store-$i "$fsdelta" compare one other --format json >comparison-$i.json
	case $? in 0 | 1 | 3) ;; *) exit 2 ;; esac
	found=$(claims <comparison-$i.json)
	echo "comparison $i on $fs: rows, primary rows, claims, primary claims: $found" | tee -a figures
done

awk '{
	n++
	rows += $(NF - 3); primaries += $(NF - 2); claims += $(NF - 1); primary += $NF
	any += $(NF - 1) > 0; any_primary += $NF > 0
} END {
	printf "%d comparisons of an arm with itself: %d with a claim in a primary row (%.1f %%), " \
		"%d with any claim (%.1f %%)\n", n, any_primary, 100 * any_primary / n,
		any, 100 * any / n
	printf "%d of %d primary rows (%.2f %%) and %d of %d rows (%.2f %%) claim a difference\n",
		primary, primaries, 100 * primary / primaries, claims, rows, 100 * claims / rows
}' figures
