/* SPDX-License-Identifier: Apache-2.0 */
/* scoreboard_opts - which boards and scores, as a person requests them. */
#ifndef ANALYSIS_CLIMATE_SCOREBOARD_OPTS_H
#define ANALYSIS_CLIMATE_SCOREBOARD_OPTS_H

#include "analysis/climate/scoreboard.h"

#define SCOREBOARD_TOP_DEFAULT 10

struct scoreboard_request {
    struct config_list boards; /* "NAME=FORMULA", or the name of a column; none: users,
                                * applications and file systems of job summaries */
    struct config_list scores; /* likewise; none: bytes, node-hours and time in I/O */
    const char *order;         /* the name of a score; NULL: the first */
    size_t top;                /* lines of each board; 0: SCOREBOARD_TOP_DEFAULT */
};

/* Fill all of *ret but columns and form, which stay; texts are in arena.
 * Errors: -EINVAL (a term, too many of them, an order that is no score), -ENOMEM. */
int scoreboard_opts_init(const struct scoreboard_request *request, struct arena *arena,
                         struct scoreboard_opts *ret, struct err *err);

/* Without requested boards a scoreboard needs a row that has one of the default names.
 * Errors: -ENODATA (there is none). */
int scoreboard_check(const struct scoreboard *scoreboard,
                     const struct scoreboard_request *request, struct err *err);

#endif
