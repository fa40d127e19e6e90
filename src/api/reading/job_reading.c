/* SPDX-License-Identifier: Apache-2.0 */
/* job_reading - the nodes and the time of a job, for a query that names the job. */
#include "api/reading/job_reading.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

void job_reading_done(struct job_reading *job)
{
    hostset_free(job->hosts);
    strbuf_done(&job->cluster);
    strbuf_done(&job->component);
}

/* ---- the record ---- */

struct finding_run {
    struct job_reading *job;
    const struct job_scope *scope;
    struct span id;
    struct err *err;
    bool is_found;
};

static int run_read(void *arg, const struct job *run)
{
    struct finding_run *f = arg;
    if (!job_scope_has(f->scope, run))
        return 0;
    f->is_found = true;
    const char *lacks = run->cluster.size == 0           ? "on which cluster"
                        : run->nodes.size == 0           ? "on which nodes"
                        : run->start_ns == JOB_TIME_NONE ? "when"
                                                         : NULL;
    if (lacks)
        return err_set(f->err, ENOENT,
                       "job " SPAN_FMT ": its record does not have %s it ran: name "
                       "components, and a time",
                       SPAN_ARG(f->id), lacks);
    f->job->from_ns = run->start_ns;
    f->job->to_ns =
        (run->end_ns == JOB_TIME_NONE ? clock_now_ns() : run->end_ns) + NS_PER_S;
    strbuf_add_span(&f->job->cluster, run->cluster);
    strbuf_addf(&f->job->component, "job:" SPAN_FMT, SPAN_ARG(run->raw_id));
    int rc = hostset_parse(run->nodes, &f->job->hosts, f->err);
    if (rc == 0)
        rc = strbuf_error(&f->job->cluster);
    return rc < 0 ? rc : strbuf_error(&f->job->component);
}

int job_reading_find(struct records_reader *reader, const struct job_scope *scope,
                     struct span id, struct job_reading *ret, struct err *err)
{
    struct finding_run f = { .job = ret, .scope = scope, .id = id, .err = err };
    struct job_filter filter = { .owners = job_scope_owners(scope),
                                 .from_ns = JOB_TIME_NONE,
                                 .to_ns = JOB_TIME_NONE,
                                 .limit = 1 };
    bool has_more = false;
    filter.id = id;
    if (memchr(id.data, '/', id.size))
        (void)span_cut(&filter.id, '/', &filter.cluster);
    int rc = records_find_jobs(reader, &filter, run_read, &f, &has_more, err);
    if (rc == 0 && !f.is_found)
        return err_set(err, ENOENT,
                       "job " SPAN_FMT ": no record of it is stored ('baro job import "
                       "--server' does that); or name components, and a time",
                       SPAN_ARG(id));
    return rc;
}

/* ---- its hosts in the store ---- */

static int hosts_note_missing(const struct strbuf *names, const struct job_reading *job,
                              struct metric_missing *missing)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (names->size == 0 || missing->count == METRIC_MISSING_MAX)
        return 0;
    int rc = hostset_parse(strbuf_span(names), &set, NULL);
    if (rc < 0)
        return rc;
    hostset_print(set, &text);
    const char *cluster = arena_dup(&missing->arena, strbuf_span(&job->cluster));
    const char *name = arena_dup(&missing->arena, strbuf_span(&text));
    if (strbuf_error(&text) < 0 || !cluster || !name)
        return -ENOMEM;
    missing->items[missing->count++] =
        (struct metric_missing_item){ cluster, "host", name, "" };
    return 0;
}

int job_reading_levels(const struct metric_store *store, const struct job_reading *job,
                       struct metric_levels *ret, struct metric_missing *missing,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf absent = STRBUF_INIT;
    int rc = 0;
    ret->count = 0;
    for (size_t i = 0; i < hostset_count(job->hosts) && rc == 0; i++) {
        const struct component host = { .cluster = strbuf_span(&job->cluster),
                                        .host = span_of(hostset_at(job->hosts, i)) };
        strbuf_clear(&path);
        component_print(&path, &host);
        rc = strbuf_error(&path);
        struct level *level =
            rc < 0 ? NULL : metric_store_level(store, strbuf_span(&path));
        if (level)
            rc = metric_levels_add(ret, level);
        else
            strbuf_addf(&absent, "%s%s", absent.size ? "," : "",
                        hostset_at(job->hosts, i));
    }
    if (rc == 0)
        rc = strbuf_error(&absent);
    if (rc == 0)
        rc = hosts_note_missing(&absent, job, missing);
    if (rc == 0 && ret->count == 0)
        return err_set(err, ENOENT, "the store has no metrics of the job's nodes");
    return rc;
}
