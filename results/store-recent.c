// SPDX-License-Identifier: GPL-2.0-or-later
/* The newest runs of a store, found by their headers alone. */
#include "results/store.h"

#include "lib/file.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/store-codec.h"
#include "results/store-scan.h"

#include <dirent.h>
#include <string.h>

/* A store of years must not hold up the next run. */
#define FOLDERS_MAX 500

static int header_line(void *arg, const char *text, size_t len, size_t number, bool cut)
{
	struct store_decoder *d = arg;
	__cleanup_json struct json_object *o = json_parse(text, len, NULL);

	(void)number;
	(void)cut;
	if (str_eq(json_get_str(o, "type"), "header"))
		store_decode_header(d, o);
	else
		store_decode_error(d, "no header");
	return 1;
}

/* Without iterations; NULL: it cannot be read. */
static struct run *load_header(const char *dir)
{
	__cleanup_free char *journal = xasprintf("%s/" STORE_JOURNAL, dir);
	struct store_decoder d = { .name = journal, .run = run_new() };
	struct run *r = NULL;

	if (store_scan(journal, header_line, &d) >= 0 && !d.error && d.run->id) {
		r = d.run;
		d.run = NULL;
	}
	store_decoder_release(&d);
	return r;
}

static bool is_wanted(const char *dir, bool (*match)(const struct run *header, void *arg),
		      void *arg)
{
	__cleanup_run struct run *header = load_header(dir);

	return header && match(header, arg);
}

static int no_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

size_t store_recent(const char *root, bool (*match)(const struct run *header, void *arg),
		    void *arg, struct run **out, size_t most)
{
	struct dirent **names = NULL;
	int n = scandir(root, &names, no_dot, alphasort);
	size_t found = 0, looked = 0;

	/* Their names begin with the time of their start. */
	while (n-- > 0) {
		__cleanup_free char *dir = xasprintf("%s/%s", root, names[n]->d_name);
		__cleanup_free char *error = NULL;

		free(names[n]);
		if (found == most || looked++ >= FOLDERS_MAX || !is_wanted(dir, match, arg))
			continue;
		out[found] = store_load(dir, &error);
		found += out[found] != NULL;
	}
	free(names);
	return found;
}
