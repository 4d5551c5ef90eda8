// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/differences.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/cells.h"
#include "results/facts.h"

#include <string.h>

/* One fact of all arms. */
struct fact {
	const struct fact_kind *kind;
	const char *key, *name;
	const char *target;  /* NULL: of the host or the settings */
	const char **values; /* borrowed; NULL = unknown */
	bool *applies;	     /* an arm without the target says nothing about it */
	bool minor;
};

struct finder {
	struct comparison *c;
	struct run *const *runs;
	struct strvec *odd;
	struct strvec owned;  /* values that are made of several ones */
	struct strvec groups; /* those that have had their major difference */
};

static struct fact fact_new(const struct finder *f, const struct fact_kind *kind)
{
	struct fact fact = { .kind = kind, .minor = kind->minor };

	fact.values = xcalloc(f->c->n_arms, sizeof(*fact.values));
	fact.applies = xcalloc(f->c->n_arms, sizeof(*fact.applies));
	for (size_t a = 0; a < f->c->n_arms; a++)
		fact.applies[a] = true;
	return fact;
}

static void fact_release(struct fact *fact)
{
	free(fact->values);
	free(fact->applies);
}

/* The first arm that has something to say; n_arms when none knows the value. */
static size_t first_arm(const struct finder *f, const struct fact *fact, bool known)
{
	size_t a = 0;

	while (a < f->c->n_arms && (!fact->applies[a] || (known && !fact->values[a])))
		a++;
	return a;
}

static bool all_equal(const struct finder *f, const struct fact *fact)
{
	size_t first = first_arm(f, fact, false);

	for (size_t a = first + 1; a < f->c->n_arms; a++)
		if (fact->applies[a] &&
		    !fact_equal(fact->kind->shape, fact->values[first], fact->values[a]))
			return false;
	return true;
}

static bool all_known(const struct finder *f, const struct fact *fact)
{
	for (size_t a = 0; a < f->c->n_arms; a++)
		if (fact->applies[a] && !fact->values[a])
			return false;
	return true;
}

/* "A (base), B (patched)" */
static void say_values(const struct finder *f, const struct fact *fact, struct strbuf *out)
{
	const char *sep = "";

	for (size_t a = 0; a < f->c->n_arms; a++) {
		const char *value = fact->values[a];

		if (!fact->applies[a])
			continue;
		strbuf_addf(out, "%s%s (%s)", sep, !value ? "not known" : *value ? value : "none",
			    f->c->arms[a].label);
		sep = ", ";
	}
}

/*
 * "patched adds discard=async and lacks ssd", against the base; what an asked option
 * explains is left out when @but_asked.
 */
static void say_elements(const struct finder *f, const struct fact *fact, bool but_asked,
			 struct strbuf *out)
{
	size_t first = first_arm(f, fact, true);

	for (size_t a = first + 1; a < f->c->n_arms; a++) {
		__cleanup_strvec struct strvec adds = STRVEC_INIT, lacks = STRVEC_INIT;
		__cleanup_free char *more = NULL, *less = NULL;

		if (!fact->applies[a] || !fact->values[a])
			continue;
		fact_subtract(fact->kind->shape, fact->values[a], fact->values[first], &adds);
		fact_subtract(fact->kind->shape, fact->values[first], fact->values[a], &lacks);
		for (size_t x = 0; but_asked && x < f->c->n_arms; x++) {
			const char *asked = kv_get(&f->c->arms[x].settings, fact->kind->varied_by);

			fact_drop_asked(&adds, asked);
			fact_drop_asked(&lacks, asked);
		}
		if (!adds.n && !lacks.n)
			continue;
		more = strvec_join(&adds, ", ");
		less = strvec_join(&lacks, ", ");
		strbuf_addf(out, "%s%s%s%s%s%s%s", out->len ? "; " : "", f->c->arms[a].label,
			    adds.n ? " adds " : "", more, adds.n && lacks.n ? " and" : "",
			    lacks.n ? " lacks " : "", less);
	}
}

/* Do the iterations or sessions of an arm disagree? */
static bool any_mixed(const struct finder *f, const struct fact *fact)
{
	for (size_t a = 0; a < f->c->n_arms; a++)
		if (fact->values[a] && strstr(fact->values[a], FACT_OR))
			return true;
	return false;
}

static char *sentence_of(const struct finder *f, const struct fact *fact)
{
	__cleanup_strbuf struct strbuf s = STRBUF_INIT;

	if (all_known(f, fact) && fact_is_set(fact->kind->shape) && !any_mixed(f, fact))
		say_elements(f, fact, false, &s);
	else
		say_values(f, fact, &s);
	return xasprintf("%s: %s", fact->name, strbuf_str(&s));
}

static void add_difference(struct finder *f, const struct fact *fact, bool planned)
{
	struct comparison *c = f->c;
	struct compare_difference *d;

	GROW(c->differences, c->n_differences);
	d = &c->differences[c->n_differences++];
	*d = (struct compare_difference){
		.key = fact->target ? xasprintf("%s (%s)", fact->key, fact->target) :
				      xstrdup(fact->key),
		.name = xstrdup(fact->name),
		.target = fact->target ? xstrdup(fact->target) : NULL,
		.unlike = xcalloc(c->n_arms, sizeof(*d->unlike)),
		.values = xcalloc(c->n_arms, sizeof(*d->values)),
		.planned = planned,
		.major = !fact->minor,
		.sentence = sentence_of(f, fact),
	};
	for (size_t a = 0; a < c->n_arms; a++)
		str_replace(&d->values[a], fact->values[a]);
	for (size_t a = 1; fact->applies[0] && a < c->n_arms; a++)
		d->unlike[a] = fact->applies[a] && !fact_equal(fact->kind->shape, fact->values[0],
							       fact->values[a]);
	/* Of facts that go together, one warning is enough. */
	if (planned || !fact->kind->group || !d->major)
		return;
	d->major = !strvec_has(&f->groups, fact->kind->group);
	strvec_push(&f->groups, fact->kind->group);
}

/* What the plan varies can bring more with it than was asked for. */
static void note_unasked(struct finder *f, const struct fact *fact)
{
	__cleanup_strbuf struct strbuf s = STRBUF_INIT;

	if (!fact->kind->lists_asked || !all_known(f, fact) || any_mixed(f, fact))
		return;
	say_elements(f, fact, true, &s);
	if (s.len)
		strvec_pushf(f->odd, "%s: differ in what no arm asks for: %s", fact->name,
			     strbuf_str(&s));
}

static void judge(struct finder *f, const struct fact *fact)
{
	const char *varied_by = fact->kind->varied_by;
	bool planned = varied_by && strvec_has(&f->c->varied, varied_by);
	size_t known = first_arm(f, fact, true), n = 0;

	if (known == f->c->n_arms)
		return;
	if (!all_equal(f, fact)) {
		add_difference(f, fact, planned);
		if (planned)
			note_unasked(f, fact);
		return;
	}
	for (size_t a = 0; a < f->c->n_arms; a++)
		n += fact->applies[a];
	if (n < 2 && f->c->n_arms > 1)
		return;
	kv_set(&f->c->common, fact->name, fact->values[known]);
	if (planned && fact->kind->must_differ && n > 1)
		strvec_pushf(f->odd, "the plan varies %s, but this is the same in all arms: %s",
			     varied_by, fact->name);
}

static void host_fact(struct finder *f, const char *key)
{
	struct fact fact = fact_new(f, fact_kind_of_host(key));
	__cleanup_free char *name = fact_name_of_host(key);

	fact.key = key;
	fact.name = name;
	for (size_t a = 0; a < f->c->n_arms; a++)
		fact.values[a] = kv_get(&f->c->arms[a].host, key);
	/* A maker of file systems that no target uses explains nothing. */
	if (str_starts(key, "mkfs.")) {
		fact.minor = true;
		for (size_t a = 0; a < f->c->n_arms; a++)
			for (size_t t = 0; t < f->runs[a]->n_targets; t++)
				if (str_eq(f->runs[a]->targets[t].fs, key + strlen("mkfs.")))
					fact.minor = false;
	}
	judge(f, &fact);
	fact_release(&fact);
}

static void settings_fact(struct finder *f, const char *setting)
{
	struct fact_kind kind = { .varied_by = setting, .shape = FACT_PLAIN };
	struct fact fact = fact_new(f, &kind);
	__cleanup_free char *key = xasprintf("settings.%s", setting);

	fact.key = key;
	fact.name = setting;
	for (size_t a = 0; a < f->c->n_arms; a++) {
		const char *value = kv_get(&f->c->arms[a].settings, setting);

		/* Not set is known, unlike a fact that was not recorded. */
		fact.values[a] = value ? value : "";
	}
	judge(f, &fact);
	fact_release(&fact);
}

static const struct run_target *find_target(const struct run *r, const char *name)
{
	for (size_t i = 0; i < r->n_targets; i++)
		if (str_eq(r->targets[i].name, name))
			return &r->targets[i];
	return NULL;
}

/* What the iterations of an arm (on one target, or NULL) say of a fact. */
struct in_force {
	const char *value; /* borrowed; NULL: not known */
	bool applies, mixed;
};

/* Each value once; sorted, so that arms with the same ones are alike. */
static void list_values(const struct run *r, const char *target, const struct fact_kind *kind,
			struct strvec *values, struct in_force *out)
{
	bool unknown = false;

	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		const char *value = kv_get(&it->environment, kind->key);
		bool seen = !value;

		if (!iteration_is_valid(it) || !iteration_is_of(it, NULL, target))
			continue;
		out->applies = true;
		unknown |= !value;
		for (size_t k = 0; k < values->n && !seen; k++)
			seen = fact_equal(kind->shape, values->v[k], value);
		if (!seen)
			strvec_push(values, value);
	}
	strvec_sort(values);
	if (values->n && unknown)
		strvec_push(values, FACT_UNKNOWN);
	out->mixed = values->n > 1;
}

/* The median; a fifth above or below it is another state of the machine. */
static char *typical(const struct run *r, const char *target, const struct fact_kind *kind,
		     struct in_force *out)
{
	__cleanup_free double *x = xcalloc(r->n_iterations, sizeof(*x));
	struct stats s;
	size_t n = 0;

	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		const char *value = kv_get(&it->environment, kind->key);

		if (!iteration_is_valid(it) || !iteration_is_of(it, NULL, target))
			continue;
		out->applies = true;
		if (value && !str_to_double(value, &x[n]))
			n++;
	}
	if (!n)
		return NULL;
	stats_describe(x, n, &s);
	out->mixed = s.min < 0.8 * s.median || s.max > 1.2 * s.median;
	return xasprintf("%.0f", s.median);
}

static struct in_force in_force(struct finder *f, size_t arm, const char *target,
				const struct fact_kind *kind)
{
	__cleanup_strvec struct strvec values = STRVEC_INIT;
	__cleanup_free char *value = NULL;
	struct in_force out = { NULL, false, false };

	if (kind->shape == FACT_SEEN) {
		value = typical(f->runs[arm], target, kind, &out);
	} else {
		list_values(f->runs[arm], target, kind, &values, &out);
		value = values.n ? strvec_join(&values, FACT_OR) : NULL;
	}
	if (value) {
		strvec_push(&f->owned, value);
		out.value = f->owned.v[f->owned.n - 1];
	}
	return out;
}

/* @target NULL: whatever the target. */
static void target_fact(struct finder *f, const char *target, const struct fact_kind *kind)
{
	struct fact fact = fact_new(f, kind);
	__cleanup_free char *name = target ? xasprintf("%s on %s", kind->name, target) :
					     xstrdup(kind->name);

	fact.key = kind->key;
	fact.name = name;
	fact.target = target;
	for (size_t a = 0; a < f->c->n_arms; a++) {
		const struct run_target *t = target ? find_target(f->runs[a], target) : NULL;
		struct in_force seen = in_force(f, a, target, kind);

		fact.values[a] = seen.value;
		fact.applies[a] = seen.applies;
		if (seen.mixed)
			strvec_pushf(f->odd, "%s changed from one iteration of %s to another (%s%s)",
				     name, f->c->arms[a].label,
				     kind->shape == FACT_SEEN ? "median " : "", seen.value);
		if (!fact.values[a] && t && fact.applies[a])
			fact.values[a] = fact_of_target(t, kind);
	}
	judge(f, &fact);
	fact_release(&fact);
}

static void push_once(struct strvec *sv, const char *s)
{
	if (s && !strvec_has(sv, s))
		strvec_push(sv, s);
}

/* Planned first, then major ones; otherwise in the order in which they were found. */
static void sort_differences(struct comparison *c)
{
	struct compare_difference *sorted = xcalloc(c->n_differences, sizeof(*sorted));
	size_t n = 0;

	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < c->n_differences; i++)
			if (rank == (c->differences[i].planned ? 0 : c->differences[i].major ? 1 : 2))
				sorted[n++] = c->differences[i];
	free(c->differences);
	c->differences = sorted;
}

void differences_find(struct comparison *c, struct run *const *runs, struct strvec *odd)
{
	struct finder f = { .c = c, .runs = runs, .odd = odd };
	__cleanup_strvec struct strvec settings = STRVEC_INIT, targets = STRVEC_INIT;
	__cleanup_strvec struct strvec host = STRVEC_INIT;

	for (size_t i = 0; fact_host_key(i); i++)
		strvec_push(&host, fact_host_key(i));
	for (size_t a = 0; a < c->n_arms; a++) {
		for (size_t i = 0; i < c->arms[a].settings.n; i++)
			push_once(&settings, c->arms[a].settings.v[i].key);
		for (size_t i = 0; i < c->arms[a].host.n; i++)
			if (strcmp(c->arms[a].host.v[i].key, "boot.id"))
				push_once(&host, c->arms[a].host.v[i].key);
		for (size_t i = 0; i < runs[a]->n_iterations; i++)
			if (iteration_is_valid(&runs[a]->iterations[i]))
				push_once(&targets, runs[a]->iterations[i].target);
	}
	strvec_sort(&targets);
	for (size_t i = 0; i < settings.n; i++)
		settings_fact(&f, settings.v[i]);
	for (size_t i = 0; i < host.n; i++)
		host_fact(&f, host.v[i]);
	for (const struct fact_kind *k = fact_iteration_kinds; k->key; k++)
		target_fact(&f, NULL, k);
	for (size_t i = 0; i < targets.n; i++)
		for (const struct fact_kind *k = fact_target_kinds; k->key; k++)
			target_fact(&f, targets.v[i], k);
	strvec_release(&f.groups);
	strvec_release(&f.owned);
	sort_differences(c);
}

void differences_release(struct comparison *c)
{
	for (size_t i = 0; i < c->n_differences; i++) {
		struct compare_difference *d = &c->differences[i];

		for (size_t a = 0; a < c->n_arms; a++)
			free(d->values[a]);
		free(d->values);
		free(d->unlike);
		free(d->target);
		free(d->key);
		free(d->name);
		free(d->sentence);
	}
	free(c->differences);
}
