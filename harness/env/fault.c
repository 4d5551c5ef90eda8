// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: one call fails, the others go to the inner implementation. */
#include "harness/env/internal.h"

#include <string.h>

static const struct env_ops *inner(const struct env *env)
{
	return env->inner ? env->inner->ops : &env_dry;
}

/* Counts the call; non-zero when it is the one. */
static int strike(struct env *env, const char *what)
{
	if (env->calls++ != env->fail_at)
		return 0;
	return env_fail(env, env->fail_errno, "%s fails on purpose: %s", what,
			strerror(env->fail_errno));
}

static int fault_attach(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk)
{
	int ret = strike(env, "attach");

	return ret ? ret : inner(env)->attach(env, spec, disk);
}

static int fault_detach(struct env *env, struct env_disk *disk)
{
	int ret = strike(env, "detach");

	return ret ? ret : inner(env)->detach(env, disk);
}

static int fault_mkfs(struct env *env, const struct strvec *argv, int log_fd)
{
	int ret = strike(env, "mkfs");

	return ret ? ret : inner(env)->mkfs(env, argv, log_fd);
}

static int fault_mount(struct env *env, const struct env_disk *disk, const char *dir,
		       const char *fstype, const char *options)
{
	int ret = strike(env, "mount");

	return ret ? ret : inner(env)->mount(env, disk, dir, fstype, options);
}

static int fault_umount(struct env *env, const char *dir, uint64_t *ns)
{
	int ret = strike(env, "umount");

	return ret ? ret : inner(env)->umount(env, dir, ns);
}

static int fault_sync(struct env *env, const char *dir)
{
	int ret = strike(env, "sync");

	return ret ? ret : inner(env)->sync(env, dir);
}

static int fault_drop_caches(struct env *env)
{
	int ret = strike(env, "drop_caches");

	return ret ? ret : inner(env)->drop_caches(env);
}

static int fault_settle(struct env *env, const struct env_disk *disk, const char *dir)
{
	int ret = strike(env, "settle");

	return ret ? ret : inner(env)->settle(env, disk, dir);
}

const struct env_ops env_fault = {
	.name = "fault",
	.attach = fault_attach,
	.detach = fault_detach,
	.mkfs = fault_mkfs,
	.mount = fault_mount,
	.umount = fault_umount,
	.sync = fault_sync,
	.drop_caches = fault_drop_caches,
	.settle = fault_settle,
};
