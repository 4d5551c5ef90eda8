// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/progress.h"

#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

#define CLEAR_LINE "\r\033[K"

char *progress_duration(uint64_t ns)
{
	uint64_t s = (ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC;

	if (s < 60)
		return xasprintf("%llus", (unsigned long long)s);
	if (s < 3600)
		return xasprintf("%llum %02llus", (unsigned long long)s / 60,
				 (unsigned long long)s % 60);
	return xasprintf("%lluh %02llum", (unsigned long long)s / 3600,
			 (unsigned long long)s % 3600 / 60);
}

static struct progress_cell *cell_of(struct progress *p, const struct plan_step *s)
{
	return &p->cells[s->job * p->plan->n_targets + s->target];
}

void progress_start(struct progress *p, const struct plan *plan, bool quiet)
{
	const char *term = getenv("TERM");

	*p = (struct progress){ .plan = plan, .quiet = quiet };
	p->tty = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	p->start_ns = clock_mono_ns();
	p->cells = xcalloc(plan->n_jobs * plan->n_targets, sizeof(*p->cells));
}

/* A cell that was not run yet is taken to last as long as the others did. */
static uint64_t left_ns(struct progress *p)
{
	uint64_t sum = 0, mean;

	if (!p->done)
		return 0;
	mean = (clock_mono_ns() - p->start_ns) / p->done;
	for (size_t i = p->done; i < p->plan->n_steps; i++) {
		const struct progress_cell *c = cell_of(p, &p->plan->steps[i]);

		sum += c->n ? c->ns / c->n : mean;
	}
	return sum;
}

/* A rule may end the run before. */
static const char *most(const struct progress *p)
{
	return p->plan->stopping.rule == STOPPING_FIXED ? "" : "at most ";
}

static void add_what(struct progress *p, const struct plan_step *s, struct strbuf *line)
{
	const struct plan *plan = p->plan;

	strbuf_addf(line, "[%llu/%zu] ", (unsigned long long)s->seq + 1, plan->n_steps);
	strbuf_add_printable(line, plan->jobs[s->job]->name);
	strbuf_adds(line, " on ");
	strbuf_add_printable(line, plan->targets[s->target].name);
	strbuf_adds(line, ", ");
	strbuf_add_printable(line, plan->arms[s->arm].label);
	if (s->warmup)
		strbuf_adds(line, " (warm-up)");
}

void progress_step(struct progress *p, const struct plan_step *s)
{
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;
	__cleanup_free char *left = NULL;

	p->step_ns = clock_mono_ns();
	if (p->quiet || !p->tty)
		return;
	strbuf_adds(&line, CLEAR_LINE);
	add_what(p, s, &line);
	if (p->done) {
		left = progress_duration(left_ns(p));
		strbuf_addf(&line, " ... %s%s left", most(p), left);
	}
	fwrite(line.buf, 1, line.len, stderr);
	fflush(stderr);
}

static void add_result(struct strbuf *line, const struct iteration *it)
{
	const struct sample *wall = samples_get(&it->samples, "wall");

	if (wall)
		strbuf_addf(line, ": %.2f s", value_as_double(wall->value));
	if (it->outcome != OUTCOME_OK) {
		strbuf_addf(line, ": %s: ", outcome_str(it->outcome));
		strbuf_add_printable(line, it->reason ? it->reason : "");
	}
}

void progress_done(struct progress *p, const struct plan_step *s, const struct iteration *it)
{
	struct progress_cell *c = cell_of(p, s);
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;
	__cleanup_free char *left = NULL;

	c->ns += clock_mono_ns() - p->step_ns;
	c->n++;
	p->done++;
	if (p->quiet || (p->tty && it->outcome == OUTCOME_OK))
		return;
	if (p->tty)
		strbuf_adds(&line, CLEAR_LINE);
	add_what(p, s, &line);
	add_result(&line, it);
	left = progress_duration(left_ns(p));
	if (p->done < p->plan->n_steps)
		strbuf_addf(&line, "  (%s%s left)", most(p), left);
	strbuf_addc(&line, '\n');
	fwrite(line.buf, 1, line.len, stderr);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (!p->quiet && p->tty)
		fputs(CLEAR_LINE, stderr);
	free(p->cells);
	p->cells = NULL;
}
