// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/cache.h"

#include "lib/file.h"
#include "lib/mem.h"

#include <pwd.h>

/* Without $HOME, as under cron or sudo -i in a container, the password file knows. */
static const char *home(void)
{
	const char *dir = getenv("HOME");
	const struct passwd *pw = dir && *dir == '/' ? NULL : getpwuid(geteuid());

	return pw ? pw->pw_dir : dir && *dir == '/' ? dir : NULL;
}

char *cache_path(const char *name)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *own = home();
	__cleanup_free char *dir = NULL;

	if (xdg && *xdg == '/')
		dir = xasprintf("%s/fsdelta", xdg);
	else if (own)
		dir = xasprintf("%s/.cache/fsdelta", own);
	if (!dir || file_mkdir_p(dir))
		return NULL;
	return xasprintf("%s/%s", dir, name);
}
