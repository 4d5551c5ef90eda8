#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stands for the C unit tests where configure did not find cmocka.
. "${top_srcdir:-.}/tests/tap.sh"
tap_skip_all "C unit tests: configure found no cmocka >= 1.1.5"
