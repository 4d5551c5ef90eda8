/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A known number of instructions, for finding out whether a measurement can count them.
 *
 * native_spin(spin, more) executes 2 * @spin + @more instructions more than native_spin(0, 0):
 * a loop of two instructions a turn, which takes at least one turn, and a jump to the end of a
 * row of one nop, or to that nop. All else of it is the same for all arguments.
 * tests/unit/test-spin.c counts them by single steps. The sum of the turns is not checked for
 * overflow: @spin and @more are at most NATIVE_SPIN_MAX.
 */
#ifndef FSDELTA_WORKLOADS_NATIVE_NATIVE_SPIN_H
#define FSDELTA_WORKLOADS_NATIVE_NATIVE_SPIN_H

#include <stdint.h>

#define NATIVE_SPIN_MAX UINT64_C(1000000000)

#if defined(__x86_64__)
#define NATIVE_SPIN 1

static inline void native_spin(uint64_t spin, uint64_t more)
{
	uint64_t turns = 1 + spin + more / 2, rest = more % 2, to;

	__asm__ volatile("1:	dec	%[turns]\n"
			 "	jnz	1b\n"
			 "	lea	3f(%%rip), %[to]\n"
			 "	sub	%[rest], %[to]\n"
			 "	notrack jmp *%[to]\n"
			 "2:	nop\n"
			 "3:\n"
			 : [turns] "+r" (turns), [to] "=&r" (to)
			 : [rest] "r" (rest)
			 : "cc");
}
#else
#define NATIVE_SPIN 0

/* The options are refused. */
static inline void native_spin(uint64_t spin, uint64_t more)
{
	(void)spin;
	(void)more;
}
#endif

#endif
