/* SPDX-License-Identifier: Apache-2.0 */
/* id_names_of_jobs - what runs of jobs report about users and groups. */
#include "records/names/id_names_of_jobs.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

struct seen {
    struct id_name *names;
    size_t count, capacity;
    struct hashmap slots; /* kind, cluster, number, name -> position in names + 1 */
    struct strbuf key;
};

static void seen_done(struct seen *seen)
{
    free(seen->names);
    hashmap_done(&seen->slots);
    strbuf_done(&seen->key);
}
DEFINE_AUTO_DONE(struct seen, seen_done);

static int seen_grow(struct seen *seen)
{
    if (seen->count < seen->capacity)
        return 0;
    size_t capacity = seen->capacity ? 2 * seen->capacity : 64;
    struct id_name *grown = reallocarray(seen->names, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    seen->names = grown;
    seen->capacity = capacity;
    return 0;
}

static void key_make(struct strbuf *key, const struct id_name *name)
{
    const struct span parts[] = { name->cluster, name->number, name->name };
    strbuf_clear(key);
    strbuf_adds(key, id_kind_name(name->kind));
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        strbuf_addc(key, '\0');
        strbuf_add_span(key, parts[i]);
    }
}

static int seen_add(struct seen *seen, const struct id_name *name)
{
    if (id_name_check(name))
        return 0;
    key_make(&seen->key, name);
    if (strbuf_error(&seen->key) < 0 || seen_grow(seen) < 0)
        return -ENOMEM;
    uintptr_t *slot = hashmap_put(&seen->slots, strbuf_span(&seen->key), NULL);
    if (!slot)
        return -ENOMEM;
    if (*slot == 0) {
        seen->names[seen->count++] = *name;
        *slot = seen->count;
        return 0;
    }
    struct id_name *known = &seen->names[*slot - 1];
    if (name->first_ns < known->first_ns)
        known->first_ns = name->first_ns;
    if (name->last_ns > known->last_ns)
        known->last_ns = name->last_ns;
    return 0;
}

static int seen_add_job(struct seen *seen, const struct job *job, int64_t now_ns)
{
    struct id_name user = { .kind = ID_USER,
                            .cluster = job->cluster,
                            .number = job->uid,
                            .name = job->user,
                            .first_ns = now_ns,
                            .last_ns = now_ns };
    if (job->start_ns != JOB_TIME_NONE)
        user.first_ns = job->start_ns;
    if (job->submit_ns != JOB_TIME_NONE)
        user.first_ns = job->submit_ns;
    if (job->end_ns != JOB_TIME_NONE)
        user.last_ns = job->end_ns;
    struct id_name group = user;
    group.kind = ID_GROUP;
    group.number = job->gid;
    group.name = job->group;
    int rc = job->uid.size > 0 ? seen_add(seen, &user) : 0;
    if (rc == 0 && job->gid.size > 0)
        rc = seen_add(seen, &group);
    return rc;
}

int id_names_put_of_jobs(struct records *records, const struct job *jobs, size_t count,
                         int64_t now_ms, struct err *err)
{
    AUTO(seen_done) struct seen seen = { 0 };
    struct records_submission submission;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        if (!job_check(&jobs[i]))
            rc = seen_add_job(&seen, &jobs[i], now_ms * NS_PER_MS);
    if (rc < 0 || seen.count == 0)
        return rc;
    return records_put_id_names(records, seen.names, seen.count, now_ms, &submission,
                                err);
}
