# SPDX-License-Identifier: GPL-2.0-or-later
# FSDELTA_CC_FLAGS(VARIABLE, FLAGS)
# Appends to VARIABLE each flag that the compiler takes without a complaint.
AC_DEFUN([FSDELTA_CC_FLAGS], [
	for fsdelta_flag in $2; do
		AC_MSG_CHECKING([whether $CC takes $fsdelta_flag])
		fsdelta_saved=$CFLAGS
		CFLAGS="$CFLAGS -Werror $fsdelta_flag"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
			[AC_MSG_RESULT([yes])
			 $1="$$1 $fsdelta_flag"],
			[AC_MSG_RESULT([no])])
		CFLAGS=$fsdelta_saved
	done
	AC_SUBST([$1])
])
