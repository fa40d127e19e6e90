/* SPDX-License-Identifier: Apache-2.0 */
/* weather_series - the weather of a window out of a set of series: of all file systems
 * together, or of one.
 */
#ifndef CLIENT_SERIES_WEATHER_SERIES_H
#define CLIENT_SERIES_WEATHER_SERIES_H

#include "analysis/job/job.h"
#include "analysis/weather/weather.h"
#include "client/series/set.h"

struct weather_series {
    struct series_set *set;
    const struct site_filesystem *of; /* NULL: of all together */
    const char *fs; /* of series of several only this, as Lustre calls it; NULL: all */
    int64_t
        against_s; /* only days so long before the window; 0: all, also later ones */
};

/* Choose the file system that the user named (NULL: all): of the site, or without one
 * (NULL) of a barod in the set.  Errors: -EINVAL (there is none of that name, or
 * nothing that knows names). */
int weather_series_init(struct weather_series *ret, struct series_set *set,
                        const struct site_file *site, const char *name,
                        struct err *err);

/* The series of a window, valid until the next request of the set. */
int weather_series_get(const struct weather_series *series, int64_t from_s,
                       int64_t to_s, struct lmt_series ***ret, size_t *ret_count,
                       struct err *err);

/* *ret is the caller's.  Errors: as weather_read(). */
int weather_series_read(struct weather_series *series, int64_t from_s, int64_t to_s,
                        struct weather *ret, struct err *err);

/* What each file system that shares a fabric with another moved; of series->of alone
 * those that share one with it.  *ret is the caller's, each of it and itself, and NULL
 * without a site.  Errors: as fabric_series_read_own(). */
int weather_series_fabrics(struct weather_series *series, const struct site_file *site,
                           int64_t from_s, int64_t to_s, struct fabric_filesystem **ret,
                           size_t *ret_count, struct err *err);

#endif
