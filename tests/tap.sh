# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sourced by shell tests (POSIX sh): each check prints one line of TAP, and the test ends
# with tap_done. A test that stops before tap_done is an error, since the plan is
# missing.
#
#   . "${top_srcdir:-.}/tests/tap.sh"
#   tap_is "$(fsdelta --version)" "fsdelta 0.1.0" "prints the version"
#   tap_done
#
# $tap_dir is a fresh working directory, removed at the end.

set -u

tap_n=0
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/fsdelta-test.XXXXXX") || exit 99
trap 'rm -rf "$tap_dir"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# tap_diag TEXT: lines that explain, below the result they belong to.
tap_diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# tap_ok DESC
tap_ok()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1"
}

# tap_not_ok DESC [DIAGNOSTIC]
tap_not_ok()
{
	tap_n=$((tap_n + 1))
	echo "not ok $tap_n - $1"
	[ -z "${2-}" ] || tap_diag "$2"
}

# tap_skip DESC REASON
tap_skip()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# tap_is GOT WANT DESC
tap_is()
{
	if [ "$1" = "$2" ]; then
		tap_ok "$3"
	else
		tap_not_ok "$3" "got:
$1
want:
$2"
	fi
}

# tap_match GOT REGEX DESC: some line of GOT matches the extended regular expression.
tap_match()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		tap_ok "$3"
	else
		tap_not_ok "$3" "no line matches: $2
got:
$1"
	fi
}

# tap_run COMMAND...: runs it, without input; leaves $tap_status, $tap_out and $tap_err.
# shellcheck disable=SC2034 # for the test
tap_run()
{
	tap_status=0
	"$@" </dev/null >"$tap_dir/.out" 2>"$tap_dir/.err" || tap_status=$?
	tap_out=$(cat "$tap_dir/.out")
	tap_err=$(cat "$tap_dir/.err")
}

# tap_skip_all REASON: nothing can be tested here.
tap_skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# tap_need_root: skips the whole test for other users.
tap_need_root()
{
	[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
}

# tap_bail REASON: the test itself is broken.
tap_bail()
{
	echo "Bail out! $1"
	exit 99
}

tap_done()
{
	echo "1..$tap_n"
	exit 0
}
