/* SPDX-License-Identifier: GPL-2.0-or-later */
/* $XDG_CACHE_HOME/fsdelta, or ~/.cache/fsdelta: what can be made again. */
#ifndef FSDELTA_HARNESS_VM_CACHE_H
#define FSDELTA_HARNESS_VM_CACHE_H

/*
 * The path of @name in the cache, whose folder is made; the caller frees. NULL: there is no
 * cache.
 */
char *cache_path(const char *name);

#endif
