#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: install-packages.sh [--list | --check | --unpack DIR] PURPOSE...
#
# Installs what packages.txt lists for the purposes (build, run, test) and is missing;
# quick and silent when nothing is. --list prints the package names, --check only looks.
# --unpack puts the content of the packages, and of the first package that each depends on (a
# metapackage is empty), into the new folder DIR and installs nothing.
set -u

list=$(dirname "$0")/packages.txt
mode=install
case ${1-} in
--list | --check)
	mode=${1#--}
	shift
	;;
--unpack)
	mode=unpack
	unpack_dir=${2-}
	shift 2 || exit 2
	;;
esac

[ $# -gt 0 ] || {
	echo "usage: $0 [--list | --check | --unpack DIR] build|run|test|guest..." >&2
	exit 2
}

# Prints "PACKAGE PROOF" for each purpose given.
wanted()
{
	for purpose in "$@"; do
		awk -v purpose="$purpose" '
			/^[ \t]*(#|$)/ { next }
			$1 == purpose { print $2, $3; n++ }
			END { exit n == 0 }' "$list" || {
			echo "$0: no package has the purpose '$purpose' in $list" >&2
			exit 2
		}
	done
}

# Prints the packages of $wanted that dpkg does not have.
missing_debian()
{
	names=$(printf '%s\n' "$wanted" | cut -d' ' -f1)
	# shellcheck disable=SC2086 # one word per package
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' $names 2>/dev/null |
		awk -v names="$names" '
			$2 == "installed" { have[$1] = 1 }
			END {
				n = split(names, name)
				for (i = 1; i <= n; i++)
					if (!(name[i] in have))
						print name[i]
			}'
}

present()
{
	case $1 in
	cmd:*) PATH=$PATH:/usr/sbin:/sbin command -v "${1#cmd:}" >/dev/null ;;
	pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
	py:*) python3 -c "import ${1#py:}" 2>/dev/null ;;
	esac
}

# Prints the packages of $wanted whose proof is not found.
missing_elsewhere()
{
	printf '%s\n' "$wanted" | while read -r name proof; do
		[ "$proof" = - ] || present "$proof" || echo "$name"
	done
}

# with_first_dependency PACKAGE: both names.
with_first_dependency()
{
	apt-cache depends --important "$1" | sed -n '1p; s/^ *Depends: //p' | sed -n 1,2p | tr -d ' '
}

# Fetches into $work and unpacks there, so that DIR is there whole or not at all.
unpack()
(
	cd "$work" && mkdir root || exit
	for name in $(printf '%s\n' "$wanted" | cut -d' ' -f1); do
		# shellcheck disable=SC2046 # one word per package
		apt-get download -q $(with_first_dependency "$name") || exit
	done
	for deb in *.deb; do
		dpkg-deb -x "$deb" root || exit
	done
)

wanted=$(wanted "$@") || exit
if [ "$mode" = unpack ]; then
	for tool in apt-get apt-cache dpkg-deb; do
		command -v "$tool" >/dev/null && continue
		echo "$0: this is no Debian: it has no $tool" >&2
		exit 1
	done
	mkdir -p "$(dirname "$unpack_dir")" || exit
	work=$(mktemp -d "$unpack_dir.XXXXXX") || exit
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	{ unpack || { apt-get update && rm -rf "$work/root" && unpack; }; } \
		>"$work/log" 2>&1 </dev/null || {
		tail -n 3 "$work/log" >&2
		exit 1
	}
	# Somebody else may have been quicker.
	mv -T "$work/root" "$unpack_dir" 2>/dev/null || [ -d "$unpack_dir" ]
	exit
fi
if [ "$mode" = list ]; then
	printf '%s\n' "$wanted" | cut -d' ' -f1
	exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	missing=$(missing_elsewhere)
	[ -z "$missing" ] && exit 0
	echo "fsdelta: this is no Debian; install what these Debian packages hold:" >&2
	for name in $missing; do
		grep -E "^[a-z]+ +$name " "$list" | head -n 1 | sed 's/^/  /' >&2
	done
	exit 1
fi

missing=$(missing_debian | tr '\n' ' ')
[ -z "$missing" ] && exit 0
install="apt-get install -y --no-install-recommends ${missing% }"
if [ "$mode" = check ]; then
	echo "fsdelta: missing packages: ${missing% }" >&2
	exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
	{
		echo "fsdelta: packages are missing; as root:"
		echo "  sudo $install"
	} >&2
	exit 1
fi

echo "fsdelta: installing ${missing% }"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# The package lists may be absent or too old: fetch them when the first try fails.
# shellcheck disable=SC2086 # a command line of plain words
$install >"$log" 2>&1 </dev/null ||
	{ apt-get update && $install; } >"$log" 2>&1 </dev/null || {
	tail -n 20 "$log" >&2
	echo "fsdelta: could not install packages with: $install" >&2
	exit 1
}
