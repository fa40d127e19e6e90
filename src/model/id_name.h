/* SPDX-License-Identifier: Apache-2.0 */
/* id_name - the name behind the number of a user or group, and when it was seen there.
 *
 *     1001 ─▶ alice   2026-01-07 .. 2026-06-30
 *             bob     2026-10-01 .. 2026-11-21     (the number was given to another)
 *
 * Counters name users and groups by number; batch systems and directories report both.
 * One name of a number is one struct, from the first to the last time it was seen.
 */
#ifndef MODEL_ID_NAME_H
#define MODEL_ID_NAME_H

#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum id_kind {
    ID_USER,
    ID_GROUP,
    ID_KIND_COUNT,
};

const char *id_kind_name(enum id_kind kind); /* "user", "group" */

struct id_name {
    enum id_kind kind;
    struct span cluster;       /* who reported it; empty: a directory, not a cluster */
    struct span number;        /* "1001" */
    struct span name;          /* "alice" */
    int64_t first_ns, last_ns; /* seen */
};

/* Is text a number of 32 bits as %u and %g print it: decimal, no zeros before it? */
bool id_is_number(struct span text);

/* Why it cannot be stored, or NULL: its number is none, its name is empty, longer than
 * 255 bytes, no UTF-8 or a number itself, it was seen before 1970, or last before
 * first.  Static text. */
const char *id_name_check(const struct id_name *name);

/* The name that number bore at t_ns, out of count names of any kinds and numbers: of
 * those seen around t_ns the one seen first latest; else the last one seen before t_ns,
 * else the first one after it.  NULL: none, or clusters that contradict each other. */
const struct id_name *id_name_at(const struct id_name *names, size_t count,
                                 enum id_kind kind, struct span number, int64_t t_ns);

#endif
