#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The native workload programs: their output, their work, their errors.
. "${top_srcdir:-.}/tests/tap.sh"

bin=${FSDELTA_LIBEXECDIR:-${top_builddir:-.}/workloads/native}
programs="fsync-append fsync-new rename-plain rename-replace unlink-many utime"
[ -x "$bin/utime" ] || tap_bail "$bin/utime was not built"
bin=$(cd "$bin" && pwd)
dir=$tap_dir/dir
mkdir "$dir"

u='[0-9]+'
real='[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?'
header="\\{\"fsdelta-native\":1,\"program\":\"[a-z-]+\",\"version\":\"[^\"]+\",\"seed\":$u"
header="$header,\"threads\":$u,\"files\":$u,\"dirs\":$u,\"size\":$u,\"rounds\":$u"
header="$header,\"options\":\\{\"delay-ns\":$u(,\"[a-z-]+\":(true|false|$u|\"[a-z]+\"))+\\}\\}"
op="\\{\"op\":\"[a-z-]+\",\"count\":$u,\"errors\":0,\"seconds\":$real,\"wall_seconds\":$real"
op="$op,\"rate\":(null|$real)(,\"(min|p50|p90|p99|p999|max)_ns\":$u){6},\"mean_ns\":$real"
op="$op,\"hist\":\\{\"sub_bits\":6,\"sum\":$u,\"buckets\":\\[\\[$u,$u\\](,\\[$u,$u\\])*\\]\\}\\}"
no_data='"seconds":null,"wall_seconds":[0-9.e+-]+,"rate":null(,"(min|p50|p90|p99|p999|max)_ns":null){6}'
no_data="$no_data,\"mean_ns\":null,\"hist\":\\{\"sub_bits\":6,\"sum\":null,\"buckets\":\\[\\]\\}\\}\$"
# Without failures.
done_line="\\{\"done\":true,\"seconds\":$real,\"errors\":0\\}"

# counts: "class count errors" of every class in $tap_out, one line.
counts()
{
	printf '%s\n' "$tap_out" |
		sed -En 's/^\{"op":"([a-z-]+)","count":([0-9]+),"errors":([0-9]+),.*/\1 \2 \3/p' |
		tr '\n' ';'
}

# field CLASS NAME: a number of $tap_out.
field()
{
	printf '%s\n' "$tap_out" | sed -En "s/^\\{\"op\":\"$1\",.*\"$2\":([0-9.e+-]+|null)[,}].*/\\1/p"
}

# Quantiles out of order, histograms with another total than count.
contradictions()
{
	printf '%s\n' "$tap_out" | grep '^{"op"' | awk '
		function value(name, part)
		{
			split($0, part, "\"" name "\":")
			return part[2] + 0
		}
		{
			n = split("min p50 p90 p99 p999 max", q, " ")
			for (i = 2; i <= n; i++)
				if (value(q[i] "_ns") < value(q[i - 1] "_ns"))
					print "order of " q[i] ": " $0
			buckets = $0
			sub(/.*"buckets":\[\[/, "", buckets)
			sub(/\]\].*/, "", buckets)
			n = split(buckets, pair, /\],\[/)
			total = 0
			for (i = 1; i <= n; i++) {
				split(pair[i], bucket, ",")
				total += bucket[2]
			}
			if (total != value("count"))
				print "buckets hold " total ": " $0
			if (value("sum") / 1e9 - value("seconds") > 1e-9)
				print "seconds: " $0
		}'
}

# works COUNTS PROGRAM OPTIONS...: it does what it must, and says so.
works()
{
	want=$1
	shift
	program=$1
	shift
	tap_run "$bin/$program" "$@" "$dir"
	tap_is "$tap_status $tap_err" "0 " "$program $*: succeeds"
	tap_is "$(counts)" "$want" "$program $*: does the work"
	tap_is "$(printf '%s\n' "$tap_out" | grep -Evx "$header|$op|$done_line")" "" \
		"$program $*: every line has its form"
	tap_match "$(printf '%s\n' "$tap_out" | sed -n '1p')" "\"program\":\"$program\"" \
		"$program $*: begins with the parameters"
	tap_match "$(printf '%s\n' "$tap_out" | sed -n '$p')" '^\{"done":true' \
		"$program $*: ends with done"
	tap_is "$(contradictions)" "" "$program $*: no contradictions"
	tap_is "$(ls -A "$dir")" "" "$program $*: leaves nothing"
}

same="--files 50 --threads 3 --dirs 2 --rounds 2 --size 5000"
# shellcheck disable=SC2086 # words
{
	works "open 100 0;write 100 0;fsync 100 0;close 100 0;append 100 0;" fsync-append $same
	works "create 100 0;write 100 0;fsync 100 0;close 100 0;file 100 0;" fsync-new $same
	works "rename-same 100 0;rename-cross 100 0;" rename-plain $same
	works "create 100 0;write 100 0;fsync 100 0;close 100 0;rename 100 0;replace 100 0;" \
		rename-replace $same
	works "create 100 0;write 100 0;fsync 100 0;close 100 0;rename 100 0;fsync-dir 100 0;replace 100 0;" \
		rename-replace $same --fsync-dir
	for order in readdir sorted creation random; do
		works "create 100 0;unlink 100 0;" unlink-many $same --order $order
	done
	works "utime 100 0;" utime $same
}
works "utime 1 0;" utime --files 1 --size 1 --no-sync
works "utime 7 0;" utime --files 7 --threads 7 --dirs 7

# Where an operation has parts, only the whole has a rate; seconds are those of the parts.
tap_run "$bin/fsync-new" --files 20 "$dir"
tap_is "$(field create rate) $(field fsync rate)" "null null" "no rate for a part"
tap_match "$(field file rate)" '^[0-9]' "a rate for the whole"
tap_is "$(($(field create sum) + $(field write sum) + $(field fsync sum) + $(field close sum)))" \
	"$(field file sum)" "the parts add up to the whole"

tap_run "$bin/utime" --files 5 --delay-ns 3000000 "$dir"
if [ "$(field utime min_ns)" -ge 3000000 ]; then
	tap_ok "--delay-ns is in the time of each operation"
else
	tap_not_ok "--delay-ns is in the time of each operation" "$tap_out"
fi

# What comes before the rounds that count.
tap_run "$bin/fsync-new" --files 10 --rounds 2 --warmup-rounds 3 --pad 4 --keep --mlock "$dir"
tap_is "$tap_status $tap_err $(counts)" "0  create 20 0;write 20 0;fsync 20 0;close 20 0;file 20 0;" \
	"warm-up rounds are not reported"
tap_is "$(find "$dir/fsync-new/d0" -type f | wc -l) $(find "$dir/fsync-new/pad" -type f | wc -l)" \
	"50 4" "but done, and the files of --pad stay"
rm -r "$dir/fsync-new"

# Every operation by itself: as many as the histograms have, and of the same sum.
each=$tap_dir/each
dump=${top_builddir:-.}/tests/each-dump
for program in $programs; do
	tap_run "$bin/$program" --files 20 --threads 3 --rounds 2 --warmup-rounds 1 --each "$each" \
		--each-cpu --instructions 5 "$dir"
	desc="$program --each"
	tap_is "$tap_status $tap_err" "0 " "$desc: succeeds"
	if [ ! -x "$dump" ]; then
		tap_skip "$desc: what is in the file" "tests/each-dump was not built"
		continue
	fi
	printf '%s\n' "$tap_out" |
		sed -En 's/^\{"op":"([a-z-]+)","count":([0-9]+),.*"sum":([0-9]+),.*/\1 elapsed \2 \3 2 3/p' \
		>"$tap_dir/want"
	"$dump" "$each" >"$tap_dir/got"
	tap_is "$(grep ' elapsed ' "$tap_dir/got")" "$(cat "$tap_dir/want")" "$desc: is what was counted"
	tap_is "$(awk '$2 == "cpu" { print $1, "elapsed", $3, $5, $6 }' "$tap_dir/got")" \
		"$(awk '{ print $1, "elapsed", $3, $5, $6 }' "$tap_dir/want")" "$desc: cpu time, too"
	tap_is "$(awk '$2 == "cpu" && $4 == 0' "$tap_dir/got")" "" "$desc: cpu time is not 0"
done
tap_run "$bin/rename-replace" --files 20 --each "$each" "$dir"
tap_is "$(($(field create sum) + $(field write sum) + $(field fsync sum) + $(field close sum) + \
	$(field rename sum)))" "$(field replace sum)" "--each: the parts add up to the whole"

# content PROGRAM OPTIONS...: of all files that it leaves, by name.
content()
{
	program=$1
	shift
	"$bin/$program" --keep "$@" "$dir" >/dev/null || echo "failed"
	(cd "$dir" && find . -type f -exec cksum {} + | sort -k 3)
	rm -rf "${dir:?}/$program"
}

for program in fsync-append fsync-new rename-replace; do
	content "$program" --files 20 --rounds 2 --seed 7 >"$tap_dir/one"
	content "$program" --files 20 --rounds 2 --seed 7 --threads 3 >"$tap_dir/two"
	content "$program" --files 20 --rounds 2 --seed 8 >"$tap_dir/other"
	tap_is "$(cat "$tap_dir/two")" "$(cat "$tap_dir/one")" "$program: a seed, a content"
	tap_is "$(cat "$tap_dir/one" "$tap_dir/other" | cut -d' ' -f1 | sort | uniq -d)" "" \
		"$program: another seed, another content"
done
tap_is "$(wc -l <"$tap_dir/one")" 20 "--keep leaves the files"

# usage PATTERN ARGUMENTS...: is refused before anything is done.
usage()
{
	pattern=$1
	shift
	tap_run "$bin/unlink-many" "$@"
	tap_is "$tap_status $tap_out" "2 " "usage: $*"
	tap_match "$tap_err" "$pattern" "usage: $*: says why"
}

usage 'nonsense' --nonsense "$dir"
usage 'want one DIR' --files 3
usage 'want one DIR' "$dir" "$dir"
usage '^unlink-many: --files 0: want a number from 1' --files 0 "$dir"
usage '^unlink-many: --files -1: ' --files -1 "$dir"
usage '^unlink-many: --files  5: ' --files ' 5' "$dir"
usage '^unlink-many: --files 5x: ' --files 5x "$dir"
usage '^unlink-many: --files 5K: ' --files 5K "$dir"
usage '^unlink-many: --seed 18446744073709551616: ' --seed 18446744073709551616 "$dir"
usage '^unlink-many: --size 2G: ' --size 2G "$dir"
usage '^unlink-many: --order sort: want one of readdir' --order sort "$dir"
usage 'more threads than files' --files 3 --threads 4 "$dir"
usage 'more directories than files' --files 3 --dirs 4 "$dir"
usage 'want no DIR' --selftest "$dir"
usage 'each-cpu without --each' --each-cpu "$dir"

# fails PATTERN COMMAND...: exit status 1, with that message.
fails()
{
	pattern=$1
	desc=$2
	shift 2
	tap_run "$@"
	tap_is "$tap_status" 1 "$desc: fails"
	tap_match "$tap_err" "$pattern" "$desc: says why"
}

fails '^utime: cannot open .*/none: No such file' "no DIR" "$bin/utime" "$dir/none"
fails '^utime: cannot make .*/none/each: No such file' "no folder for --each" \
	"$bin/utime" --each "$dir/none/each" "$dir"
fails '^utime: cannot write /dev/full: No space' "no room for --each" \
	"$bin/utime" --files 2 --each /dev/full "$dir"
mkdir "$dir/utime" && echo mine >"$dir/utime/file"
fails '^utime: cannot make .*/utime: File exists \(left' "DIR/PROGRAM exists" "$bin/utime" "$dir"
tap_is "$(cat "$dir/utime/file")" mine "DIR/PROGRAM of somebody else is left alone"
rm -r "$dir/utime"

# Errors of operations: the writes fail, the creations before them do not.
# shellcheck disable=SC2016 # for the inner shell
too_large='trap "" XFSZ; ulimit -f 8; exec "$@"'
fails '^fsync-new: write .*/dir/fsync-new/d0/f[0-9]+: File too large$' "a file too large" \
	sh -c "$too_large" sh "$bin/fsync-new" --files 5 --rounds 3 --size 64K "$dir"
tap_is "$(counts)" "create 5 0;write 0 5;close 5 0;" "failures are counted, the rest is not done"
tap_match "$tap_out" "^\\{\"op\":\"write\",\"count\":0,\"errors\":5,$no_data" "no data, no number"
tap_match "$tap_out" '^\{"done":true,.*"errors":5\}$' "failures are in the last line"
tap_is "$(printf '%s\n' "$tap_err" | wc -l)" 1 "only the first failure is printed"
tap_is "$(ls -A "$dir")" "" "nothing is left after failures"

full="a full file system"
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	# In a mount namespace: nothing to undo.
	# shellcheck disable=SC2016 # for the inner shell
	tmpfs='mount -t tmpfs -o size=256k none "$1" && shift && exec "$@"'
	fails 'fsync-new: write .*: No space left on device$' "$full" \
		unshare -m sh -c "$tmpfs" sh "$dir" "$bin/fsync-new" --files 100 "$dir"
	tap_match "$(counts)" '^create 100 0;write [1-9][0-9]* [1-9][0-9]*;' "$full: counted"
	fails 'utime: write .*: No space left on device$' "$full, preparing" \
		unshare -m sh -c "$tmpfs" sh "$dir" "$bin/utime" --files 100 "$dir"
	tap_is "$(counts)" "" "$full, preparing: nothing was timed"
else
	tap_skip "$full" "needs root and a mount namespace"
fi

fails 'cannot write the output: No space left' "output that is lost" \
	sh -c '"$@" >/dev/full' sh "$bin/utime" --files 2 "$dir"

# The checks: system calls that succeed and do nothing.
cat >"$tap_dir/lies.c" <<'E2'
#include <sys/types.h>
struct timespec;
#ifdef UNLINK
int unlink(const char *p) { (void)p; return 0; }
#endif
#ifdef RENAME
int rename(const char *a, const char *b) { (void)a; (void)b; return 0; }
#endif
#ifdef WRITE
ssize_t write(int fd, const void *p, size_t n) { (void)fd; (void)p; return (ssize_t)n; }
#endif
#ifdef UTIME
int utimensat(int fd, const char *p, const struct timespec t[2], int f)
{
	(void)fd; (void)p; (void)t; (void)f;
	return 0;
}
#endif
E2

# notices CALL PATTERN PROGRAM
notices()
{
	if ! ${CC:-cc} -shared -fPIC -D"$1" -o "$tap_dir/lies.so" "$tap_dir/lies.c" 2>/dev/null; then
		tap_skip "$3 notices $1 that does nothing" "no compiler"
		return
	fi
	fails "$2" "$3 notices $1 that does nothing" env LD_PRELOAD="$tap_dir/lies.so" \
		ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$bin/$3" --files 5 "$dir"
}

notices UNLINK 'check .*/d0: is not empty$' unlink-many
notices RENAME 'check .*/d0: is not empty$' rename-plain
notices RENAME 'check .*/d0/f0: has not the content' rename-replace
notices WRITE 'check .*/d0/f0: has not the size' fsync-new
notices WRITE 'check .*/d0/f0: has not the size' fsync-append
notices UTIME 'check .*/d0/f0: has not its new modification time$' utime

for program in $programs; do
	tap_run "$bin/$program" --selftest
	tap_match "$tap_status $tap_out" \
		"^0 \\{\"selftest\":true,\"program\":\"$program\",\"timed_op_ns\":$real,.*\\}\$" \
		"$program --selftest"
	tap_run "$bin/$program" --help
	tap_match "$tap_status $tap_out" "^0 Usage: $program \\[OPTIONS\\] DIR\$" "$program --help"
	tap_is "$(printf '%s\n' "$tap_out" | awk 'length > 80' | wc -l)" 0 "$program --help is narrow"
	tap_run "$bin/$program" --version
	tap_match "$tap_status $tap_out" "^0 $program \\(fsdelta\\) " "$program --version"
done
tap_done
