/* SPDX-License-Identifier: Apache-2.0 */
/* job_files - lists of jobs out of files, of whichever batch system. */
#include "client/job/files.h"

#include "base/input.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "base/user_time.h"
#include "client/job/server.h"

#include <inttypes.h>
#include <stdio.h>

static void on_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    const struct job_files *files = arg;
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    entry_id_print(&shown, text);
    const struct series_opts log = { .log = files->log, .log_arg = files->log_arg };
    series_log(&log, "%s:%" PRIu64 ": %s%s%s", files->path, line, reason,
               shown.size > 0 ? ": " : "", strbuf_text(&shown));
}

static void zone_warn(const struct job_files *files, const struct err *why)
{
    const struct series_opts log = { .log = files->log, .log_arg = files->log_arg };
    series_log(&log, "times without a zone cannot be read: %s", why->text);
}

int job_files_init(struct job_files *files, const struct job_files_args *args,
                   struct err *err)
{
    *files = (struct job_files){ .opts.on_fault = on_fault,
                                 .log = args->log,
                                 .log_arg = args->log_arg };
    files->opts.arg = files;
    files->opts.names = &files->names;
    if (args->format && job_form_parse(span_of(args->format), &files->opts.form) < 0)
        return err_set(err, EINVAL,
                       "--format: '%s' is not one of auto, sacct, csv, pbs-log, json, "
                       "json-lines",
                       args->format);
    if (args->zone && user_time_set_zone(args->zone, err) < 0)
        return err_prefix(err, -EINVAL, "--zone");
    /* Where this machine's zone is not known such times are refused one by one. */
    struct err why = { 0 };
    files->opts.clock =
        (struct sched_clock){ user_time_zone(&why), &files->local_count };
    if (!files->opts.clock.zone)
        zone_warn(files, &why);
    for (size_t i = 0; i < args->map.count; i++) {
        int rc = job_names_add(&files->names, span_of(args->map.items[i]));
        if (rc < 0)
            return err_set(err, -rc,
                           rc == -E2BIG
                               ? "--map: '%s' is one too many"
                               : "--map: '%s' is not FIELD=NAME with a field of "
                                 "cluster, id, raw_id, name, user, uid, group, gid, "
                                 "account, partition, "
                                 "state, submit, start, end, node_count, nodes",
                           args->map.items[i]);
    }
    return 0;
}

/* The reader of the list has to know by which clocks it was understood. */
static void zone_report(const struct job_files *files)
{
    const struct series_opts log = { .log = files->log, .log_arg = files->log_arg };
    if (files->local_count > 0)
        series_log(&log,
                   "%s: %" PRIu64 " times without a zone are read as those of %s "
                   "(--zone names another)",
                   files->path, files->local_count, user_time_zone_name());
}

int job_files_read(struct job_files *files, const char *path, struct job_list *list,
                   struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    AUTO(job_text_free) struct job_text *text = NULL;
    const char *data;
    size_t size = 1;
    files->path = path;
    files->local_count = 0;
    int rc = input_open(path, &input, err);
    if (rc < 0)
        return rc;
    rc = job_text_new(&files->opts, list, &text);
    if (rc < 0)
        return err_set(err, ENOMEM, "memory is out");
    while (size > 0) {
        rc = input_read(input, &data, &size, err);
        if (rc < 0)
            return rc;
        if (size > 0)
            rc = job_text_feed(text, data, size, err);
        if (rc < 0)
            return err_prefix(err, rc, "%s", path);
    }
    rc = job_text_finish(text, err);
    if (rc == 0)
        zone_report(files);
    return err_prefix(err, rc, "%s", path);
}

/* ---- of a barod ---- */

static void time_add(struct net_url *url, const char *name, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    if (t_ns == JOB_TIME_NONE || t_ns < 0)
        return;
    (void)timetext_print(text, t_ns);
    net_url_add(url, name, text);
}

static void filter_print(const struct job_files_filter *filter, const char *format,
                         const char *limit, struct net_url *url)
{
    net_url_init(url, "/v1/jobs");
    net_url_add(url, "format", format);
    net_url_add(url, "limit", limit);
    net_url_add(url, "id", filter->id);
    net_url_add(url, "array", filter->array);
    net_url_add(url, "cluster", filter->cluster);
    net_url_add(url, "node", filter->node);
    net_url_add(url, "user", filter->user);
    net_url_add(url, "fs", filter->fs);
    time_add(url, "from", filter->from_ns);
    time_add(url, "to", filter->to_ns);
}

static int lines_add(struct span lines, struct job_list *list, struct err *err)
{
    AUTO(arena_done) struct arena arena = { 0 };
    struct span line;
    int rc = 0;
    arena_init(&arena, 0);
    while (rc == 0 && lines.size > 0) {
        struct job job = { 0 };
        (void)span_cut(&lines, '\n', &line);
        arena_reset(&arena);
        rc = job_line_read(line, &arena, &job, err);
        if (rc == 0 && job_list_add(list, &job) < 0)
            rc = err_set(err, ENOMEM, "memory is out");
    }
    return rc;
}

int job_files_query(struct job_files *files, const char *name,
                    const struct client_endpoint *base,
                    const struct job_files_filter *filter, struct job_list *list,
                    struct err *err)
{
    AUTO(job_server_close) struct job_server *server = NULL;
    AUTO(net_url_done) struct net_url url = { 0 };
    const struct client_endpoint there = client_endpoint_named(name, base);
    struct span lines;
    bool has_more = false;
    files->path = name;
    filter_print(filter, "lines", JOB_SERVER_JOBS_MAX, &url);
    int rc = job_server_open(&there, &server, err);
    if (rc == 0)
        rc = job_server_get(server, &url, &lines, &has_more, err);
    if (rc == 0)
        rc = lines_add(lines, list, err);
    if (rc == 0 && has_more)
        series_log(
            &(struct series_opts){ .log = files->log, .log_arg = files->log_arg },
            "%s: has more runs than one response holds: name a window", name);
    return err_prefix(err, rc, "%s", name);
}

int job_files_footprints(const char *name, const struct client_endpoint *base,
                         const struct job_files_filter *filter,
                         const struct job_footprints_request *request,
                         struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    const struct client_endpoint there = client_endpoint_named(name, base);
    char limit[24];
    (void)snprintf(limit, sizeof limit, "%llu", (unsigned long long)request->limit);
    filter_print(filter, "table", request->limit > 0 ? limit : JOB_SERVER_JOBS_MAX,
                 &url);
    net_url_add(&url, "footprint", request->columns);
    net_url_add(&url, "worst", request->worst);
    return err_prefix(err, client_http_fetch_table(&there, &url, ret, err), "%s", name);
}
