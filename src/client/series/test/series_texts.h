/* SPDX-License-Identifier: Apache-2.0 */
/* series_texts - small files of series for the tests of this room: mmpmon's text. */
#ifndef CLIENT_SERIES_TEST_SERIES_TEXTS_H
#define CLIENT_SERIES_TEST_SERIES_TEXTS_H

#include "base/test/scratch.h"

#include <inttypes.h>
#include <stdarg.h>

static inline void text_write(const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A file of count observations 5 s apart from start_s on: in each step node n1 reads
 * 100 bytes and writes 10 of gpfs2. */
static inline void mmpmon_write(const char *name, int64_t start_s, size_t count)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        assert_true(fprintf(file,
                            "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ %" PRId64
                            " _tu_ 0 _cl_ c _fs_ gpfs2 _d_ 2 _br_ %zu _bw_ %zu _oc_ 1 "
                            "_cc_ 1 _rdc_ 1 _wc_ 1 _dir_ 1 _iu_ 1\n",
                            start_s + 5 * (int64_t)i, 100 * i, 10 * i) > 0);
    assert_int_equal(fclose(file), 0);
}

#endif
