#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that must not be used: nowhere in the code, and lib/banned.h makes their use
# an error of the compiler.
. "${top_srcdir:-.}/tests/lint-common.sh"

banned="strcpy strncpy stpcpy strcat strncat sprintf vsprintf gets alloca strtok signal
	atoi atol atoll atof system popen sleep usleep nanosleep"

banned_calls()
{
	lint_code "$1" "$rooms tests" | grep -v '^lib/banned\.h:' |
		lint_calls "$(echo $banned | tr ' ' '|')"
}

# An expression that uses the function as its prototype wants it.
use_of()
{
	case $1 in
	signal) echo 'signal(1, SIG_IGN)' ;;
	strncpy | strncat) echo "$1(b, b, 1)" ;;
	strcpy | stpcpy | strcat | sprintf | strtok) echo "$1(b, b)" ;;
	popen) echo 'popen(b, b)' ;;
	vsprintf) echo 'vsprintf(b, b, ap)' ;;
	alloca | sleep | usleep) echo "$1(1)" ;;
	nanosleep) echo 'nanosleep(NULL, NULL)' ;;
	*) echo "$1(b)" ;;
	esac
}

# compiles EXPRESSION: with the ban, without optimisation (see lib/banned.h).
compiles()
{
	cat >"$tap_dir/use.c" <<EOF
#include <stdarg.h>
void use(char *b, va_list ap);
void use(char *b, va_list ap) { (void)b; (void)ap; (void)$1; }
EOF
	# shellcheck disable=SC2086 # CC may hold options
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O0 -include "$tree/lib/banned.h" \
		-fsyntax-only "$tap_dir/use.c" >"$tap_dir/compiler" 2>&1
}

lint_tree banned_calls "no banned function is called"

plant_new
plant lib/a.c <<'EOF'
	strcpy(a, b);
	n = atoi (s);
	x = 1;sleep(1);
EOF
plant tests/unit/b.c <<'EOF'
	system("true");
EOF
lint_finds banned_calls '^lib/a\.c:1: ' "strcpy"
lint_finds banned_calls '^lib/a\.c:2: ' "atoi with a blank"
lint_finds banned_calls '^lib/a\.c:3: ' "sleep"
lint_finds banned_calls '^tests/unit/b\.c:1: ' "system in a test"

plant_new
plant lib/a.c <<'EOF'
	/* not strcpy(a, b) */
	job_system(x);
	p->sleep(1);
	log_info("popen(x)");
EOF
lint_accepts banned_calls "members, comments, strings and longer names"

if compiles 'snprintf(b, 1, "x")'; then
	tap_ok "snprintf compiles"
else
	tap_not_ok "snprintf compiles" "$(cat "$tap_dir/compiler")"
fi
for function in $banned; do
	if compiles "$(use_of "$function")"; then
		tap_not_ok "$function does not compile" "${CC:-cc} took $(use_of "$function")"
	else
		tap_match "$(cat "$tap_dir/compiler")" "$function.*banned" \
			"$function does not compile"
	fi
done
tap_done
