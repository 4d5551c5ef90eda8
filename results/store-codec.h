/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs as JSON: the members of schema/result.schema.json. Inside results/ only. One codec
 * serves result.json and the lines of the journal.
 */
#ifndef FSDELTA_RESULTS_STORE_CODEC_H
#define FSDELTA_RESULTS_STORE_CODEC_H

#include "lib/strbuf.h"
#include "results/run.h"
#include "results/store-decls.h"

struct json_object;

#define STORE_JOURNAL "journal.jsonl"
#define STORE_RESULT "result.json"

/* --- encoding: what is not UTF-8 becomes U+FFFD, what is not finite is left out --- */

/* Appends a line of the journal, with its end. */
void store_encode_header(const struct run *r, struct strbuf *out);
void store_encode_metric(const char *workload, const struct metric *m, struct strbuf *out);
void store_encode_iteration(const struct iteration *it, struct strbuf *out);
void store_encode_stopped(const struct stopped *stopped, struct strbuf *out);
void store_encode_end(const char *finished, bool complete, const char *reason,
		      struct strbuf *out);
/*
 * Appends the whole result, one line per metric and iteration. -EINVAL: a metric was
 * declared in two ways.
 */
int store_encode_result(const struct run *r, struct strbuf *out);

/* --- decoding --- */

struct store_decoder {
	const char *name; /* of the file, for messages */
	size_t line;	  /* 0: the file has no lines that count */
	struct run *run;
	struct store_decls decls;
	char *error;	  /* the first mistake, a sentence; NULL: none */
	bool gaps;	  /* something could not be read: declarations may be missing */
	size_t undeclared; /* samples left out because of that */
	size_t not_ok;	  /* iterations that had samples although they were not OK */
};

void store_decoder_release(struct store_decoder *d);
/* Keeps the first mistake, with file and line before it. */
void store_decode_error(struct store_decoder *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Each of these takes one object into d->run. A mistake is in d->error.
 */
void store_decode_header(struct store_decoder *d, struct json_object *o);
void store_decode_metric(struct store_decoder *d, struct json_object *o);
void store_decode_iteration(struct store_decoder *d, struct json_object *o);
void store_decode_end(struct store_decoder *d, struct json_object *o);
void store_decode_stopped(struct store_decoder *d, struct json_object *o);

/* store-stopping.c: the members that say how a plan ends its run. */
void store_set_stopping(struct json_object *header, const struct run *r);
void store_set_stopped(struct json_object *o, const struct stopped *stopped);
void store_take_stopping(struct store_decoder *d, struct json_object *header);
/* Samples and histograms of an iteration. */
void store_decode_samples(struct store_decoder *d, struct json_object *o, struct iteration *it);

/*
 * Readers of one member; a wrong type is a mistake. A missing member (or null) is one when
 * @required, else it leaves @out as it is.
 */
void store_take_str(struct store_decoder *d, struct json_object *o, const char *key,
		    bool required, char **out);
void store_take_u64(struct store_decoder *d, struct json_object *o, const char *key,
		    bool required, uint64_t *out);
void store_take_bool(struct store_decoder *d, struct json_object *o, const char *key,
		     bool required, bool *out);
/*
 * A copy of the string in @v (valid UTF-8), for the caller to free; NULL: no string, or a NUL
 * in it.
 */
char *store_text(struct json_object *v);

/* Appends @s with U+FFFD for what is not UTF-8. */
void store_add_utf8(struct strbuf *out, const char *s);

#endif
