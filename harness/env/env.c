// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/mem.h"

#include <unistd.h>

int env_fail(struct env *env, int err, const char *fmt, ...)
{
	va_list ap;

	strbuf_reset(&env->error);
	va_start(ap, fmt);
	strbuf_vaddf(&env->error, fmt, ap);
	va_end(ap);
	return -err;
}

uint64_t env_patience_ns(const struct env *env)
{
	return env->patience_ns ? env->patience_ns : 10 * NSEC_PER_SEC;
}

void env_release(struct env *env)
{
	strbuf_release(&env->error);
}

void env_disk_release(struct env_disk *disk)
{
	if (disk->fd >= 0)
		close(disk->fd);
	if (disk->backing_fd >= 0)
		close(disk->backing_fd);
	free(disk->node);
	free(disk->sys_name);
	*disk = (struct env_disk)ENV_DISK_INIT;
}
