// SPDX-License-Identifier: GPL-2.0-or-later
/* Says what the real one would do: commands as a shell takes them, other deeds as comments. */
#include "harness/env/env.h"

#include "lib/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static FILE *out_of(const struct env *env)
{
	return env->out ? env->out : stdout;
}

/* Prints the words of a command; the list ends with NULL. */
static int command(const struct env *env, const char *const *words)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_free char *line = NULL;

	for (; *words; words++)
		strvec_push(&argv, *words);
	line = strvec_shell(&argv);
	fprintf(out_of(env), "%s\n", line);
	return 0;
}

#define COMMAND(env, ...) command((env), (const char *const[]){ __VA_ARGS__, NULL })

static int comment(const struct env *env, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int comment(const struct env *env, const char *fmt, ...)
{
	__cleanup_strbuf struct strbuf raw = STRBUF_INIT, shown = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&raw, fmt, ap);
	va_end(ap);
	strbuf_add_printable(&shown, strbuf_str(&raw));
	fprintf(out_of(env), "# %s\n", strbuf_str(&shown));
	return 0;
}

static int dry_attach(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk)
{
	char size[32];

	disk->loop = spec->kind != ENV_DISK_BLOCK;
	if (!disk->loop) {
		const char *slash = strrchr(spec->path, '/');

		disk->node = xstrdup(spec->path);
		disk->sys_name = xstrdup(slash ? slash + 1 : spec->path);
		return COMMAND(env, "flock", "--exclusive", "--nonblock", spec->path, "true");
	}
	disk->node = xstrdup("/dev/loopN");
	disk->sys_name = xstrdup("loopN");
	if (spec->kind == ENV_DISK_MEMORY)
		return comment(env, "attach /dev/loopN to %" PRIu64 " MiB of memory",
			       spec->size >> 20);
	snprintf(size, sizeof(size), ">%" PRIu64, spec->size);
	COMMAND(env, "truncate", "--size", size, spec->path);
	return COMMAND(env, "losetup", "--find", "--show", spec->path);
}

static int dry_detach(struct env *env, struct env_disk *disk)
{
	if (!disk->loop)
		return comment(env, "wait until %s is free", disk->node);
	return COMMAND(env, "losetup", "--detach", disk->node);
}

static int dry_mkfs(struct env *env, const struct strvec *argv, int log_fd)
{
	(void)log_fd;
	return command(env, (const char *const *)argv->v);
}

static int dry_mount(struct env *env, const struct env_disk *disk, const char *dir,
		     const char *fstype, const char *options)
{
	COMMAND(env, "mkdir", "-p", dir);
	if (options && *options)
		return COMMAND(env, "mount", "-t", fstype, "-o", options, disk->node, dir);
	return COMMAND(env, "mount", "-t", fstype, disk->node, dir);
}

static int dry_umount(struct env *env, const char *dir, uint64_t *ns)
{
	(void)ns;
	return COMMAND(env, "umount", dir);
}

static int dry_sync(struct env *env, const char *dir)
{
	return COMMAND(env, "sync", "--file-system", dir);
}

static int dry_drop_caches(struct env *env)
{
	return COMMAND(env, "sysctl", "-q", "vm.drop_caches=3");
}

static int dry_settle(struct env *env, const struct env_disk *disk, const char *dir)
{
	(void)dir;
	return comment(env, "wait until %s is idle", disk->node);
}

const struct env_ops env_dry = {
	.name = "dry",
	.attach = dry_attach,
	.detach = dry_detach,
	.mkfs = dry_mkfs,
	.mount = dry_mount,
	.umount = dry_umount,
	.sync = dry_sync,
	.drop_caches = dry_drop_caches,
	.settle = dry_settle,
};
