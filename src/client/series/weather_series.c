/* SPDX-License-Identifier: Apache-2.0 */
/* weather_series - the weather of a window out of a set of series. */
#include "client/series/weather_series.h"

#include "client/series/fabric_series.h"

static bool has_server(const struct series_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->files[i].is_server)
            return true;
    return false;
}

int weather_series_init(struct weather_series *ret, struct series_set *set,
                        const struct site_file *site, const char *name, struct err *err)
{
    const struct site_filesystem *of =
        name && site ? site_file_named(site, name) : NULL;
    if (name && site && !of)
        return err_set(err, EINVAL, "--filesystem: the site file has no '%s'", name);
    if (name && !site && !has_server(set))
        return err_set(err, EINVAL, "--filesystem wants --site, or a barod");
    *ret = (struct weather_series){ set, of, of ? NULL : name, 0 };
    return 0;
}

int weather_series_get(const struct weather_series *series, int64_t from_s,
                       int64_t to_s, struct lmt_series ***ret, size_t *ret_count,
                       struct err *err)
{
    const struct series_request request = {
        .from_s = from_s,
        .to_s = to_s,
        .scope = series->of ? SERIES_SCOPE_OWN : SERIES_SCOPE_ALL,
        .owner = series->of,
        .fs = series->fs,
    };
    return series_set_get(series->set, &request, ret, ret_count, NULL, err);
}

static int on_window(void *arg, int64_t from_s, int64_t to_s, struct lmt_series ***ret,
                     size_t *ret_count, struct err *err)
{
    return weather_series_get(arg, from_s, to_s, ret, ret_count, err);
}

int weather_series_read(struct weather_series *series, int64_t from_s, int64_t to_s,
                        struct weather *ret, struct err *err)
{
    const struct series_set *set = series->set;
    struct weather_source source = { .get = on_window,
                                     .arg = series,
                                     .first_s = INT64_MAX,
                                     .end_s = INT64_MIN,
                                     .zone = series_set_zone(set) };
    for (size_t i = 0; i < set->count; i++)
        weather_source_add(&source, set->files[i].from_s, set->files[i].to_s);
    weather_source_against(&source, from_s, to_s, series->against_s);
    return weather_read(&source, from_s, to_s, ret, err);
}

/* Whether all[i] shares a fabric with of, or without it with any other. */
static bool shares_fabric(const struct site_filesystem *all, size_t count, size_t i,
                          const struct site_filesystem *of)
{
    if (of)
        return site_file_fabric(&all[i], of) != NULL;
    for (size_t k = 0; k < count; k++)
        if (k != i && site_file_fabric(&all[i], &all[k]))
            return true;
    return false;
}

int weather_series_fabrics(struct weather_series *series, const struct site_file *site,
                           int64_t from_s, int64_t to_s, struct fabric_filesystem **ret,
                           size_t *ret_count, struct err *err)
{
    size_t count = 0;
    size_t used = 0;
    int rc = 0;
    const struct site_filesystem *all =
        site ? site_file_filesystems(site, &count) : NULL;
    struct fabric_filesystem *found = calloc(count + 1, sizeof *found);
    if (!found)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (!shares_fabric(all, count, i, series->of))
            continue;
        rc = fabric_series_read_own(series->set, &all[i], from_s, to_s,
                                    &found[used].traffic, err);
        found[used].name = all[i].name;
        used += rc == 0;
    }
    if (rc < 0) {
        for (size_t i = 0; i < used; i++)
            fabric_done(&found[i].traffic);
        free(found);
        return rc;
    }
    *ret = found;
    *ret_count = used;
    return 0;
}
