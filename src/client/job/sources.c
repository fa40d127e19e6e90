/* SPDX-License-Identifier: Apache-2.0 */
/* sources - a job's log, and what surrounded the job, as its context. */
#include "client/job/sources.h"

#include "base/input.h"
#include "base/number.h"
#include "base/span.h"
#include "client/climate/climate.h"
#include "client/job/server.h"

#include <math.h>
#include <sys/stat.h>

#define TEXT_BYTES_MAX ((size_t)1 << 30)

/* ---- what is read once for all ---- */

/* A file of the topology. */
struct node_text {
    const char *path;
    const struct series_opts *access;
};

static void on_node_fault(void *arg, uint64_t line, struct span text,
                          const char *reason)
{
    const struct node_text *file = arg;
    (void)text;
    series_log(file->access, "%s: line %llu: %s", file->path, (unsigned long long)line,
               reason);
}

static int topology_read(struct job_sources *s, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = input_read_all(path, TEXT_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    struct node_text file = { path, &s->opts->access };
    rc = node_map_add(&s->nodes, strbuf_span(&text), on_node_fault, &file);
    return rc < 0 ? err_set(err, -rc, "%s: %s", path, strerror(-rc)) : 0;
}

/* A directory's files are read when a job wants them, and so is what a barod has. */
static int health_open(struct job_sources *s, size_t i, struct err *err)
{
    const char *path = s->opts->health.items[i];
    struct stat st;
    if (client_endpoint_is_server(path)) {
        s->health_server = path;
        return 0;
    }
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return health_dir_open(path, &s->health_dirs[i], err);
    return input_read_all(path, TEXT_BYTES_MAX, &s->health_texts[i], err);
}

static void job_shift(struct job *job, int64_t offset_ns)
{
    int64_t *const times[] = { &job->submit_ns, &job->start_ns, &job->end_ns };
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (*times[i] != JOB_TIME_NONE)
            *times[i] += offset_ns;
}

/* A barod is asked later, for the time of each job. */
static int jobs_read(struct job_sources *s, const char *name, struct err *err)
{
    bool is_server = client_endpoint_is_server(name);
    if (is_server && s->opts->jobs.count > 1)
        return err_set(err, EINVAL, "--jobs: '%s' stands alone, without files", name);
    if (!is_server)
        return job_files_read(&s->job_files, name, &s->jobs, err);
    s->jobs_server = name;
    return 0;
}

/* ---- what analysis asks for ---- */

static const struct site_filesystem *filesystem_at(const struct job_sources *s,
                                                   const char *mount)
{
    return s->site && mount ? site_file_at(s->site, mount) : NULL;
}

static int input_log(void *arg, const char *name, struct job_log **ret, struct err *err)
{
    (void)arg;
    return job_log_open(name, ret, err);
}

static void input_site(void *arg, const char *mount, struct job_input_site *ret)
{
    const struct site_filesystem *fs = filesystem_at(arg, mount);
    if (fs)
        *ret = (struct job_input_site){
            .name = fs->name,
            .fsname = fs->fsname,
            .peak_bytes_per_s = (double)fs->peak_bytes_per_s,
            .servers = fs->servers,
            .targets = fs->targets,
            .io_nodes = fs->io_nodes,
            .has_fabric = fs->fabrics.count > 0,
        };
}

static int input_series(void *arg, const struct job_window *window,
                        struct job_input_series *ret, struct err *err)
{
    struct job_sources *s = arg;
    const struct site_filesystem *fs = filesystem_at(s, window->mount);
    const char *mount = window->mount;
    const char *slash = mount ? strrchr(mount, '/') : NULL;
    const struct series_request wish = {
        .from_s = window->from_s,
        .to_s = window->to_s,
        .scope = SERIES_SCOPE_OWN,
        .owner = fs,
        .fs_guess = fs      ? NULL
                    : slash ? slash + 1
                            : mount,
    };
    struct lmt_series **series = NULL;
    strbuf_clear(&s->names);
    strbuf_clear(&s->reference);
    int rc = series_set_get(&s->shelf, &wish, &series, &ret->count, &s->names, err);
    if (rc < 0)
        return rc;
    series_set_reference_print(&s->shelf, &s->reference);
    ret->series = series;
    ret->names = strbuf_text(&s->names);
    ret->reference = strbuf_text(&s->reference);
    return 0;
}

static int input_fabric(void *arg, const struct job_window *window, struct fabric *ret,
                        struct err *err)
{
    struct job_sources *s = arg;
    return fabric_series_read(&s->shelf, s->site, filesystem_at(s, window->mount),
                              window->from_s, window->to_s, ret, err);
}

/* The texts that may hold the samples of t_ns.  Where a directory has none, an empty
 * text says so. */
static int input_health(void *arg, int64_t t_ns, const struct span **ret,
                        size_t *ret_count, struct err *err)
{
    const struct job_sources *s = arg;
    size_t count = 0;
    for (size_t i = 0; i < s->opts->health.count; i++) {
        if (client_endpoint_is_server(s->opts->health.items[i]))
            continue;
        if (!s->health_dirs[i])
            s->health_spans[count++] = strbuf_span(&s->health_texts[i]);
        for (unsigned kind = 0; s->health_dirs[i] && kind < HEALTH_KIND_COUNT; kind++) {
            struct span *span = &s->health_spans[count++];
            const char *name;
            int rc = health_dir_at(s->health_dirs[i], kind, t_ns, span, &name, err);
            if (rc < 0 && rc != -ENOENT)
                return rc;
            if (rc < 0)
                *span = SPAN("");
        }
    }
    *ret = s->health_spans;
    *ret_count = count;
    return 0;
}

/* fs NULL: of all file systems.  Errors: -ENOENT (there is none). */
static int readings_get(const struct job_sources *s, const char *fs, int64_t from_ns,
                        int64_t to_ns, struct table *ret, struct err *err)
{
    AUTO(job_server_close) struct job_server *server = NULL;
    AUTO(net_url_done) struct net_url url = { 0 };
    const struct series_opts *access = &s->opts->access;
    const struct client_endpoint endpoint = { .server = access->server,
                                              .token_file = access->token_file,
                                              .ca_file = access->ca_file };
    const struct client_endpoint there =
        client_endpoint_named(s->health_server, &endpoint);
    char from[32], to[32];
    struct span text;
    bool has_more;
    (void)snprintf(from, sizeof from, "@%lld", (long long)(from_ns / NS_PER_S));
    (void)snprintf(to, sizeof to, "@%lld", (long long)(to_ns / NS_PER_S));
    net_url_init(&url, "/v1/health");
    net_url_add(&url, "fs", fs);
    net_url_add(&url, "from", from);
    net_url_add(&url, "to", to);
    int rc = job_server_open(&there, &server, err);
    if (rc == 0)
        rc = job_server_get(server, &url, &text, &has_more, err);
    if (rc == 0)
        rc = table_from_json(text, ret, err);
    return rc < 0 ? err_prefix(err, rc, "%s", s->health_server) : 0;
}

static int input_readings(void *arg, const struct job_target_request *request,
                          struct table *ret, struct err *err)
{
    return readings_get(arg, request->fs, request->from_ns, request->to_ns, ret, err);
}

int job_sources_jobs(struct job_sources *sources,
                     const struct job_target_request *request,
                     const struct job_list **ret, struct err *err)
{
    struct job_sources *s = sources;
    const struct series_opts *access = &s->opts->access;
    const struct client_endpoint endpoint = { .server = access->server,
                                              .token_file = access->token_file,
                                              .ca_file = access->ca_file };
    int64_t offset_ns = clock_list_offset(&s->clocks.all, "jobs", NULL) * NS_PER_S;
    const struct job_files_filter wish = { .cluster = s->opts->cluster,
                                           .fs = request->fs,
                                           .from_ns = request->from_ns - offset_ns,
                                           .to_ns = request->to_ns - offset_ns };
    *ret = s->jobs_server ? &s->jobs_received : &s->jobs;
    if (!s->jobs_server)
        return 0;
    job_list_done(&s->jobs_received);
    job_list_init(&s->jobs_received);
    int rc = job_files_query(&s->job_files, s->jobs_server, &endpoint, &wish,
                             &s->jobs_received, err);
    for (size_t i = 0; rc == 0 && i < s->jobs_received.count; i++)
        job_shift(&s->jobs_received.jobs[i], offset_ns);
    return rc;
}

static int input_jobs(void *arg, const struct job_target_request *request,
                      const struct job_list **ret, struct err *err)
{
    struct job_sources *s = arg;
    if (s->opts->jobs.count + s->opts->topology.count == 0)
        return 0;
    return job_sources_jobs(s, request, ret, err);
}

static int input_topology(void *arg, const struct node_map **ret, struct err *err)
{
    const struct job_sources *s = arg;
    (void)err;
    if (s->opts->topology.count > 0)
        *ret = &s->nodes;
    return 0;
}

static int rows_fill(const struct job_context *const *jobs, size_t count,
                     struct job_row *rows, struct runs_wanted *wanted, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = job_context_row(jobs[i], &rows[i]);
        wanted->jobs[wanted->count++] = &rows[i];
    }
    return rc < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

static int input_climate(void *arg, const struct job_context *const *jobs, size_t count,
                         struct mapping *ret_mapping, struct runs *ret_runs,
                         struct err *err)
{
    const struct job_sources *s = arg;
    const struct series_opts *access = &s->opts->access;
    const struct client_endpoint endpoint = { .server = access->server,
                                              .token_file = access->token_file,
                                              .ca_file = access->ca_file };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    struct job_row rows[RUNS_WANTED_MAX];
    struct runs_wanted wanted = { 0 };
    for (size_t i = 0; i < RUNS_WANTED_MAX; i++)
        job_row_init(&rows[i]);
    int rc = rows_fill(jobs, count, rows, &wanted, err);
    if (rc == 0)
        rc = runs_files_open(s->climate->tables, s->climate->count, &endpoint, &files,
                             err);
    if (rc == 0)
        rc = mapping_load(s->climate->map, ret_mapping, err);
    if (rc == 0)
        rc = runs_load_wanted(ret_mapping, files.paths, files.count, &wanted, NULL,
                              ret_runs, err);
    for (size_t i = 0; i < RUNS_WANTED_MAX; i++)
        job_row_done(&rows[i]);
    return rc;
}

static void inputs_fill(struct job_sources *s)
{
    clock_list_print(&s->clocks, &s->clock_words);
    s->inputs = (struct job_inputs){
        .arg = s,
        .cluster = s->opts->cluster,
        .clocks = s->clock_words.size > 0 ? strbuf_text(&s->clock_words) : NULL,
        .health_offset_s = clock_list_offset(&s->clocks.all, "health", NULL),
        .health_age_max_ns = s->opts->health_age_max_ns,
        .log = input_log,
        .site = input_site,
        .series = input_series,
        .fabric = input_fabric,
        .health = input_health,
        .readings = s->health_server ? input_readings : NULL,
        .jobs = input_jobs,
        .topology = input_topology,
    };
}

/* ---- a window ---- */

/* What has no time of its own must not be taken for the reading before it. */
static void health_text_add(struct strbuf *out, struct span text)
{
    strbuf_adds(out, "\nBEGIN -\n");
    strbuf_add_span(out, text);
}

/* Day by day; of files that were reported already the name stays the same. */
static int health_dir_add(struct health_dir *dir, unsigned kind, int64_t from_ns,
                          int64_t to_ns, struct strbuf *out, struct err *err)
{
    const int64_t day_ns = 86400 * NS_PER_S;
    char before[HEALTH_NAME_BYTES] = "";
    for (int64_t t_ns = from_ns;; t_ns += day_ns) {
        struct span text;
        const char *name;
        bool is_last = t_ns >= to_ns;
        int rc = health_dir_at(dir, kind, is_last ? to_ns : t_ns, &text, &name, err);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        if (rc == 0 && strcmp(name, before) != 0) {
            health_text_add(out, text);
            (void)snprintf(before, sizeof before, "%s", name);
        }
        if (is_last)
            return 0;
    }
}

static int health_server_add(const struct job_sources *s, int64_t from_ns,
                             int64_t to_ns, struct strbuf room[HEALTH_KIND_COUNT],
                             struct err *err)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = readings_get(s, NULL, from_ns, to_ns + NS_PER_S, &table, err);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    for (unsigned kind = 0; rc == 0 && kind < HEALTH_KIND_COUNT; kind++)
        rc = health_readings_text(&table, kind, from_ns, &room[kind]);
    return rc < 0 ? err_set(err, -rc, "%s: its readings of targets: %s",
                            s->health_server, strerror(-rc))
                  : 0;
}

size_t job_sources_health_max(const struct job_sources *sources)
{
    return sources->opts->health.count * HEALTH_KIND_COUNT;
}

int job_sources_health(struct job_sources *sources, int64_t from_ns, int64_t to_ns,
                       struct strbuf *room, struct span *ret, struct err *err)
{
    const struct job_sources *s = sources;
    for (size_t i = 0; i < job_sources_health_max(s); i++) {
        struct health_dir *dir = s->health_dirs[i / HEALTH_KIND_COUNT];
        unsigned kind = i % HEALTH_KIND_COUNT;
        bool is_server =
            client_endpoint_is_server(s->opts->health.items[i / HEALTH_KIND_COUNT]);
        int rc = is_server && kind == 0
                     ? health_server_add(s, from_ns, to_ns, &room[i], err)
                 : dir ? health_dir_add(dir, kind, from_ns, to_ns, &room[i], err)
                       : 0;
        if (rc < 0)
            return rc;
        if (strbuf_error(&room[i]) < 0)
            return err_set(err, ENOMEM, "out of memory");
        ret[i] = dir || is_server ? strbuf_span(&room[i])
                 : kind == 0      ? strbuf_span(&s->health_texts[i / HEALTH_KIND_COUNT])
                                  : SPAN("");
    }
    return 0;
}

/* ---- all together ---- */

int job_sources_open(const struct job_sources_opts *opts, struct job_sources *ret,
                     struct err *err)
{
    struct job_sources *s = ret;
    *s = (struct job_sources){ .opts = opts };
    job_list_init(&s->jobs);
    job_list_init(&s->jobs_received);
    node_map_init(&s->nodes);
    s->health_texts = calloc(opts->health.count + 1, sizeof *s->health_texts);
    s->health_dirs = calloc(opts->health.count + 1, sizeof *s->health_dirs);
    s->health_spans =
        calloc(HEALTH_KIND_COUNT * opts->health.count + 1, sizeof *s->health_spans);
    int rc = s->health_texts && s->health_dirs && s->health_spans ? 0 : -ENOMEM;
    const struct job_files_args job_args = { .log = opts->access.log,
                                             .log_arg = opts->access.log_arg };
    if (rc == 0)
        rc = job_files_init(&s->job_files, &job_args, err);
    if (rc == 0 && opts->site)
        rc = site_file_open(opts->site, &s->site, err);
    if (rc == 0)
        rc = clock_list_join(s->site, &opts->clocks, &s->clocks, err);
    if (rc == 0)
        rc = series_set_open(&s->shelf, opts->series.items, opts->series.count,
                             &opts->access, &s->clocks.all, err);
    if (rc == 0 && s->site)
        rc = series_set_assign(&s->shelf, s->site, err);
    for (size_t i = 0; i < opts->health.count && rc == 0; i++)
        rc = health_open(s, i, err);
    for (size_t i = 0; i < opts->jobs.count && rc == 0; i++)
        rc = jobs_read(s, opts->jobs.items[i], err);
    for (size_t i = 0; i < opts->topology.count && rc == 0; i++)
        rc = topology_read(s, opts->topology.items[i], err);
    int64_t offset_ns = clock_list_offset(&s->clocks.all, "jobs", NULL) * NS_PER_S;
    for (size_t i = 0; rc == 0 && i < s->jobs.count; i++)
        job_shift(&s->jobs.jobs[i], offset_ns);
    if (rc == 0)
        inputs_fill(s);
    return rc;
}

void job_sources_compare(struct job_sources *sources,
                         const struct job_climate_names *names)
{
    sources->climate = names;
    sources->inputs.climate = input_climate;
}

void job_sources_done(struct job_sources *sources)
{
    for (size_t i = 0; sources->health_spans && i < sources->opts->health.count; i++) {
        strbuf_done(&sources->health_texts[i]);
        health_dir_close(sources->health_dirs[i]);
    }
    free(sources->health_texts);
    free(sources->health_dirs);
    free(sources->health_spans);
    job_list_done(&sources->jobs);
    job_list_done(&sources->jobs_received);
    strbuf_done(&sources->clock_words);
    strbuf_done(&sources->names);
    strbuf_done(&sources->reference);
    node_map_done(&sources->nodes);
    series_set_done(&sources->shelf);
    clock_list_done(&sources->clocks);
    site_file_close(sources->site);
}
