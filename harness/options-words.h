/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between options.c, which has the table of words, options-file.c and options-arm.c. */
#ifndef FSDELTA_HARNESS_OPTIONS_WORDS_H
#define FSDELTA_HARNESS_OPTIONS_WORDS_H

#include "harness/options.h"

#define OPTION_NONE SIZE_MAX

/* Index of the word that @key is in a plan file; OPTION_NONE: there is none. */
size_t option_of_file(const char *key);
/*
 * Does the command line, which gave the words @line (bits as in run_options.given), make word
 * @i of a plan file void? It gave the same one, or said elsewise where the disk is
 * or how often.
 */
bool option_overruled(uint64_t line, size_t i);
/* Sets word @i. @where begins the message: "--size" or "fsdelta.conf: size". 0 or -errno. */
int option_set(struct run_options *o, size_t i, const char *where, const char *value,
	       struct strvec *errors);

bool option_is_arm_key(const char *s, size_t len);
/* NULL: no such arm. */
struct option_arm *option_find_arm(const struct run_options *o, const char *label);
/* Adds an arm, valid until the next one; NULL with a reason in @why when @label will not do. */
struct option_arm *option_new_arm(struct run_options *o, const char *label, const char **why);

#endif
