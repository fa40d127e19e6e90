/* SPDX-License-Identifier: Apache-2.0 */
/* tool - a program that reads or writes an image, in a confined process.
 *
 * It dies with this one, has no network, gains no privilege, and its environment is the
 * C locale and the system's PATH.  Where it has a directory, that is its working
 * directory, it changes nothing elsewhere (base/system/write_wall.h), and it is ended
 * where that file system is nearly full.
 */
#ifndef DATASET_IMAGE_TOOL_H
#define DATASET_IMAGE_TOOL_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

#define TOOL_OUTPUT_MAX ((size_t)256 << 20)

struct image_tool {
    const char *package; /* whose it is, for who has not got it */
    char *const
        *arguments; /* the first is its name, sought where packages put programs */
    const char *directory; /* NULL: it writes where its user may */
    bool reads_output;     /* its standard output is read; else its standard error */
};

/* What it wrote is appended to text.  Errors: -ENOENT (it is not installed), -EIO (it
 * failed: the last line of its standard error is in err), -EMSGSIZE (it wrote more than
 * TOOL_OUTPUT_MAX), -ENOSPC, errors of pipe and fork. */
int image_tool_run(const struct image_tool *tool, struct strbuf *text, struct err *err);

#endif
