#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who includes whom: lib <- results <- workloads, probes, reports <- harness; harness/env
# uses lib only, harness/vm that too. Includes are written from the top of the tree.
. "${top_srcdir:-.}/tests/lint-common.sh"

# "room/" of a file or of what it includes; harness/env/ is a room of its own.
layers()
{
	(
		cd "$1" || exit
		# shellcheck disable=SC2046 # names without blanks
		set -- $(lint_files . "$rooms" "c h")
		[ $# -eq 0 ] || awk '
			function room(path)
			{
				if (path ~ /^harness\/env\//)
					return "harness/env"
				if (path ~ /^harness\/vm\//)
					return "harness/vm"
				return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : ""
			}
			BEGIN {
				may["lib"] = "lib"
				may["results"] = "lib results"
				may["workloads"] = "lib results workloads"
				may["probes"] = "lib results probes"
				may["reports"] = "lib results reports"
				may["bench"] = "lib results bench"
				may["harness/env"] = "lib harness/env"
				may["harness/vm"] = "lib harness/env harness/vm"
				may["harness"] = "lib results workloads probes reports" \
						 " harness/env harness/vm harness"
			}
			/^[ \t]*#[ \t]*include[ \t]*"/ {
				split($0, part, "\"")
				from = room(FILENAME)
				to = room(part[2])
				if (part[2] == "config.h")
					next
				if (to == "" || part[2] ~ /(^|\/)\.\.?\//)
					print FILENAME ":" FNR ": \"" part[2] \
						"\" is not written from the top"
				else if (index(" " may[from] " ", " " to " ") == 0)
					print FILENAME ":" FNR ": " from " must not use " part[2]
			}' "$@"
	)
}

lint_tree layers "includes follow the layers"

plant_new
plant lib/a.c <<'EOF'
#include "results/store.h"
EOF
plant workloads/b.c <<'EOF'
#include "reports/report.h"
EOF
plant reports/c.h <<'EOF'
# include "workloads/job.h"
EOF
plant harness/env/d.c <<'EOF'
#include "results/run.h"
EOF
plant results/e.c <<'EOF'
#include "stats.h"
EOF
plant harness/env/f.c <<'EOF'
#include "harness/fs.h"
EOF
plant harness/vm/h.c <<'EOF'
#include "results/run.h"
EOF
plant results/g.c <<'EOF'
#include "results/../harness/fs.h"
EOF
lint_finds layers '^lib/a\.c:1: lib must not use results/store\.h$' "lib using results"
lint_finds layers '^workloads/b\.c:1: ' "workloads using reports"
lint_finds layers '^reports/c\.h:1: ' "reports using workloads"
lint_finds layers '^harness/env/d\.c:1: ' "harness/env using results"
lint_finds layers '^harness/env/f\.c:1: ' "harness/env using harness"
lint_finds layers '^harness/vm/h\.c:1: ' "harness/vm using results"
lint_finds layers '^results/e\.c:1: .*not written from the top' "an include from beside"
lint_finds layers '^results/g\.c:1: ' "an include through .."

plant_new
plant harness/main.c <<'EOF'
#include "config.h"
#include "harness/env/env.h"
#include "lib/mem.h"
#include "reports/report.h"
#include <stdio.h>
EOF
plant harness/env/real.c <<'EOF'
#include "harness/env/env.h"
#include "lib/mem.h"
EOF
plant harness/vm/run.c <<'EOF'
#include "harness/env/env.h"
#include "harness/vm/vm.h"
#include "lib/mem.h"
EOF
lint_accepts layers "the allowed direction"
tap_done
