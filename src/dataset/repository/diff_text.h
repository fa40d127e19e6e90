/* SPDX-License-Identifier: Apache-2.0 */
/* diff_text - a text that names pairs of datasets, and which files of these differ. */
#ifndef DATASET_REPOSITORY_DIFF_TEXT_H
#define DATASET_REPOSITORY_DIFF_TEXT_H

#include "base/err.h"
#include "base/strbuf.h"

/* Of each line that has, behind blanks, before and then two digests, the files that
 * differ follow below it, at most so many.  *text is as it was where this fails.
 * Errors: those of repository_open() and repository_diff(), with a line. */
#define DIFF_TEXT_FILES_MAX ((size_t)30)
int diff_text_complete(const char *directory, const char *before, struct strbuf *text,
                       struct err *err);

#endif
