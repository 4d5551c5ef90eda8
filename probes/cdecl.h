/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is it that a '{' at depth 0 opens? Looks at the tokens of the declaration before it.
 * Pure. Inside probes/ only.
 */
#ifndef FSDELTA_PROBES_CDECL_H
#define FSDELTA_PROBES_CDECL_H

#include "probes/clex.h"
#include "probes/cscan.h"

struct cdecl_info {
	enum cscan_kind kind;
	char *name;   /* the caller frees; NULL: a type without a tag */
	size_t first; /* line where the declaration begins */
	bool is_static;
	bool linkage; /* extern "C": what is inside is still at depth 0 */
};

/* False when the brace opens nothing that has a name here. */
bool cdecl_open(const struct clex_token *v, size_t n, struct cdecl_info *out);
/* Up to a ';' that was seen: may the parameters of a K&R definition follow, or be these? */
bool cdecl_may_be_knr(const struct clex_token *v, size_t n);

#endif
