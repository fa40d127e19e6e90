/* SPDX-License-Identifier: Apache-2.0 */
/* job_maker - a job's log, and what surrounded the job, as a row. */
#include "cmd/job_maker.h"

#include "base/number.h"
#include "cmd/fabric_ask.h"
#include "cmd/input.h"
#include "cmd/job_server.h"

#include <math.h>
#include <sys/stat.h>

#define TEXT_BYTES_MAX ((size_t)1 << 30)
#define AGE_MAX_NS (3600 * NS_PER_S)

/* ---- what is read once for all ---- */

static void on_node_fault(void *arg, uint64_t line, struct span text,
                          const char *reason)
{
    (void)text;
    fprintf(stderr, "baro: %s: line %llu: %s\n", (const char *)arg,
            (unsigned long long)line, reason);
}

static int topology_read(struct job_maker *m, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = input_read_all(path, TEXT_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    rc = node_map_add(&m->nodes, strbuf_span(&text), on_node_fault,
                      (void *)(uintptr_t)path);
    return rc < 0 ? err_set(err, -rc, "%s: %s", path, strerror(-rc)) : 0;
}

/* A directory's files are read when a job wants them. */
static int health_open(struct job_maker *m, size_t i, struct err *err)
{
    const char *path = m->opts->health.items[i];
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return health_dir_open(path, &m->health_dirs[i], err);
    return input_read_all(path, TEXT_BYTES_MAX, &m->health_texts[i], err);
}

static void job_shift(struct job *job, int64_t offset_ns)
{
    int64_t *const times[] = { &job->submit_ns, &job->start_ns, &job->end_ns };
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (*times[i] != JOB_TIME_NONE)
            *times[i] += offset_ns;
}

/* A barod is asked later, for the time of each job. */
static int jobs_read(struct job_maker *m, const char *name, struct err *err)
{
    bool is_server = client_endpoint_is_server(name);
    if (is_server && m->opts->jobs.count > 1)
        return err_set(err, EINVAL, "--jobs: '%s' stands alone, without files", name);
    if (!is_server)
        return job_files_read(&m->job_files, name, &m->jobs, err);
    m->jobs_server = name;
    return 0;
}

int job_maker_open(const struct job_maker_opts *opts, struct job_maker *ret,
                   struct err *err)
{
    struct job_maker *m = ret;
    *m = (struct job_maker){ .opts = opts };
    job_list_init(&m->jobs);
    job_list_init(&m->jobs_told);
    node_map_init(&m->nodes);
    m->health_texts = calloc(opts->health.count + 1, sizeof *m->health_texts);
    m->health_dirs = calloc(opts->health.count + 1, sizeof *m->health_dirs);
    m->health_spans =
        calloc(HEALTH_KIND_COUNT * opts->health.count + 1, sizeof *m->health_spans);
    int rc = m->health_texts && m->health_dirs && m->health_spans ? 0 : -ENOMEM;
    const struct job_files_args job_args = { 0 };
    if (rc == 0)
        rc = job_files_init(&m->job_files, &job_args, err);
    if (rc == 0 && opts->site)
        rc = site_file_open(opts->site, &m->site, err);
    if (rc == 0)
        rc = clock_list_join(m->site, &opts->clocks, &m->clocks, err);
    if (rc == 0)
        rc = series_shelf_open(&m->shelf, opts->series.items, opts->series.count,
                               &opts->way, &m->clocks.all, err);
    if (rc == 0 && m->site)
        rc = series_shelf_share(&m->shelf, m->site, err);
    for (size_t i = 0; i < opts->health.count && rc == 0; i++)
        rc = health_open(m, i, err);
    for (size_t i = 0; i < opts->jobs.count && rc == 0; i++)
        rc = jobs_read(m, opts->jobs.items[i], err);
    for (size_t i = 0; i < opts->topology.count && rc == 0; i++)
        rc = topology_read(m, opts->topology.items[i], err);
    int64_t offset_ns = clock_list_offset(&m->clocks.all, "jobs", NULL) * NS_PER_S;
    for (size_t i = 0; rc == 0 && i < m->jobs.count; i++)
        job_shift(&m->jobs.jobs[i], offset_ns);
    return rc;
}

void job_maker_done(struct job_maker *maker)
{
    for (size_t i = 0; maker->health_spans && i < maker->opts->health.count; i++) {
        strbuf_done(&maker->health_texts[i]);
        health_dir_close(maker->health_dirs[i]);
    }
    free(maker->health_texts);
    free(maker->health_dirs);
    free(maker->health_spans);
    job_list_done(&maker->jobs);
    job_list_done(&maker->jobs_told);
    strbuf_done(&maker->cluster);
    node_map_done(&maker->nodes);
    series_shelf_done(&maker->shelf);
    clock_list_done(&maker->clocks);
    site_file_close(maker->site);
}

/* ---- one job ---- */

/* fs: the job's; NULL: the site's file does not tell of it. */
static int weather_take(struct job_maker *m, const struct site_filesystem *fs,
                        struct job_summary *summary, struct strbuf *names,
                        struct strbuf *reference, struct err *err)
{
    const struct job_facts *facts = summary->facts;
    const char *mount = job_summary_mount(facts);
    const char *slash = mount ? strrchr(mount, '/') : NULL;
    const struct shelf_wish wish = {
        .from_s = facts->start_s,
        .to_s = facts->end_s,
        .whose = SHELF_OWN,
        .owner = fs,
        .fs_guess = fs      ? NULL
                    : slash ? slash + 1
                            : mount,
    };
    struct lmt_series **series = NULL;
    size_t count = 0;
    int rc = series_shelf_take(&m->shelf, &wish, &series, &count, names, err);
    if (rc == 0)
        series_shelf_refer(&m->shelf, reference);
    if (rc == 0)
        rc = job_weather_read(series, count, facts->start_s, facts->end_s,
                              &summary->weather, err);
    if (rc == 0 && fs && fs->fabrics.count > 0)
        rc = fabric_ask(&m->shelf, m->site, fs, facts->start_s, facts->end_s,
                        &summary->fabric, err);
    return rc;
}

/* The texts that may hold the samples of t_ns.  Where a directory has none, an empty
 * text says so. */
static int health_texts_of(const struct job_maker *m, int64_t t_ns, size_t *ret_count,
                           struct err *err)
{
    size_t count = 0;
    for (size_t i = 0; i < m->opts->health.count; i++) {
        if (!m->health_dirs[i])
            m->health_spans[count++] = strbuf_span(&m->health_texts[i]);
        for (unsigned kind = 0; m->health_dirs[i] && kind < HEALTH_KIND_COUNT; kind++) {
            struct span *span = &m->health_spans[count++];
            const char *name;
            int rc = health_dir_at(m->health_dirs[i], kind, t_ns, span, &name, err);
            if (rc < 0 && rc != -ENOENT)
                return rc;
            if (rc < 0)
                *span = SPAN("");
        }
    }
    *ret_count = count;
    return 0;
}

int job_maker_jobs(struct job_maker *maker, int64_t from_ns, int64_t to_ns,
                   const struct job_list **ret, struct err *err)
{
    struct job_maker *m = maker;
    const struct series_way *way = &m->opts->way;
    const struct client_endpoint endpoint = { .server = way->server,
                                              .token_file = way->token_file,
                                              .ca_file = way->ca_file };
    int64_t offset_ns = clock_list_offset(&m->clocks.all, "jobs", NULL) * NS_PER_S;
    const struct job_files_wish wish = { .cluster = m->opts->cluster,
                                         .from_ns = from_ns - offset_ns,
                                         .to_ns = to_ns - offset_ns };
    *ret = m->jobs_server ? &m->jobs_told : &m->jobs;
    if (!m->jobs_server)
        return 0;
    job_list_done(&m->jobs_told);
    job_list_init(&m->jobs_told);
    int rc = job_files_ask(&m->job_files, m->jobs_server, &endpoint, &wish,
                           &m->jobs_told, err);
    for (size_t i = 0; rc == 0 && i < m->jobs_told.count; i++)
        job_shift(&m->jobs_told.jobs[i], offset_ns);
    return rc;
}

static void cluster_find(struct job_maker *m, const struct job_list *jobs,
                         const struct job_facts *facts)
{
    char id[24];
    strbuf_clear(&m->cluster);
    if (m->opts->cluster) {
        strbuf_adds(&m->cluster, m->opts->cluster);
        return;
    }
    (void)snprintf(id, sizeof id, "%lld", (long long)facts->jobid);
    const struct job *job = job_list_find(jobs, SPAN(""), span_of(id));
    if (job)
        strbuf_add_span(&m->cluster, job->cluster);
}

static int surroundings_read(struct job_maker *m, const struct job_facts *facts,
                             const char *file_system, struct job_summary *summary,
                             struct err *err)
{
    const struct job_maker_opts *opts = m->opts;
    const struct job_list *jobs = &m->jobs;
    size_t count = 0;
    int64_t health_s =
        facts->start_s - clock_list_offset(&m->clocks.all, "health", NULL);
    int rc = health_texts_of(m, health_s * NS_PER_S, &count, err);
    if (rc == 0 && count > 0)
        rc = job_health_read(m->health_spans, count, file_system, health_s,
                             opts->health_age_max_ns ? opts->health_age_max_ns
                                                     : AGE_MAX_NS,
                             &summary->health);
    /* Its end is of whole seconds: the last one counts. */
    if (rc == 0)
        rc = job_maker_jobs(m, facts->start_s * NS_PER_S, (facts->end_s + 1) * NS_PER_S,
                            &jobs, err);
    if (rc == 0)
        cluster_find(m, jobs, facts);
    if (rc == 0 && opts->jobs.count > 0)
        job_neighbours_read(jobs, span_of(opts->cluster ? opts->cluster : ""),
                            facts->jobid, facts->start_s, facts->end_s + 1,
                            &summary->neighbours);
    if (rc == 0 && opts->topology.count > 0)
        rc = job_topology_read(
            &m->nodes, jobs, span_of(opts->cluster ? opts->cluster : ""), facts->jobid,
            facts->start_s, facts->end_s + 1, &summary->topology);
    return rc;
}

/* What the job's file system is called in readings of health: as Lustre calls it, where
 * the site file says so, else by its mount. */
static const char *site_read(const struct site_filesystem *fs, const char *mount,
                             struct job_site *ret)
{
    if (!fs)
        return mount;
    *ret = (struct job_site){ .name = fs->name,
                              .peak_bytes_per_s = (double)fs->peak_bytes_per_s,
                              .servers = fs->servers,
                              .targets = fs->targets,
                              .io_nodes = fs->io_nodes };
    return fs->fsname ? fs->fsname : mount;
}

/* ---- a window ---- */

/* What has no time of its own must not be taken for the reading before it. */
static void health_text_add(struct strbuf *out, struct span text)
{
    strbuf_adds(out, "\nBEGIN -\n");
    strbuf_add_span(out, text);
}

/* Day by day; of files that were told already the name stays the same. */
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

size_t job_maker_health_max(const struct job_maker *maker)
{
    return maker->opts->health.count * HEALTH_KIND_COUNT;
}

int job_maker_health(struct job_maker *maker, int64_t from_ns, int64_t to_ns,
                     struct strbuf *room, struct span *ret, struct err *err)
{
    const struct job_maker *m = maker;
    for (size_t i = 0; i < job_maker_health_max(m); i++) {
        struct health_dir *dir = m->health_dirs[i / HEALTH_KIND_COUNT];
        unsigned kind = i % HEALTH_KIND_COUNT;
        int rc = dir ? health_dir_add(dir, kind, from_ns, to_ns, &room[i], err) : 0;
        if (rc < 0)
            return rc;
        if (strbuf_error(&room[i]) < 0)
            return err_set(err, ENOMEM, "out of memory");
        ret[i] = dir         ? strbuf_span(&room[i])
                 : kind == 0 ? strbuf_span(&m->health_texts[i / HEALTH_KIND_COUNT])
                             : SPAN("");
    }
    return 0;
}

int job_maker_make(struct job_maker *maker, const char *path, struct job_row *row,
                   struct strbuf *faults, struct err *err)
{
    AUTO(job_facts_done) struct job_facts facts = { 0 };
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf reference = STRBUF_INIT;
    int rc = job_facts_read(path, &facts, faults, err);
    if (rc < 0)
        return rc;
    struct job_summary summary = { .log = path, .facts = &facts };
    const char *mount = job_summary_mount(&facts);
    AUTO(strbuf_done) struct strbuf clocks = STRBUF_INIT;
    clock_list_tell(&maker->clocks, &clocks);
    summary.clocks = clocks.size > 0 ? strbuf_text(&clocks) : NULL;
    const struct site_filesystem *fs =
        maker->site && mount ? site_file_at(maker->site, mount) : NULL;
    rc = weather_take(maker, fs, &summary, &names, &reference, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    summary.fs_source = strbuf_text(&names);
    summary.fs_series = strbuf_text(&reference);
    const char *file_system = site_read(fs, mount, &summary.site);
    rc = surroundings_read(maker, &facts, file_system, &summary, err);
    if (rc == 0)
        job_summary_put(&summary, row);
    fabric_done(&summary.fabric);
    return rc < 0 ? err_prefix(err, rc, "%s", path) : job_row_error(row);
}
