// SPDX-License-Identifier: GPL-2.0-or-later
/* Where job files are. */
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "workloads/job-check.h"
#include "workloads/job.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define JOB_SUFFIX ".job"
#define JOB_FILE_MAX (1U << 20)

void job_dirs(struct strvec *dirs, const char *datadir)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	strvec_push(dirs, "./fsdelta.d");
	/* The XDG specification: a path that is not absolute is to be ignored. */
	if (config && *config == '/')
		strvec_pushf(dirs, "%s/fsdelta", config);
	else if (home && *home)
		strvec_pushf(dirs, "%s/.config/fsdelta", home);
	strvec_push(dirs, "/etc/fsdelta");
	if (datadir)
		strvec_pushf(dirs, "%s/workloads", datadir);
}

/* "NAME" of "DIR/NAME.job"; the caller frees. NULL when it is no name of a job. */
static char *job_name_of(const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *name;

	if (!str_ends(base, JOB_SUFFIX))
		return NULL;
	name = xstrndup(base, strlen(base) - strlen(JOB_SUFFIX));
	if (file_is_plain_name(name))
		return name;
	free(name);
	return NULL;
}

static void list_dir(const char *dir, struct strvec *names)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		__cleanup_free char *name = job_name_of(entry->d_name);

		if (name && !strvec_has(names, name))
			strvec_push(names, name);
	}
	closedir(d);
}

void job_list(const struct strvec *dirs, struct strvec *names)
{
	for (size_t i = 0; i < dirs->n; i++)
		list_dir(dirs->v[i], names);
	strvec_sort(names);
}

/* The file's text. -EINVAL: no text; -EBADF: no regular file. */
static int read_text(const char *path, struct strbuf *text)
{
	struct stat st;
	int ret;

	if (stat(path, &st))
		return -errno;
	/* Opening a fifo would wait for its writer. */
	if (!S_ISREG(st.st_mode))
		return -EBADF;
	ret = file_read(path, text, JOB_FILE_MAX);
	if (ret)
		return ret;
	return strlen(strbuf_str(text)) == text->len ? 0 : -EINVAL;
}

static const char *read_problem(int ret)
{
	switch (ret) {
	case -EINVAL:
		return "holds a NUL byte";
	case -EBADF:
		return "is no regular file";
	case -EFBIG:
		return "is longer than 1 MiB";
	default:
		return strerror(-ret);
	}
}

static struct job *load_file(const char *name, const char *path, struct strvec *errors)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = read_text(path, &text);

	if (ret) {
		strvec_pushf(errors, "%s: %s", path, read_problem(ret));
		return NULL;
	}
	return job_parse(name, path, strbuf_str(&text), errors);
}

static struct job *load_path(const char *path, struct strvec *errors)
{
	__cleanup_free char *name = job_name_of(path);

	if (!name) {
		strvec_pushf(errors, "'%s' is no job: a name has no '/' and does not begin with "
			     "'.' or '-', a path ends in NAME" JOB_SUFFIX, path);
		return NULL;
	}
	return load_file(name, path, errors);
}

static void not_found(const struct strvec *dirs, const char *name, struct strvec *errors)
{
	__cleanup_strvec struct strvec known = STRVEC_INIT;
	__cleanup_free char *hint = NULL, *where = strvec_join(dirs, ", ");

	job_list(dirs, &known);
	/* "x.job" in the current folder: a path needs its '/'. */
	if (str_ends(name, JOB_SUFFIX) && file_exists(name))
		hint = xasprintf(", did you mean './%s'?", name);
	else
		hint = job_hint(&known, name);
	strvec_pushf(errors, "no job '%s' in %s%s (`fsdelta list workloads` shows all)", name,
		     where, hint);
}

struct job *job_load(const struct strvec *dirs, const char *name, struct strvec *errors)
{
	if (!file_is_plain_name(name))
		return load_path(name, errors);
	for (size_t i = 0; i < dirs->n; i++) {
		__cleanup_free char *path = xasprintf("%s/%s" JOB_SUFFIX, dirs->v[i], name);

		if (file_exists(path))
			return load_file(name, path, errors);
	}
	not_found(dirs, name, errors);
	return NULL;
}
