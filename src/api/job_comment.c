/* SPDX-License-Identifier: Apache-2.0 */
/* job_comment - what a job used as a comment for Slurm's accounting. */
#include "api/job_comment.h"

#include "base/number.h"
#include "base/span.h"
#include "report/report.h"

#include <string.h>

struct commenting {
    struct job_evidence *evidence;
    struct job_context context; /* its record; its arena has the rest */
    struct node_samples samples;
    struct hashmap hosts; /* name -> index + 1 */
    bool *is_shared;      /* a host each */
};

static void commenting_done(struct commenting *c)
{
    hashmap_done(&c->hosts);
    job_context_done(&c->context);
}
DEFINE_AUTO_DONE(struct commenting, commenting_done);

static const struct job_identity *identity_of(const struct commenting *c)
{
    return &c->context.identity;
}

/* ---- on which nodes other jobs ran meanwhile ---- */

static bool is_beside(const struct commenting *c, const struct job *job)
{
    const struct job_identity *own = identity_of(c);
    int64_t from_ns = job->start_ns > own->start_ns ? job->start_ns : own->start_ns;
    int64_t to_ns = job->end_ns == JOB_TIME_NONE || job->end_ns > own->end_ns
                        ? own->end_ns
                        : job->end_ns;
    return !span_is(job->id, own->id) && job->start_ns != JOB_TIME_NONE &&
           from_ns < to_ns;
}

static int on_job(void *arg, const struct job *job)
{
    struct commenting *c = arg;
    AUTO(hostset_free) struct hostset *set = NULL;
    if (!is_beside(c, job) || hostset_parse(job->nodes, &set, NULL) < 0)
        return 0;
    for (size_t i = 0; i < hostset_count(set); i++) {
        const uintptr_t *index = hashmap_get(&c->hosts, span_of(hostset_at(set, i)));
        if (index)
            c->is_shared[*index - 1] = true;
    }
    return 0;
}

static int shared_find(struct commenting *c, struct err *err)
{
    const struct job_identity *own = identity_of(c);
    const struct job_filter filter = { .cluster = own->cluster ? span_of(own->cluster)
                                                               : (struct span){ 0 },
                                       .from_ns = own->start_ns,
                                       .to_ns = own->end_ns };
    bool has_more = false;
    c->is_shared =
        arena_alloc(&c->context.arena, c->samples.host_count * sizeof *c->is_shared);
    if (!c->is_shared)
        return -ENOMEM;
    for (size_t i = 0; i < c->samples.host_count; i++) {
        uintptr_t *index = hashmap_put(&c->hosts, span_of(c->samples.hosts[i]), NULL);
        if (!index)
            return -ENOMEM;
        *index = i + 1;
    }
    return records_find_jobs(c->evidence->readers->rows, &filter, on_job, c, &has_more,
                             err);
}

/* ---- metrics of its nodes ---- */

/* Without metrics the record may be enough: of a job on one node. */
static int hosts_fill(struct commenting *c, struct err *err)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    int rc = hostset_parse(span_of(identity_of(c)->nodes), &set, err);
    if (rc < 0)
        return rc;
    size_t count = hostset_count(set);
    const char **hosts = arena_alloc(&c->context.arena, (count + 1) * sizeof *hosts);
    if (!hosts)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!(hosts[i] = arena_dup(&c->context.arena, span_of(hostset_at(set, i)))))
            return -ENOMEM;
    c->samples = (struct node_samples){ .hosts = hosts, .host_count = count };
    return 0;
}

static int samples_read(struct commenting *c, struct err *err)
{
    const struct job_inputs *inputs = &c->evidence->inputs;
    struct job_request request = { 0 };
    struct err why = { 0 };
    int rc = job_request_of_nodes(inputs, &c->context, &request, &why);
    if (rc == 0)
        rc = inputs->nodes(inputs->arg, &request, &c->context.arena, &c->samples, &why);
    if (rc < 0 && rc != -ENOENT && rc != -ENODATA)
        return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
    return rc < 0 ? hosts_fill(c, err) : 0;
}

/* ---- the comment ---- */

static int job_record_read(struct commenting *c, const char *id, struct err *err)
{
    const struct job_inputs *inputs = &c->evidence->inputs;
    int rc = inputs->stored(inputs->arg, id, &c->context, err);
    if (rc < 0)
        return rc;
    const struct job_identity *own = identity_of(c);
    if (own->start_ns == JOB_TIME_NONE || own->end_ns == JOB_TIME_NONE)
        return err_set(err, ERANGE,
                       "job %s: its batch system has reported no %s of it: a comment "
                       "is of a job that has ended",
                       id, own->start_ns == JOB_TIME_NONE ? "start" : "end");
    return 0;
}

static int use_read(struct commenting *c, struct job_use *ret, struct err *err)
{
    if (ret->elapsed_s < JOB_JS1_SHORT_S || !identity_of(c)->nodes)
        return 0;
    int rc = samples_read(c, err);
    if (rc == 0 && c->samples.host_count > 0)
        rc = shared_find(c, err);
    const struct job_use_evidence evidence = { &c->samples, c->is_shared,
                                               &identity_of(c)->resources,
                                               ret->elapsed_s };
    return rc < 0 ? rc : job_use_make(&evidence, &c->context.arena, ret);
}

int job_comment_print(struct job_evidence *evidence, const char *id, struct strbuf *out,
                      struct err *err)
{
    AUTO(commenting_done)
    struct commenting c = { .evidence = evidence, .hosts = HASHMAP_INIT };
    struct job_use use = { 0 };
    job_context_init(&c.context);
    int rc = job_record_read(&c, id, err);
    if (rc < 0)
        return rc;
    use.elapsed_s = (identity_of(&c)->end_ns - identity_of(&c)->start_ns) / NS_PER_S;
    rc = use_read(&c, &use, err);
    if (rc == 0)
        rc = job_js1_print(&use, out, err);
    strbuf_addc(out, '\n');
    return rc < 0 ? err_prefix(err, rc, "job %s", id) : strbuf_error(out);
}
