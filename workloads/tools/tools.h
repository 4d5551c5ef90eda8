/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The descriptors that the table in workloads/tools.c lists. */
#ifndef FSDELTA_WORKLOADS_TOOLS_TOOLS_H
#define FSDELTA_WORKLOADS_TOOLS_TOOLS_H

#include "workloads/tool.h"

extern const struct tool tool_command;
extern const struct tool tool_dbench;
extern const struct tool tool_fio;
extern const struct tool tool_fs_mark;
extern const struct tool tool_native;
extern const struct tool tool_stress_ng;

#endif
