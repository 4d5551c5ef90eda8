// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes are a job, or a list of mistakes. */
#include "workloads/job.h"

#include <stdint.h>
#include <string.h>

#include "lib/mem.h"
#include "workloads/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A job that was accepted says everything that the rest of the program reads. */
static void use(const struct job *job)
{
	if (!job->tool || !job->summary || strlen(job->digest) != 16)
		abort();
	for (size_t i = 0; i < job->n_params; i++) {
		(void)job_param_u64(job, job->params[i].key, 0);
		if (job->params[i].line < 1 || !*job->params[i].key)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *text = xstrndup((const char *)data, size);
	struct job *job = job_parse("fuzz", NULL, text, &errors);

	if (!job == !errors.n)
		abort();
	if (job)
		use(job);
	job_free(job);
	return 0;
}
