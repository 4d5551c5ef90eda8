// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/cdecl.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <ctype.h>
#include <string.h>

#define MAX_CANDIDATES 16

/* A word before '(' at depth 0: the name of the function, or a macro around it. */
struct candidate {
	size_t word;  /* index of the word */
	size_t close; /* index of the ')' */
	size_t name;  /* index of the name: word, but for functions that return functions */
};

static bool one_of(const struct clex_token *t, const char *const *words)
{
	for (; *words; words++)
		if (clex_is(t, *words))
			return true;
	return false;
}

/* Words that stand before a '(' but never name a function that is defined. */
static bool is_no_name(const struct clex_token *t)
{
	static const char *const words[] = {
		"__acquires", "__aligned", "__alloc_size", "__asm__", "__assume_aligned", "__attribute",
		"__attribute__", "__cond_acquires", "__cond_lock", "__counted_by", "__declspec",
		"__diagnose_as", "__must_hold", "__nocapture", "__nonnull", "__no_sanitize",
		"__printf", "__releases", "__scanf", "__section", "__typeof__", "_Alignas", "asm", "bool",
		"char", "const", "double", "float", "for", "if", "int", "long", "short", "signed", "sizeof", "static",
		"switch", "typeof", "unsigned", "void", "volatile", "while", NULL
	};

	return t->type != CLEX_WORD || one_of(t, words);
}

/* Index of the ')' that belongs to the '(' at @at; @n when there is none. */
static size_t matching(const struct clex_token *v, size_t n, size_t at)
{
	size_t depth = 0;

	for (; at < n; at++) {
		if (clex_sign(&v[at], '('))
			depth++;
		else if (clex_sign(&v[at], ')') && !--depth)
			return at;
	}
	return n;
}

/* "void (*name(int))(long)": the name is inside. */
static size_t inner_name(const struct clex_token *v, size_t open, size_t close)
{
	if (open + 3 < close && clex_sign(&v[open + 1], '*') && v[open + 2].type == CLEX_WORD &&
	    clex_sign(&v[open + 3], '('))
		return open + 2;
	return 0;
}

static size_t find_candidates(const struct clex_token *v, size_t n, struct candidate *c)
{
	size_t found = 0;

	for (size_t i = 0; i + 1 < n && found < MAX_CANDIDATES; i++) {
		size_t close, inner;

		if (clex_sign(&v[i], '(')) {
			i = matching(v, n, i);
			continue;
		}
		if (!clex_sign(&v[i + 1], '('))
			continue;
		close = matching(v, n, i + 1);
		inner = inner_name(v, i + 1, close);
		if (inner || !is_no_name(&v[i]))
			c[found++] = (struct candidate){ i, close, inner ? inner : i };
		i = close;
	}
	return found;
}

static bool is_upper(const struct clex_token *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (islower((unsigned char)t->text[i]))
			return false;
	return true;
}

static bool reserved(const struct clex_token *t)
{
	return t->len > 2 && !memcmp(t->text, "__", 2);
}

/* Does a declarator begin at @c: is there a type, or a '*', before its name? */
static bool has_type(const struct clex_token *v, const struct candidate *c)
{
	return c->word && (v[c->word - 1].type == CLEX_WORD || clex_sign(&v[c->word - 1], '*'));
}

/*
 * In the kernel, what stands behind the parameters begins with "__" (__must_hold(lock)); what
 * stands before them may be a macro of any name: it is one when it has no type before it, or
 * capitals, and a declarator follows.
 */
static size_t choose(const struct clex_token *v, const struct candidate *c, size_t n)
{
	size_t first = 0;

	while (!has_type(v, &c[first]) || is_upper(&v[c[first].word])) {
		size_t next = first + 1;

		while (next < n && !has_type(v, &c[next]))
			next++;
		if (next == n)
			break;
		first = next;
	}
	for (size_t i = first; i < n; i++)
		if (!reserved(&v[c[i].name]))
			return i;
	return first;
}

static char *copy_word(const struct clex_token *t)
{
	return xstrndup(t->text, t->len);
}

/* SYSCALL_DEFINE3(open, ...), BPF_CALL_2(name, ...), and any NAME(name) without a type. */
static char *made_by_macro(const struct clex_token *v, const struct candidate *c)
{
	static const char define[] = "SYSCALL_DEFINE";
	const struct clex_token *macro = &v[c->word], *arg = &v[c->word + 2];
	__cleanup_free char *name = copy_word(macro);

	if (c->close <= c->word + 2 || arg->type != CLEX_WORD)
		return copy_word(macro);
	if (str_starts(name, define))
		return xasprintf("sys_%.*s", (int)arg->len, arg->text);
	if (str_starts(name, "COMPAT_SYSCALL_DEFINE"))
		return xasprintf("compat_sys_%.*s", (int)arg->len, arg->text);
	return copy_word(arg);
}

static bool before(const struct clex_token *v, size_t n, const char *const *words)
{
	for (size_t i = 0; i < n; i++)
		if (one_of(&v[i], words))
			return true;
	return false;
}

static void function_of(const struct clex_token *v, size_t n, const struct candidate *c,
			size_t n_c, struct cdecl_info *out)
{
	static const char *const inline_words[] = {
		"__always_inline", "__inline", "__inline__", "inline", NULL
	};
	static const char *const static_words[] = { "STATIC", "static", NULL };
	size_t pick = choose(v, c, n_c), start = 0;

	if (pick && c[pick - 1].close + 1 < n)
		start = c[pick - 1].close + 1;
	/* A macro on the same line is part of the declaration. */
	while (start && v[start].line == v[start - 1].line)
		start--;
	out->first = v[start].line;
	out->kind = before(v, c[pick].word, inline_words) ? CSCAN_INLINE : CSCAN_FUNCTION;
	out->is_static = before(v, c[pick].word, static_words);
	if (!c[pick].word && is_upper(&v[0]))
		out->name = made_by_macro(v, &c[pick]);
	else
		out->name = copy_word(&v[c[pick].name]);
}

/* The place of '=' outside of parentheses; @n when there is none. */
static size_t find_assignment(const struct clex_token *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (clex_sign(&v[i], '('))
			i = matching(v, n, i);
		else if (clex_sign(&v[i], '='))
			return i;
	}
	return n;
}

static char *data_name(const struct clex_token *v, size_t assign)
{
	size_t depth = 0;

	while (assign--) {
		if (clex_sign(&v[assign], ']') || clex_sign(&v[assign], ')'))
			depth++;
		else if (clex_sign(&v[assign], '[') || clex_sign(&v[assign], '('))
			depth -= depth > 0;
		else if (!depth && v[assign].type == CLEX_WORD && !reserved(&v[assign]))
			return copy_word(&v[assign]);
	}
	return NULL;
}

static bool type_of(const struct clex_token *v, size_t n, struct cdecl_info *out)
{
	static const char *const kinds[] = { "enum", "struct", "union", NULL };
	size_t i;

	for (i = 0; i < n; i++)
		if (one_of(&v[i], kinds))
			break;
	if (i == n)
		return false;
	out->kind = CSCAN_TYPE;
	while (++i < n) {
		if (clex_sign(&v[i], '('))
			i = matching(v, n, i);
		else if (v[i].type == CLEX_WORD && !reserved(&v[i])) {
			out->name = copy_word(&v[i]);
			break;
		}
	}
	return true;
}

/* Parameters of a K&R definition are declared behind them; else only the end counts. */
static void cut(const struct clex_token **v, size_t *n)
{
	size_t first = *n, last = *n;

	for (size_t i = 0; i < *n; i++)
		if (clex_sign(&(*v)[i], ';')) {
			first = first == *n ? i : first;
			last = i;
		}
	if (last == *n)
		return;
	if (last + 1 == *n) {
		*n = first;
	} else {
		*v += last + 1;
		*n -= last + 1;
	}
}

bool cdecl_open(const struct clex_token *v, size_t n, struct cdecl_info *out)
{
	struct candidate c[MAX_CANDIDATES];
	size_t n_c, assign;

	cut(&v, &n);
	*out = (struct cdecl_info){ .first = n ? v[0].line : 0 };
	if (!n)
		return false;
	if (n == 2 && clex_is(&v[0], "extern") && v[1].type == CLEX_OTHER) {
		out->linkage = true;
		return false;
	}
	assign = find_assignment(v, n);
	if (assign < n) {
		out->kind = CSCAN_DATA;
		out->name = data_name(v, assign);
		return out->name != NULL;
	}
	n_c = find_candidates(v, n, c);
	if (!n_c)
		return type_of(v, n, out);
	function_of(v, n, c, n_c, out);
	return true;
}

/* "(a, b)": names alone, which no prototype has. */
static bool only_names(const struct clex_token *v, size_t open, size_t close)
{
	if (close == open + 1)
		return false;
	for (size_t i = open + 1; i < close; i++)
		if ((i - open) % 2 ? v[i].type != CLEX_WORD : !clex_sign(&v[i], ','))
			return false;
	return true;
}

bool cdecl_may_be_knr(const struct clex_token *v, size_t n)
{
	struct candidate c[MAX_CANDIDATES];
	size_t n_c = find_candidates(v, n, c), next;

	if (!n_c || find_assignment(v, n) < n)
		return false;
	next = c[0].close + 1;
	return next + 1 < n && only_names(v, c[0].word + 1, c[0].close) &&
	       v[next].type == CLEX_WORD &&
	       (v[next + 1].type == CLEX_WORD || clex_sign(&v[next + 1], '*') ||
		clex_sign(&v[next + 1], '('));
}
