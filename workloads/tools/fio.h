/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the fio tool: what its files share. */
#ifndef FSDELTA_WORKLOADS_TOOLS_FIO_H
#define FSDELTA_WORKLOADS_TOOLS_FIO_H

#include "lib/json.h"
#include "workloads/tool.h"

/* What a mixed stream of text and JSON documents holds. */
struct fio_stream {
	struct json_object *doc; /* the last whole document (its totals are cumulative); NULL: none */
	bool broken;		 /* a document after it was begun and is not whole */
	struct strvec text;	 /* the lines around the documents, blank ones left out */
};

#define FIO_STREAM_INIT { NULL, false, STRVEC_INIT }

void fio_stream_read(struct fio_stream *st, const char *text, size_t len);
void fio_stream_release(struct fio_stream *st);

/* The value of @key for job section @name (NULL: none): its own, else the global one; NULL. */
const char *fio_param(const struct job *job, const char *section, const char *key);
/* How many workers the job asks for, and whether fio adds them up by group. 0: not known. */
uint64_t fio_workers(const struct job *job, bool *grouped);

/* Turns the entries of a document into samples. */
void fio_samples(struct json_object *doc, const struct job *job, struct tool_result *r);
/* The array of entries of @doc; @remote: it comes from client mode. NULL: there is none. */
struct json_object *fio_entries(struct json_object *doc, bool *remote);
/* Is entry @i the sum that client mode adds at the end? */
bool fio_is_sum(struct json_object *entries, size_t i, bool remote);

void fio_parse(const struct tool_output *o, struct tool_result *r);

#endif
