// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Laps that are compared one by one. Nothing in here depends on the values, or on whether the
 * next lap follows at once: what a lap costs beside its operation is a constant.
 */
#include "workloads/native/native.h"
#include "workloads/native/native-spin.h"

static uint64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The processor time outside: reading it is a system call, the other clock is not. */
void native_exact_begin(struct native_thread *t)
{
	if (t->n->each_cpu)
		t->cpu_start = t->cpu_last = cpu_now();
	t->start = t->last = native_now();
}

static void add(struct native_thread *t, unsigned int op, uint64_t ns, uint64_t cpu)
{
	struct native_each *each = &t->each[op];

	hist_record(&t->hist[op], ns);
	if (!each->ns)
		return;
	if (each->n == each->room) {
		t->lost++;
		return;
	}
	each->ns[each->n] = ns;
	if (each->cpu)
		each->cpu[each->n] = cpu;
	each->n++;
}

bool native_rare_lap(struct native_thread *t, unsigned int op, bool ok, const char *path)
{
	const struct native *n = t->n;
	uint64_t now, end, cpu = 0, next;

	if (!ok) {
		native_op_failed(t, op, path);
		if (n->each_cpu)
			t->cpu_last = cpu_now();
		t->last = native_now();
		return false;
	}
	native_spin(n->spin, n->instructions);
	now = native_now();
	if (n->delay_ns)
		for (end = now + n->delay_ns; now < end;)
			now = native_now();
	if (n->each_cpu)
		cpu = cpu_now();
	add(t, op, now - t->last, cpu - t->cpu_last);
	/* The whole is the sum of its parts: what was recorded meanwhile is in neither. */
	if (n->each_cpu) {
		next = cpu_now();
		t->cpu_start += next - cpu;
		t->cpu_last = next;
	}
	next = native_now();
	t->start += next - now;
	t->last = next;
	return true;
}

void native_exact_whole(struct native_thread *t, unsigned int op)
{
	add(t, op, t->last - t->start, t->cpu_last - t->cpu_start);
}
