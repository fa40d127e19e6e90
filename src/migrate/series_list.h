/* SPDX-License-Identifier: Apache-2.0 */
/* series_list - every series that a barod has, by GET /v1/series. */
#ifndef MIGRATE_SERIES_LIST_H
#define MIGRATE_SERIES_LIST_H

#include "base/arena.h"
#include "migrate/http_peer.h"

struct listed_series {
    struct span component, metric; /* the component's path, escaped */
    bool has_step;                 /* samples come at a declared or observed step */
};

struct series_list {
    struct listed_series *items;
    size_t count, capacity;
    struct arena names;
};

void series_list_done(struct series_list *list);
DEFINE_AUTO_DONE(struct series_list, series_list_done);

/* Those whose component matches a pattern ("": all), in barod's order; the list is
 * zeroed or done.  Errors: what the peer returns, -EBADMSG (no list), -ENOMEM. */
int series_list_get(const struct http_peer *barod, const char *component,
                    struct series_list *ret, struct err *err);

#endif
