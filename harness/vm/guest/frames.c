// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/guest/guest.h"

#include "harness/vm/frame.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <termios.h>
#include <unistd.h>

#define CONSOLE_OFF 6 /* of syslog(2): only the worst is still printed */

static void send_line(const struct frame *f)
{
	char line[FRAME_LINE + 2];
	size_t len, done = 0;

	frame_encode(f, line);
	len = strlen(line);
	line[len++] = '\n';
	while (done < len) {
		ssize_t n = write(STDOUT_FILENO, line + done, len - done);

		if (n < 0)
			die(true, "the results cannot be written to the console");
		done += (size_t)n;
	}
}

static uint64_t send_file(const char *path, enum frame_kind kind)
{
	struct frame f = { .kind = kind };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		die(true, "%s", path);
	while ((n = read(fd, f.data, sizeof(f.data))) > 0) {
		f.len = (size_t)n;
		send_line(&f);
		f.offset += (uint64_t)n;
	}
	if (n < 0)
		die(true, "%s", path);
	close(fd);
	return f.offset;
}

void send_results(const char *out, const char *err, const struct ending *e)
{
	struct frame end = { .kind = FRAME_END, .number = e->number };

	klogctl(CONSOLE_OFF, NULL, 0);
	/* Whatever is in the middle of a line. */
	if (write(STDOUT_FILENO, "\n", 1) < 0)
		die(true, "console");
	end.out_len = send_file(out, FRAME_OUT);
	end.err_len = send_file(err, FRAME_ERR);
	snprintf(end.word, sizeof(end.word), "%s", e->word);
	send_line(&end);
	tcdrain(STDOUT_FILENO);
}
