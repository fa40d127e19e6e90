/* SPDX-License-Identifier: Apache-2.0 */
/* shadow - one question to two stores, and where their answers differ.
 *
 *     series ─▶ {"queries":[...]} ─┬▶ ours ──▶ points ─┬▶ differences
 *                                  └▶ theirs ▶ points ─┘
 *
 * Points belong together when they lie nearer than half a step to each other.
 */
#ifndef CMD_SHADOW_H
#define CMD_SHADOW_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define SHADOW_POINTS_MAX ((size_t)4 << 20) /* of all answers to one question */

/* The answer to one query. */
struct shadow_item {
    int64_t from_s;
    int64_t step_s;
    size_t first, count; /* of the answer's values */
    bool is_there;       /* a series was found */
    char error[128];     /* empty: none */
};

struct shadow_answer {
    struct shadow_item *items;
    size_t item_count, item_capacity;
    double *values; /* NaN: none */
    size_t value_count, value_capacity;
};

void shadow_answer_done(struct shadow_answer *answer);
/* {"results":[[{"data":[...],"from":s,"resolution":s}], ...]}: the first of each list.
 * Errors: -EBADMSG, -EMSGSIZE, -ENOMEM. */
int shadow_answer_parse(struct span json, struct shadow_answer *ret, struct err *err);

struct shadow_tolerance {
    double relative;
    double absolute;
};

struct shadow_difference {
    uint64_t compared;
    uint64_t only_ours, only_theirs, differing;
    bool is_shifted; /* their times are others, by a part of a step */
    int64_t first_s; /* of the first that is not the same */
    double ours, theirs;
};

void shadow_compare(const struct shadow_answer *ours,
                    const struct shadow_answer *theirs, size_t index,
                    const struct shadow_tolerance *tolerance,
                    struct shadow_difference *ret);

#endif
