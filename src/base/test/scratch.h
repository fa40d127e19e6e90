/* SPDX-License-Identifier: Apache-2.0 */
/* scratch - a directory of a test program's own, removed with all that is in it.
 *
 *     return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
 *
 * Threads  none inside: made and removed by the main thread.
 */
#ifndef BASE_TEST_SCRATCH_H
#define BASE_TEST_SCRATCH_H

#include "base/test/testing.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[] = "/tmp/baro-test.XXXXXX";

/* Others may search it, so that a test can look at a file as another user. */
static int scratch_make(void **state)
{
    (void)state;
    return mkdtemp(scratch) && chmod(scratch, 0755) == 0 ? 0 : -1;
}

static int scratch_remove_one(const char *path, const struct stat *st, int kind,
                              struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int scratch_remove(void **state)
{
    (void)state;
    return nftw(scratch, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of name within it, valid until the next call but three. */
static const char *scratch_path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    int size = snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    assert_true(size > 0 && (size_t)size < sizeof paths[0]);
    return path;
}

#endif
