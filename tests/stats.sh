#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fsdelta stats and explain-percent, on the published lists (tests/published) among others.
. "${top_srcdir:-.}/tests/tap.sh"

fsdelta=$(cd "${top_builddir:-.}" && pwd)/fsdelta
published=$(cd "${top_srcdir:-.}/tests/published" && pwd)
fixtures=$(cd "${top_srcdir:-.}/tests/fixtures" && pwd)

[ -x "$fsdelta" ] || tap_skip_all "fsdelta was not built"
cd "$tap_dir" || tap_bail "no $tap_dir"

# stats OPTION...: leaves the text in $tap_out, and says when something is not fit for a mail.
stats()
{
	tap_run "$fsdelta" stats "$@"
	unfit=$(printf '%s\n' "$tap_out" | LC_ALL=C awk 'length > 75 || /[^ -~]/ || / $/')
	[ -z "$unfit" ] || tap_not_ok "text of stats $* is fit for a mail" "$unfit"
	[ "$tap_status" -eq 0 ] || tap_not_ok "stats $*" "$tap_err"
}

# row NAME: the figures of a row, single blanks between.
row()
{
	printf '%s\n' "$tap_out" | sed -n "s/^$1  *//p" | tr -s ' '
}

# The deviations of this mail are those of a population; its second HMean is none.
stats --column before --column after --rate --population --welch --digits 15 "$published/utime.txt"
tap_is "$(row 'pop\.sd')" "182.161981912585 146.829034703967" "utime: the published stddev is pop.sd"
tap_is "$(row sd)" "193.211959027155 155.735709171375" "utime: sd is that of a sample"
tap_is "$(row hmean)" "35677.9600871036 32956.4559461858" "utime: harmonic means"
tap_is "$(row mean)" "35678.8888888889 32957.1111111111" "utime: the second HMean was the mean"
tap_match "$(row hmeans)" '^-7\.62797' "utime: change of harmonic means"
tap_match "$(row means)" '^-7\.62853' "utime: change of means"
tap_match "$(row medians)" '^-7\.50946' "utime: change of medians"
tap_match "$(row 'shift (H-L)')" '^-7\.58856' "utime: Hodges and Lehmann"
tap_is "$(row p)" 4.1e-05 "utime: exact p"
tap_is "$(row verdict)" LOWER "utime: LOWER when no side is good"
stats --column before --column after --better higher "$published/utime.txt"
tap_is "$(row verdict)" REGRESSED "utime: REGRESSED when higher is better"
tap_is "$(row 'pop\.sd')$(row hmean)" "" "pop.sd and hmean are for who asks"

# This mail has those of a sample, for real and sys.
stats --better lower --digits 15 "$published/unlink-base.txt" "$published/unlink-patched.txt"
tap_is "$(row sd)" "1.42400062421959 5.76146200581454
1.22474487139159 5.45690184791497" "unlink: the published stddev is sd"
tap_is "$(row mean)" "91.4444444444444 72.2222222222222
89.3333333333333 70.5555555555556" "unlink: means"
tap_is "$(row median)" "91 75
90 73" "unlink: medians"
tap_match "$(row means)" '^-21\.0206' "unlink: the change is no 26 %"
tap_is "$(row verdict)" "IMPROVED
IMPROVED" "unlink: verdicts"
tap_is "$(row 'p (Holm)')" "8.2e-05
8.2e-05" "unlink: two tests count as two"
tap_match "$tap_out" 'coarse: 67 % of the values are tied' "unlink: seconds are coarse"
table=$(row sd; row mean; row median; row means)
stats --digits 15 --column 3 --column 1 "$published/unlink.txt"
real=$(row sd; row mean; row median; row means)
stats --digits 15 --column 4 --column 2 "$published/unlink.txt"
sys=$(row sd; row mean; row median; row means)
tap_is "$(printf '%s\n%s\n' "$real" "$sys" | sort)" "$(printf '%s\n' "$table" | sort)" \
	"unlink: as it stands in the mail, and as tables"
stats --column 'calls A' --column 'B (2)' --welch "$published/unlink-fsync.txt"
tap_is "$(row means | head -n 1)" "-5.06%" "unlink with fsync: calls"
tap_is "$(printf '%s\n' "$tap_out" | sed -n '/^Welch/,$s/^  p *//p')" 0.04 "unlink with fsync: Welch's p"

# Descriptions.
stats --digits 17 "$fixtures/numbers-list.txt"
tap_is "$(row n) $(row min) $(row max)" "5 -2500 1.8446744073709552e+19" "a list"
tap_match "$tap_out" 'n = 5 is too few' "says that it is short"
tap_is "$(row verdict)$(row p)" "" "one sample has no verdict"
tap_run sh -c 'printf "1\n2\n3\n" | "$1" stats -' sh "$fsdelta"
tap_match "$tap_out" '^ +stdin$' "standard input"
stats --column mean --label time "$fixtures/numbers-table.csv"
tap_is "$(row n) $(row mean)" "2 0.15125" "a column beside text"
tap_match "$tap_out" '^ +time$' "a label"

# Orders.
seq 100 119 >a
seq 103 122 >b
stats a b
tap_match "$tap_out" '^Assumed: ' "says what it assumes"
tap_is "$(row verdict)" UNSURE "noise is UNSURE"
tap_match "$tap_out" '^b: UNSURE: too noisy .*could have seen' "with what could have been seen"
stats --interleaved a b
tap_match "$tap_out" '^Order: .*turns' "or what was said"
stats --paired a b
tap_is "$(row verdict)" HIGHER "pairs see a small shift"
stats --blocks a b
tap_is "$(row p)" 1.9e-06 "blocks are pairs"
stats --sequential --column before --column after "$published/utime.txt"
tap_match "$tap_out" '^after: UNSURE: between these two sessions' "one after the other: UNSURE"
head -n 5 a >a5
head -n 5 b >b5
stats a5 b5
tap_match "$tap_out" 'UNTESTABLE: too few units a side; a verdict needs 6' "5 values: UNTESTABLE"
yes 7 | head -n 10 >c1
yes 7 | head -n 10 >c2
stats c1 c2
tap_is "$(row verdict)" SAME "constants that are equal: SAME"
awk 'BEGIN { for (i = 0; i < 40; i++) print 1000 + i % 7 }' >s1
awk 'BEGIN { for (i = 0; i < 40; i++) print 1002 + i % 7 }' >s2
stats s1 s2
tap_is "$(row verdict)" SMALL "0.2 %: SMALL"
stats --delta 0.1 --better lower s1 s2
tap_is "$(row verdict)" REGRESSED "unless that is of interest"
yes 0 | head -n 10 >zeros
stats --rate zeros a
tap_is "$(row '  not in %')$(row 'shift (H-L)')" "109.5-" "from 0 there is no percentage"
tap_match "$tap_out" '^a: HIGHER: the base is 0' "but a verdict"
tap_match "$tap_out" '^zeros: a rate of 0: there is no harmonic mean' "and no harmonic mean"
mkdir x
cp b x/a
stats a x/a
tap_match "$tap_out" '^ +a +x/a$' "two files of one name keep their folder"
stats a b s1 s2 c1 a5 --label one --label two --label three --label four --label five \
	--label sixth-with-a-long-name-that-is-cut
tap_match "$tap_out" '^p \(Holm\)' "many arms, one table below the other"

# Large samples.
awk 'BEGIN { srand(1); for (i = 0; i < 5000; i++) print 100 + 10 * rand() }' >l1
awk 'BEGIN { srand(2); for (i = 0; i < 5000; i++) print 97 + 10 * rand() }' >l2
stats l1 l2
tap_is "$(row verdict)" LOWER "5000 values"

# json KEY: the values of a member, on one line.
json()
{
	printf '%s\n' "$tap_out" | sed -n "s/^ *\"$1\": *\(.*[^,]\),*\$/\1/p" | tr '\n' ' '
}

tap_run "$fsdelta" stats --format json --column before --column after "$published/utime.txt"
tap_is "$(json schema)" '"fsdelta-stats/1" ' "json: schema"
tap_is "$(json verdict)$(json order)$(json better)" '"LOWER" "assumed" "neutral" ' "json: words"
tap_match "$(json pop_sd)" '^182\.16198191258[0-9]* 146\.829034703967[0-9]* $' "json: pop_sd"
tap_match "$(json sd)" '^193\.2119590271552[0-9]* 155\.7357091713750*[0-9]* $' "json: sd"
tap_is "$(json why)" "null " "json: what is not there is null"
name=$(printf 'a\377"\033')
cp a "$name"
tap_run "$fsdelta" stats --format json "$name"
tap_is "$(json label)" '"a\\xff\"\\x1b" ' "json: any file name"

# refused REGEX DESC OPTION...
refused()
{
	regex=$1
	desc=$2
	shift 2
	tap_run "$fsdelta" stats "$@"
	if [ "$tap_status" -eq 2 ] && [ -z "$tap_out" ]; then
		tap_match "$tap_err" "$regex" "refuses $desc"
	else
		tap_not_ok "refuses $desc" "status $tap_status
$tap_out"
	fi
}

bad=$fixtures/numbers-bad.txt
refused "numbers-bad\.txt:3:1: 'nan' is not finite" "nan" "$bad" a
refused "txt:4:1: '-inf' is not finite" "inf" "$bad" a
refused "txt:5:1: '0x1f' is hexadecimal" "hexadecimal" "$bad" a
refused "txt:6:1: '1e400' is too large" "too large" "$bad" a
refused "txt:7:1: '1e-400' is too small" "too small" "$bad" a
refused "txt:8:1: '12s' is not a number" "units" "$bad" a
refused "txt:9:3: ',' there is no value" "an empty field" "$bad" a
printf '1\n7 8\n' >ragged
refused "ragged:2:1: '7' starts a row of 2, and the lines above have 1" "a ragged table" ragged a
refused "ragged:2:1: .*|empty: there" "mistakes in all files" empty ragged
printf '3\n-1\n' >negative
refused "negative:2:1: '-1' is negative" "a negative rate" --rate negative
: >empty
refused "empty: *there are no numbers" "an empty file" empty a
refused "no-such-file: No such file" "a missing file" no-such-file
refused "x: Is a directory" "a folder" x
refused "are the same file" "a file twice" a a
cp a a2
refused "are the same data" "the same data twice" a a2
refused "pairs need as many values" "pairs without partners" --paired a a5
refused "read once" "standard input twice" - -
refused "no column 'real' \(there are: 1\)" "an unknown column" --column real a b
refused "asked for twice" "a column twice" --column 1 --column 1 "$published/unlink-base.txt"
refused "has 1: choose one with --column" "tables that do not match" "$published/unlink-base.txt" a
refused "1 of them for 2 samples" "labels that do not fit" --label x a b
refused "contradicts" "two orders" --paired --sequential a b
refused "which file" "no file"
refused "unknown option" "unknown options" --nonsense a
refused "needs a value" "options without their value" a --delta
refused "--delta -1" "a negative delta" --delta=-1 a
refused "--better up" "an unknown direction" --better up a
refused "--format xml" "an unknown format" --format xml a
refused "--digits 40" "too many digits" --digits 40 a

# explained STATUS REGEX DESC A B CLAIMED
explained()
{
	want=$1
	regex=$2
	desc=$3
	shift 3
	tap_run "$fsdelta" explain-percent "$@"
	if [ "$tap_status" -eq "$want" ]; then
		tap_match "$tap_out$tap_err" "$regex" "explain-percent: $desc"
	else
		tap_not_ok "explain-percent: $desc" "status $tap_status
$tap_out$tap_err"
	fi
}

explained 0 '^Explained: 100 \* \(B - A\) / A, rounded' "the base's" 100 112.34 12.3%
explained 0 '/ B .*truncated to ones, sign dropped' "the new one's" 91.4444 72.2222 26%
explained 0 '^Explained: 100 \* .*/ 2\), ' "the symmetric one" 100 150 40%
explained 0 '^Explained: B / A' "a ratio" 100 350 3.5x
explained 0 '^Explained: 100 \* \(B - A\) / A' "a negative claim" 200 100 -50
explained 0 '^Explained' "behind --" -- -200 -100 -50
explained 3 '^Not explained' "none" 91.44 72.22 50%
explained 3 '^Not explained' "per cent are no ratio" 100 350 3.5%
explained 3 '^Not explained' "a change of 0" 0 5 7%
explained 2 'three figures' "two figures" 1 2
explained 2 "'abc' is not a decimal" "a word" 1 2 abc
explained 2 "'nan' is not a decimal" "nan" nan 2 3
explained 2 "'0x1' is not a decimal" "hexadecimal" 0x1 2 3
explained 2 'unknown option' "an unknown option" --nonsense 1 2 3
explained 0 '^Usage' "help" --help
tap_done
