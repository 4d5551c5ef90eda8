// SPDX-License-Identifier: GPL-2.0-or-later
/* One function on one kernel: the answer and its sentence. */
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "probes/symbols.h"

#include <string.h>

static const char *const words[] = {
	[PROBEABLE] = "probeable",
	[PROBEABLE_COPIES] = "several copies",
	[PROBEABLE_NO_SYMBOL] = "no symbol",
	[PROBEABLE_ONLY_COLD] = "only a cold part",
	[PROBEABLE_AMBIGUOUS] = "ambiguous",
	[PROBEABLE_NOT_LOADED] = "module not loaded",
	[PROBEABLE_BLACKLISTED] = "blacklisted",
	[PROBEABLE_NOTRACE] = "not traceable",
	[PROBEABLE_NO_KPROBES] = "no kprobes",
	[PROBEABLE_UNKNOWN] = "unknown",
};

const char *probeable_str(enum probeable p)
{
	return (size_t)p < ARRAY_SIZE(words) ? words[p] : "?";
}

bool probeable_counts(enum probeable p)
{
	return p == PROBEABLE || p == PROBEABLE_COPIES;
}

/* The symbols of one base name that count as the function. */
struct found {
	const struct symbol **v;
	size_t n, cold;
};

static size_t first_of(const struct symbols *s, const char *base)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(s->v[mid].base, base) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void find(const struct symbols *s, const char *name, struct found *f)
{
	__cleanup_free char *base = xstrndup(name, strcspn(name, "."));
	bool whole = strchr(name, '.');

	for (size_t i = first_of(s, base); i < s->n && !strcmp(s->v[i].base, base); i++) {
		if (whole && strcmp(s->v[i].name, name))
			continue;
		if (s->v[i].cold) {
			f->cold++;
			continue;
		}
		GROW(f->v, f->n);
		f->v[f->n++] = &s->v[i];
	}
}

/* "sys_open" is __x64_sys_open here, or what the architecture calls it. */
static void find_function(const struct symbols *s, const char *name, struct found *f)
{
	static const char *const entries[] = {
		"__x64_", "__arm64_", "__riscv_", "__s390x_", "__se_", "__do_", NULL
	};

	find(s, name, f);
	if (!str_starts(name, "sys_") && !str_starts(name, "compat_sys_"))
		return;
	for (size_t i = 0; entries[i] && !f->n; i++) {
		__cleanup_free char *entry = xasprintf("%s%s", entries[i], name);

		find(s, entry, f);
	}
}

/* With the module known, a function of that name elsewhere is another one. */
static void keep_module(struct found *f, const char *module)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++)
		kept += module && f->v[i]->module && !strcmp(f->v[i]->module, module);
	if (!kept)
		return;
	kept = 0;
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i]->module && !strcmp(f->v[i]->module, module))
			f->v[kept++] = f->v[i];
	f->n = kept;
}

static bool same_name_twice(const struct found *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (!strcmp(f->v[i - 1]->name, f->v[i]->name))
			return true;
	return false;
}

static int cmp_key(const void *key, const void *member)
{
	return strcmp(key, *(char *const *)member);
}

static bool sorted_has(const struct strvec *sv, const char *s)
{
	return sv->n && bsearch(s, sv->v, sv->n, sizeof(*sv->v), cmp_key);
}

/* --- no symbol --- */

/* What a name begins with says whose it is: "xfs" of "__xfs_buf_submit". */
static char *prefix_of(const char *function)
{
	size_t len;

	function += strspn(function, "_");
	len = strcspn(function, "_");
	return len > 1 && function[len] == '_' ? xstrndup(function, len) : NULL;
}

static bool any_begins(const struct symbols *s, const char *prefix)
{
	__cleanup_free char *start = xasprintf("%s_", prefix);
	size_t at = first_of(s, start);

	return at < s->n && str_starts(s->v[at].base, start);
}

static bool is_fs(const char *name)
{
	static const char *const names[] = {
		"bcachefs", "btrfs", "ceph", "cifs", "erofs", "exfat", "ext4", "f2fs", "fat", "fuse",
		"gfs2", "jbd2", "nfs", "nilfs2", "ntfs3", "ocfs2", "ovl", "squashfs", "ubifs", "xfs",
		"zonefs", NULL
	};

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void add_stand_ins(struct strbuf *out, const struct strvec *callers)
{
	if (!callers || !callers->n)
		return;
	strbuf_adds(out, "; could stand in: ");
	for (size_t i = 0; i < callers->n && i < 4; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", callers->v[i]);
	if (callers->n > 4)
		strbuf_addf(out, " and %zu more", callers->n - 4);
}

static enum probeable no_symbol(const struct symbols *s, const char *function, const char *module,
				const struct strvec *callers, struct strbuf *out)
{
	__cleanup_free char *prefix = prefix_of(function);
	const char *owner = module ? module : prefix;

	if (owner && sorted_has(&s->not_loaded, owner)) {
		strbuf_addf(out, "the module %s is not loaded", owner);
		return PROBEABLE_NOT_LOADED;
	}
	if (owner && is_fs(owner) && !any_begins(s, owner)) {
		strbuf_addf(out, "no symbol begins with %s_: the module is not loaded, or not built",
			    owner);
		return PROBEABLE_NOT_LOADED;
	}
	strbuf_adds(out, "no probe point: inlined into its callers, renamed, or not built");
	add_stand_ins(out, callers);
	return PROBEABLE_NO_SYMBOL;
}

/* --- symbols --- */

static void describe_copies(const struct found *f, struct probe_answer *a, struct strbuf *out)
{
	bool parts = false;

	if (f->n > 1)
		strbuf_addf(out, "%zu copies, all probed and added:", f->n);
	else
		strbuf_adds(out, "probeable as");
	for (size_t i = 0; i < f->n; i++) {
		strvec_push(&a->probe, f->v[i]->name);
		strbuf_addf(out, "%s %s", i ? "," : "", f->v[i]->name);
		parts |= f->v[i]->part;
	}
	if (f->v[0]->module)
		strbuf_addf(out, " [%s]", f->v[0]->module);
	if (!parts)
		return;
	a->inexact = true;
	strbuf_adds(out, "; a .part is not reached by calls that end early, and one that goes "
		    "through the whole function is counted twice");
}

/* Takes those out that @list holds (or does not, when !@listed). Returns how many. */
static size_t drop(struct found *f, const struct strvec *list, bool listed)
{
	size_t kept = 0, dropped;

	for (size_t i = 0; i < f->n; i++)
		if (sorted_has(list, f->v[i]->name) != listed)
			f->v[kept++] = f->v[i];
	dropped = f->n - kept;
	f->n = kept;
	return dropped;
}

static enum probeable with_symbols(const struct symbols *s, struct found *f,
				   struct probe_answer *a, struct strbuf *out)
{
	size_t lost;

	if (same_name_twice(f)) {
		strbuf_addf(out, "%zu functions have this name: which one is counted is not known",
			    f->n);
		return PROBEABLE_AMBIGUOUS;
	}
	lost = drop(f, &s->blacklist, true);
	if (!f->n) {
		strbuf_adds(out, "the kernel refuses kprobes there (its blacklist has it)");
		return PROBEABLE_BLACKLISTED;
	}
	if (s->traceable.n)
		lost += drop(f, &s->traceable, false);
	if (!f->n) {
		strbuf_adds(out, "not in available_filter_functions (notrace): most kernels refuse "
			    "kprobes there");
		return PROBEABLE_NOTRACE;
	}
	describe_copies(f, a, out);
	if (lost) {
		a->inexact = true;
		strbuf_addf(out, "; %zu more cannot be probed", lost);
	}
	return f->n > 1 ? PROBEABLE_COPIES : PROBEABLE;
}

static enum probeable no_kprobes(const struct found *f, struct strbuf *out)
{
	strbuf_addf(out, "this kernel has no kprobes (no register_kprobe in /proc/kallsyms: "
		    "CONFIG_KPROBES is off); the function itself is %s",
		    f->n ? "there" : f->cold ? "inlined but for a cold part" : "not there under its name");
	return PROBEABLE_NO_KPROBES;
}

static enum probeable answer(const struct symbols *s, const char *function, const char *module,
			     const struct strvec *callers, struct probe_answer *a,
			     struct strbuf *out)
{
	struct found f = { .v = NULL };
	enum probeable result;

	find_function(s, function, &f);
	keep_module(&f, module);
	if (!s->has_kprobes) {
		result = no_kprobes(&f, out);
	} else if (s->locked_down) {
		strbuf_adds(out, "the kernel is locked down (confidentiality): no kprobes");
		result = PROBEABLE_NO_KPROBES;
	} else if (f.n) {
		result = with_symbols(s, &f, a, out);
	} else if (f.cold) {
		strbuf_adds(out, "inlined: only its unlikely part is left (.cold), which is no entry");
		add_stand_ins(out, callers);
		result = PROBEABLE_ONLY_COLD;
	} else {
		result = no_symbol(s, function, module, callers, out);
	}
	free(f.v);
	return result;
}

void symbols_check(const struct symbols *s, const char *function, const char *module,
		   const struct strvec *callers, struct probe_answer *out)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	*out = (struct probe_answer){ .result = PROBEABLE_UNKNOWN };
	strbuf_addf(&text, "%s: ", function);
	if (!s->n)
		strbuf_adds(&text, s->trouble);
	else
		out->result = answer(s, function, module, callers, out, &text);
	out->sentence = strbuf_detach(&text);
}

void probe_answer_release(struct probe_answer *a)
{
	strvec_release(&a->probe);
	free(a->sentence);
	*a = (struct probe_answer){ .sentence = NULL };
}
