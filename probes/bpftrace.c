// SPDX-License-Identifier: GPL-2.0-or-later
/* The stream of `bpftrace -f json`. */
#include "probes/bpftrace.h"

#include "lib/json.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

static void release_value(struct bt_value *v)
{
	free(v->text);
	free(v->buckets);
}

static void clear_map(struct bt_map *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].key);
		release_value(&m->v[i].value);
	}
	free(m->v);
	free(m->reason);
	*m = (struct bt_map){ .name = m->name };
}

/* The map of that name, empty: what was printed before does not count any more. */
static struct bt_map *fresh_map(struct bt_result *r, const char *name)
{
	for (size_t i = 0; i < r->n_maps; i++) {
		if (strcmp(r->maps[i].name, name))
			continue;
		clear_map(&r->maps[i]);
		return &r->maps[i];
	}
	GROW(r->maps, r->n_maps);
	r->maps[r->n_maps] = (struct bt_map){ .name = xstrdup(name) };
	return &r->maps[r->n_maps++];
}

void bt_distrust(struct bt_map *m, enum bt_status status, const char *fmt, ...)
{
	va_list ap;

	if (status <= m->status)
		return;
	m->status = status;
	free(m->reason);
	va_start(ap, fmt);
	m->reason = xvasprintf(fmt, ap);
	va_end(ap);
}

/* --- values --- */

static bool take_int(struct json_object *o, int64_t *out)
{
	uint64_t u;

	if (!json_object_is_type(o, json_type_int))
		return false;
	if (json_as_u64(o, &u) && u > INT64_MAX)
		return false;
	*out = json_object_get_int64(o);
	return true;
}

static bool take_number(struct bt_value *v, struct json_object *o)
{
	int64_t i;

	if (json_as_u64(o, &v->u))
		return true;
	if (!take_int(o, &i))
		return false;
	v->u = (uint64_t)i;
	v->negative = true;
	return true;
}

/* {"min": 0, "max": 1, "count": 2}; at the ends of the range one bound is missing. */
static bool take_bucket(struct bt_bucket *b, struct json_object *o)
{
	struct json_object *min = json_get(o, "min"), *max = json_get(o, "max");

	b->has_min = min && take_int(min, &b->min);
	b->has_max = max && take_int(max, &b->max);
	return json_get_u64(o, "count", &b->count) && (b->has_min || !min) && (b->has_max || !max) &&
	       (b->has_min || b->has_max) && !(b->has_min && b->has_max && b->min > b->max);
}

static bool is_buckets(struct json_object *o)
{
	return json_object_is_type(o, json_type_array) &&
	       (!json_object_array_length(o) ||
		json_get(json_object_array_get_idx(o, 0), "count"));
}

static bool take_hist(struct bt_value *v, struct json_object *o)
{
	v->kind = BT_HIST;
	for (size_t i = 0; i < json_object_array_length(o); i++) {
		struct bt_bucket b = { .count = 0 };

		if (!take_bucket(&b, json_object_array_get_idx(o, i)) ||
		    __builtin_add_overflow(v->count, b.count, &v->count))
			return false;
		GROW(v->buckets, v->n_buckets);
		v->buckets[v->n_buckets++] = b;
	}
	return true;
}

/* {"count": 49, "average": 3479029, "total": 170472433} */
static bool is_stats(struct json_object *o)
{
	return json_object_is_type(o, json_type_object) && json_object_object_length(o) == 3 &&
	       json_get(o, "count") && json_get(o, "average") && json_get(o, "total");
}

static bool take_stats(struct bt_value *v, struct json_object *o)
{
	v->kind = BT_STATS;
	return json_get_u64(o, "count", &v->count) && take_int(json_get(o, "average"), &v->average) &&
	       take_number(v, json_get(o, "total"));
}

static bool take_value(struct bt_value *v, struct json_object *o, bool hist)
{
	if (hist)
		return is_buckets(o) && take_hist(v, o);
	if (is_stats(o))
		return take_stats(v, o);
	if (json_object_is_type(o, json_type_int))
		return take_number(v, o);
	v->kind = BT_TEXT;
	/* Of what is no string, this is its JSON. */
	v->text = xstrdup(o ? json_object_get_string(o) : "null");
	return true;
}

static void add_entry(struct bt_map *m, const char *key, struct json_object *o, bool hist)
{
	struct bt_value v = { .kind = BT_NUMBER };

	if (!take_value(&v, o, hist)) {
		release_value(&v);
		bt_distrust(m, BT_INVALID, "the value of '%s' is none that bpftrace prints", key);
		return;
	}
	GROW(m->v, m->n);
	m->v[m->n++] = (struct bt_entry){ xstrdup(key), v };
}

static void take_map(struct bt_result *r, struct json_object *data, bool hist)
{
	json_object_object_foreach(data, name, value) {
		struct bt_map *m = fresh_map(r, name);

		m->keyed = json_object_is_type(value, json_type_object) && !is_stats(value);
		if (!m->keyed) {
			add_entry(m, "", value, hist);
			continue;
		}
		json_object_object_foreach(value, key, one)
			add_entry(m, key, one, hist);
	}
}

/* --- lines --- */

static void take_printed(struct bt_result *r, struct json_object *data)
{
	strvec_push(&r->printed, json_object_get_string(data));
}

static void add_sum(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

/* False: an object that bpftrace does not print. */
static bool take_object(struct bt_result *r, struct json_object *o)
{
	const char *type = json_get_str(o, "type");
	struct json_object *data = json_get(o, "data");
	bool is_map = json_object_is_type(data, json_type_object);
	uint64_t n;

	if (!type)
		return false;
	if (is_map && (!strcmp(type, "map") || !strcmp(type, "stats"))) {
		take_map(r, data, false);
	} else if (is_map && (!strcmp(type, "hist") || !strcmp(type, "lhist"))) {
		take_map(r, data, true);
	} else if (!strcmp(type, "attached_probes")) {
		r->attached = json_get_u64(data, "probes", &r->probes);
	} else if (!strcmp(type, "lost_events")) {
		if (!json_get_u64(data, "events", &n))
			return false;
		add_sum(&r->lost_events, n);
	} else if (strstr(type, "_error")) {
		r->helper_errors++;
	} else if (data) {
		take_printed(r, data);
	}
	return true;
}

/* Which map was it? Whatever was printed of it before is old. */
static void broken(struct bt_result *r, const char *line)
{
	const char *name = strstr(line, "{\"@");
	size_t len;
	__cleanup_free char *copy = NULL;

	r->broken_lines++;
	if (!name)
		return;
	name += 2;
	len = strcspn(name, "\"");
	if (name[len] != '"')
		return;
	copy = xstrndup(name, len);
	bt_distrust(fresh_map(r, copy), BT_INVALID, "its line is broken");
}

static void take_line(struct bt_result *r, const char *line, size_t len)
{
	__cleanup_free char *text = xstrndup(line, len);
	__cleanup_json struct json_object *o = NULL;

	if (!text[strspn(text, " \t\r")])
		return;
	if (!str_starts(text, "{\"type\"")) {
		r->foreign_lines++;
		return;
	}
	o = json_parse(text, strlen(text), NULL);
	if (!o || strlen(text) != len || !take_object(r, o))
		broken(r, text);
}

/* Without its end a line may have been cut, even where it looks whole. */
static void take_cut_line(struct bt_result *r, const char *line, size_t len)
{
	__cleanup_free char *text = xstrndup(line, len);

	if (*text == '{')
		broken(r, text);
	else if (text[strspn(text, " \t\r")])
		r->foreign_lines++;
}

/* Keys that found no room were dropped without a word; only the number of the others shows it. */
static void judge_full(struct bt_result *r, uint64_t keys_max)
{
	uint64_t max = keys_max ? keys_max : BT_KEYS_MAX;
	bool full = false;

	for (size_t i = 0; i < r->n_maps; i++) {
		struct bt_map *m = &r->maps[i];

		if (!m->keyed || m->n < max)
			continue;
		full = true;
		bt_distrust(m, BT_LOWER_BOUND, "map full (%zu = BPFTRACE_MAP_KEYS_MAX), keys missing",
			    m->n);
	}
	for (size_t i = 0; i < r->n_maps && r->helper_errors && !full; i++)
		if (r->maps[i].keyed)
			bt_distrust(&r->maps[i], BT_LOWER_BOUND,
				    "%llu updates of some map failed", (unsigned long long)
				    r->helper_errors);
}

void bt_parse(struct bt_result *r, const char *text, size_t len, uint64_t keys_max)
{
	const char *end = text + len;

	*r = (struct bt_result){ .attached = false };
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (stop)
			take_line(r, text, (size_t)(stop - text));
		else
			take_cut_line(r, text, (size_t)(end - text));
		text = stop ? stop + 1 : end;
	}
	judge_full(r, keys_max);
}

void bt_result_release(struct bt_result *r)
{
	for (size_t i = 0; i < r->n_maps; i++) {
		clear_map(&r->maps[i]);
		free(r->maps[i].name);
	}
	free(r->maps);
	strvec_release(&r->printed);
	*r = (struct bt_result){ .attached = false };
}

/* --- questions --- */

static const char *const statuses[] = {
	[BT_EXACT] = "exact",
	[BT_LOWER_BOUND] = "lower bound",
	[BT_INVALID] = "invalid",
};

const char *bt_status_str(enum bt_status s)
{
	return (size_t)s < ARRAY_SIZE(statuses) ? statuses[s] : "?";
}

const struct bt_map *bt_map(const struct bt_result *r, const char *name)
{
	for (size_t i = 0; i < r->n_maps; i++)
		if (!strcmp(r->maps[i].name, name))
			return &r->maps[i];
	return NULL;
}

const struct bt_value *bt_get(const struct bt_map *m, const char *key)
{
	for (size_t i = 0; m && i < m->n; i++)
		if (!strcmp(m->v[i].key, key))
			return &m->v[i].value;
	return NULL;
}

bool bt_total(const struct bt_map *m, uint64_t *out)
{
	uint64_t sum = 0;

	if (!m || m->status == BT_INVALID || (!m->n && !m->keyed))
		return false;
	for (size_t i = 0; i < m->n; i++) {
		const struct bt_value *v = &m->v[i].value;

		if (v->kind == BT_TEXT || (v->kind == BT_NUMBER && v->negative))
			return false;
		add_sum(&sum, v->kind == BT_NUMBER ? v->u : v->count);
	}
	*out = sum;
	return true;
}
