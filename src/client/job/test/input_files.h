/* SPDX-License-Identifier: Apache-2.0 */
/* input_files - files in the scratch directory, as options name them. */
#ifndef CLIENT_JOB_TEST_INPUT_FILES_H
#define CLIENT_JOB_TEST_INPUT_FILES_H

#include "base/file.h"
#include "base/strbuf.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define START_S INT64_C(1500000000) /* 2017-07-14T02:40:00Z */
#define OPTION_OF(list)      \
    {                        \
        list, COUNT_OF(list) \
    }

static char paths[8][128];

/* The path of the file, in paths[at]. */
static const char *text_write(size_t at, const char *name, const char *text)
{
    (void)snprintf(paths[at], sizeof paths[at], "%s", scratch_path(name));
    assert_int_equal(file_replace(paths[at], text, strlen(text), 0600, NULL), 0);
    return paths[at];
}

/* count observations 5 s apart: in each step a node reads 100 bytes and writes 10. */
static const char *mmpmon_write(size_t at, const char *name, int count)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (int i = 0; i < count; i++)
        strbuf_addf(&text,
                    "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ %" PRId64
                    " _tu_ 0 _cl_ c _fs_ gpfs2 _d_ 2 _br_ %d _bw_ %d _oc_ 1 _cc_ 1 "
                    "_rdc_ 1 _wc_ 1 _dir_ 1 _iu_ 1\n",
                    START_S + 5 * i, 100 * i, 10 * i);
    return text_write(at, name, strbuf_text(&text));
}

static void on_log(void *arg, const char *text)
{
    strbuf_addf(arg, "%s\n", text);
}

#endif
