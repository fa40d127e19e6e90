/* SPDX-License-Identifier: Apache-2.0 */
/* files - files of servers' measures that a command was given. */
#include "client/series/files.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "client/series/open.h"

#define SERVER_LAST_S 3600

int series_files_open(struct series_files *files, const char **paths, size_t count,
                      const struct series_opts *way, struct err *err)
{
    const char *zone = way ? way->zone : NULL;
    const struct lmt_opts opts = { .zone = zone ? &files->zone : NULL };
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    int rc = zone ? zone_load(zone, &files->zone, err) : 0;
    if (rc < 0)
        return err_prefix(err, rc, "--zone");
    files->series = calloc(count + 1, sizeof(void *));
    if (!files->series)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        rc = series_open(paths[i], way, &opts, &files->series[i], err);
        if (rc < 0)
            return rc;
        files->count++;
        files->has_server |= series_server_is(paths[i]);
        strbuf_addf(&names, "%s%s", i > 0 ? " " : "", paths[i]);
    }
    files->names = count > 0 ? span_dup(strbuf_span(&names)) : NULL;
    return 0;
}

void series_files_done(struct series_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        lmt_series_close(files->series[i]);
    free(files->series);
    free(files->names);
    zone_done(&files->zone);
    *files = (struct series_files){ 0 };
}

int series_files_choose(const struct series_files *files, const char *fs,
                        struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < files->count; i++)
        rc = lmt_series_choose(files->series[i], fs, err);
    return rc;
}

static int time_parse(const char *option, const char *text, int64_t *ret_s,
                      struct err *err)
{
    int64_t t_ns;
    if (timetext_parse_user(span_of(text), clock_now_ns(), &t_ns) < 0)
        return err_set(err, EINVAL, "%s: '%s' is not a time", option, text);
    *ret_s = t_ns / NS_PER_S;
    return 0;
}

int series_files_window(const struct series_files *files, enum lmt_measure measure,
                        const char *from, const char *to, int64_t *ret_from_s,
                        int64_t *ret_to_s, struct err *err)
{
    int found = -ENOENT;
    int64_t from_s = INT64_MAX;
    int64_t to_s = INT64_MIN;
    for (size_t i = 0; i < files->count; i++) {
        int64_t first = 0;
        int64_t end = 0;
        int rc = lmt_series_times(files->series[i], measure, &first, &end, err);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return rc;
        found = 0;
        from_s = first < from_s ? first : from_s;
        to_s = end > to_s ? end : to_s;
    }
    if (found == 0 && from)
        found = time_parse("--from", from, &from_s, err);
    if (found == 0 && to)
        found = time_parse("--to", to, &to_s, err);
    /* A server stores more than a user wants to read by accident. */
    if (found == 0 && !from && files->has_server && to_s - SERVER_LAST_S > from_s)
        from_s = to_s - SERVER_LAST_S;
    if (found == 0 && to_s <= from_s)
        found = err_set(err, EINVAL, "a window ends after it begins");
    if (found == 0) {
        *ret_from_s = from_s;
        *ret_to_s = to_s;
    }
    return found;
}
