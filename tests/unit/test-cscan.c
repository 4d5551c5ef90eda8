// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/cscan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"

/* "kind name first-last; ..." of everything in @text. */
static void expect(const char *text, const char *expected)
{
	__cleanup_cscan struct cscan s = CSCAN_INIT;
	__cleanup_strbuf struct strbuf got = STRBUF_INIT;

	cscan_text(&s, text, strlen(text));
	for (size_t i = 0; i < s.n; i++)
		strbuf_addf(&got, "%s%s %s %zu-%zu", i ? "; " : "", cscan_kind_str(s.v[i].kind),
			    s.v[i].name, s.v[i].first, s.v[i].last);
	assert_string_equal(strbuf_str(&got), expected);
}

static void functions(void **state)
{
	(void)state;
	expect("int f(void)\n{\n}\n", "function f 1-3");
	expect("int f(void);\nint g(void) { return 0; }\n", "function g 2-2");
	expect("struct x *\nf(int a,\n  int b)\n{\n\tif (a) {\n\t}\n}\n", "function f 1-7");
	expect("static inline int f(int (*cb)(void)) { return cb(); }\n", "inline function f 1-1");
	expect("void (*f(int a))(int)\n{\n}\n", "function f 1-3");
	expect("static irq_t (*f(int a))(int)\n{\n}\n", "function f 1-3");
	expect("", "");
}

static void attributes_and_macros(void **state)
{
	(void)state;
	expect("static int __printf(1, 2) f(const char *s, ...) { }\n", "function f 1-1");
	expect("int f(void) __acquires(l) __must_hold(m)\n{\n}\n", "function f 1-3");
	expect("__attribute__((weak)) int f(void) { }\n", "function f 1-1");
	expect("int __btrfs_f(struct x *x) __must_hold(&x->l) { }\n", "function __btrfs_f 1-1");
	expect("late_initcall(g)\nstatic int f(void)\n{\n}\n", "function f 2-4");
	expect("DECLARE_X(8)\nDECLARE_X(16)\n\nstatic inline int f(void)\n{\n}\n",
	       "inline function f 4-6");
	expect("STATIC int\nf(\n\tint a)\n{\n}\n", "function f 1-5");
	expect("noinline_for_stack int f(void) { }\n", "function f 1-1");
	expect("EXPORT_SYMBOL(g);\nint f(void) { }\n", "function f 2-2");
	expect("TRACE_EVENT(x,\n\tTP_fast_assign(\n\t\tif (a) { b; }\n\t)\n);\nint f(void) { }\n",
	       "function f 6-6");
}

static void old_style(void **state)
{
	(void)state;
	expect("int f(a, b)\n\tint a;\n\tchar *b;\n{\n}\n", "function f 1-5");
	expect("f(a)\n\tint (*a)();\n{\n}\nint g(void) { }\n", "function f 1-4; function g 5-5");
	expect("main()\n{\n}\n", "function main 1-3");
	/* No K&R, whatever it looks like. */
	expect("LIST(a)\nint b;\nint g(void)\n{\n}\n", "function g 3-5");
	expect("int f(size_t) __pure;\nint g(void) { }\n", "function g 2-2");
}

static void system_calls(void **state)
{
	(void)state;
	expect("SYSCALL_DEFINE3(open, const char __user *, name, int, f, umode_t, m)\n{\n}\n",
	       "function sys_open 1-3");
	expect("SYSCALL_DEFINE0(sync)\n{\n}\n", "function sys_sync 1-3");
	expect("COMPAT_SYSCALL_DEFINE1(old, int, a)\n{\n}\n", "function compat_sys_old 1-3");
	expect("BPF_CALL_1(bpf_f, int, a)\n{\n}\n", "function bpf_f 1-3");
}

static void branches(void **state)
{
	(void)state;
	expect("#ifdef A\nint f(int a)\n{\n#else\nint f(void)\n{\n#endif\n\treturn 1;\n}\nint g(void) { }\n",
	       "function f 2-9; function f 5-7; function g 10-10");
	expect("int f(void)\n{\n#if A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t}\n}\nint g(void) { }\n",
	       "function f 1-9; function g 10-10");
	expect("#if 0\nint f(void) { }\n#elif B\nint g(void) { }\n#endif\nint h(void) { }\n",
	       "function f 2-2; function g 4-4; function h 6-6");
	expect("int f(void)\n{\n#ifdef A\n\tif (a) {\n#endif\n\tb();\n#ifdef A\n\t}\n#endif\n}\nint g(void)\n{\n}\n",
	       "function f 1-10; function g 11-13");
	expect("#endif\n#else\nint f(void) { }\n#if\n", "function f 3-3");
}

static void spoilt_braces(void **state)
{
	(void)state;
	/* A macro that opens more than it closes. */
	expect("int f(void)\n{\n\tif (x) {\n}\nint g(void)\n{\n}\n", "function f 1-4; function g 5-7");
	/* Badly indented: what follows is still inside. */
	expect("int f(void)\n{\n\tif (x) {\n\t\ty();\n}\n\n\tz();\n}\nint g(void)\n{\n}\n",
	       "function f 1-8; function g 9-11");
	expect("}\n}\nint f(void) { }\n", "function f 3-3");
}

static void strings_and_comments(void **state)
{
	(void)state;
	expect("int f(void)\n{\n\tputs(\"} {\\\"\"); /* } */ // }\n\tc = '}'; d = '\\'';\n}\nint g(void) { }\n",
	       "function f 1-5; function g 6-6");
	expect("/* int f(void) { } */\n// int g(void) { \\\n int h(void) { }\nint i(void) { }\n",
	       "function i 4-4");
	expect("int f(void)\n{\n#error don't\n}\n", "function f 1-4");
}

static void others(void **state)
{
	(void)state;
	expect("struct a {\n\tint b;\n} __packed;\nenum { X };\ntypedef struct {\n\tint c;\n} d_t;\n",
	       "type a 1-3; type (without a name) 4-4; type d_t 5-7");
	expect("static const struct ops x[] = {\n\t{ .f = g },\n};\n", "data x 1-3");
	expect("#define A(x) \\\n\tdo { \\\n\t} while (0)\nint f(void)\n{\n#define B 1\n}\n",
	       "macro A 1-3; function f 4-7; macro B 6-6");
	expect("extern \"C\" {\nint f(void) { }\n}\nint g(void) { }\n", "function f 2-2; function g 4-4");
	expect("struct x f(struct x y)\n{\n}\n", "function f 1-3");
	expect("int x = ({ 1; });\nint f(void) { }\n", "function f 2-2");
}

static void add_name(const struct cscan_item *item, void *arg)
{
	strbuf_addf(arg, "%s ", item->name);
}

static void users(void **state)
{
	static const char text[] =
		"#define TWICE(x) (2 * once(x))\nint once(int a)\n{\n\treturn a;\n}\n"
		"int f(struct s *s)\n{\n\treturn TWICE(s->once) + once(1);\n}\n"
		"int g(int once)\n{\n\treturn 0; /* TWICE */\n}\n";
	__cleanup_cscan struct cscan s = CSCAN_INIT;
	__cleanup_strbuf struct strbuf got = STRBUF_INIT;

	(void)state;
	cscan_text(&s, text, strlen(text));
	cscan_users(&s, "TWICE", false, add_name, &got);
	assert_string_equal(strbuf_str(&got), "f ");
	strbuf_reset(&got);
	cscan_users(&s, "once", true, add_name, &got);
	assert_string_equal(strbuf_str(&got), "f ");
	strbuf_reset(&got);
	cscan_users(&s, "once", false, add_name, &got);
	assert_string_equal(strbuf_str(&got), "TWICE f g ");
	assert_string_equal(cscan_at(&s, 4)->name, "once");
	assert_null(cscan_at(&s, 99));
	assert_true(s.code[4]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(attributes_and_macros),
		cmocka_unit_test(old_style),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(branches),
		cmocka_unit_test(spoilt_braces),
		cmocka_unit_test(strings_and_comments),
		cmocka_unit_test(others),
		cmocka_unit_test(users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
