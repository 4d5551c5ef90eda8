#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every subcommand of the table has its manual page, which names all options that its --help
# names, and mandoc has nothing to say about any page.
. "${top_srcdir:-.}/tests/lint-common.sh"

commands()
{
	[ ! -f "$1/harness/main.c" ] ||
		grep -Eo '&cmd_[a-z0-9_]+,' "$1/harness/main.c" |
		sed 's/&cmd_//; s/,//' | tr _ - | sort -u
}

without_page()
{
	for command in $(commands "$1"); do
		[ -f "$1/man/fsdelta-$command.1" ] ||
			echo "harness/main.c:1: no man/fsdelta-$command.1"
	done
	[ ! -f "$1/harness/main.c" ] || [ -f "$1/man/fsdelta.1" ] ||
		echo "harness/main.c:1: no man/fsdelta.1"
}

without_command()
{
	(
		cd "$1" || exit
		commands . >"$tap_dir/commands"
		for page in man/fsdelta-*.1; do
			command=${page#man/fsdelta-}
			[ ! -f "$page" ] || grep -Fqx "${command%.1}" "$tap_dir/commands" ||
				echo "$page:1: no such command"
		done
	)
}

# options TEXT: the long options in a text, sorted.
options()
{
	printf '%s\n' "$1" | grep -Eo -e '(^|[^-A-Za-z0-9])--[a-z][a-z0-9-]+' |
		sed 's/^[^-]*//' | sort -u
}

# undocumented PAGE HELP: options of the help text that the page does not name.
undocumented()
{
	options "$(mandoc -T ascii "$1" | sed 's/.\x08//g')" >"$tap_dir/in-page"
	options "$2" | grep -vFx -e --help -f "$tap_dir/in-page"
}

badly_formed()
{
	(
		cd "$1" || exit
		[ ! -d man ] || find man -name '*.[1-9]' -exec mandoc -T lint -W warning {} + |
			sed 's/^mandoc: //'
	)
}

lint_tree without_page "every command has a manual page"
lint_tree without_command "every manual page has its command"

plant_new
plant harness/main.c <<'EOF'
	&cmd_list, &cmd_new_thing,
EOF
plant man/fsdelta-list.1 </dev/null
plant man/fsdelta-old.1 </dev/null
tap_is "$(without_page "$planted")" "harness/main.c:1: no man/fsdelta-new-thing.1
harness/main.c:1: no man/fsdelta.1" "notices a command without a page"
lint_finds without_command '^man/fsdelta-old\.1:1: ' "a page without a command"

if command -v mandoc >/dev/null; then
	lint_tree badly_formed "mandoc is content with the pages"
	for command in $(commands "$tree"); do
		page=$tree/man/fsdelta-$command.1
		[ -x "${top_builddir:-.}/fsdelta" ] && [ -f "$page" ] || continue
		tap_is "$(undocumented "$page" \
			"$("${top_builddir:-.}/fsdelta" "$command" --help)")" "" \
			"fsdelta-$command.1 names all options of --help"
	done

	plant_new
	plant man/fsdelta.1 <<'EOF'
.Dd $Mdocdate$
.Dt FSDELTA 1
.Os
.Sh NAME
.Nm fsdelta
.Nd nothing
.Sh OPTIONS
.Bl -tag -width x
.It Fl -dry-run
Nothing.
.It Fl -help
.Xx no such macro
EOF
	lint_finds badly_formed '^man/fsdelta\.1:' "a page that is badly formed"
	tap_is "$(undocumented "$planted/man/fsdelta.1" "--dry-run, --new-option=X, --help")" \
		"--new-option" "notices an option that the page does not name"
else
	tap_skip "mandoc is content with the pages" "no mandoc here"
fi
tap_done
