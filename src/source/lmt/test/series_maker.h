/* SPDX-License-Identifier: Apache-2.0 */
/* series_maker - writes the same two minutes of a small file system in every format.
 *
 * Two targets, two servers, one metadata server, steps of 5 s from MAKER_START on.  In
 * step i target k reads (k + 1) * 4096 * i bytes and writes (k + 1) * 1 MiB; i opens
 * and 2 * i getattrs happen.
 */
#ifndef SOURCE_LMT_TEST_SERIES_MAKER_H
#define SOURCE_LMT_TEST_SERIES_MAKER_H

#include "base/err.h"

#include <stdint.h>

#define MAKER_START INT64_C(1500000000)
#define MAKER_STEP 5
#define MAKER_STEPS 24
#define MAKER_TARGETS 2

/* A copy of an LMT database, with times in UTC; sql, which may be NULL, is run last, to
 * spoil it. */
int make_database(const char *path, const char *sql, struct err *err);
/* What the layout of pyLMT has of it. */
int make_h5lmt(const char *path, struct err *err);

#endif
