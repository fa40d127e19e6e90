/* SPDX-License-Identifier: Apache-2.0 */
/* time_window - from when to when samples are migrated or compared. */
#ifndef MIGRATE_TIME_WINDOW_H
#define MIGRATE_TIME_WINDOW_H

#include "base/err.h"

#include <stdint.h>

/* As a person wrote it; NULL: not given. */
struct time_window_text {
    const char *from, *to; /* "2026-11-21T06:00Z", "-2h", "@1669010520" */
    const char *last;      /* a duration up to the end, instead of from: "2h" */
};

struct time_window {
    int64_t from_ns; /* since the Unix epoch */
    int64_t to_ns;   /* not part of it; INT64_MAX: no end */
};

/* *ret is the default where nothing is given: its end stands for --to, and its length
 * for --last.  Errors: -EINVAL (err names the option). */
int time_window_parse(const struct time_window_text *text, int64_t now_ns,
                      struct time_window *ret, struct err *err);

/* From the beginning of time to its end. */
struct time_window time_window_all(void);

/* The hour whose end lies two minutes before now: what is younger may still be on its
 * way to one of two stores. */
struct time_window time_window_settled(int64_t now_ns);

#endif
