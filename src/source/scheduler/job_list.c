/* SPDX-License-Identifier: Apache-2.0 */
/* job_list - the jobs of one or several clusters, asked by id, by window and by node.
 */
#include "source/scheduler/job_list.h"

#include "base/span.h"

#include <stdlib.h>

void job_list_init(struct job_list *list)
{
    *list = (struct job_list){ 0 };
    arena_init(&list->arena, 0);
}

void job_list_done(struct job_list *list)
{
    free(list->jobs);
    free(list->steps);
    hashmap_done(&list->ids);
    arena_done(&list->arena);
    *list = (struct job_list){ 0 };
}

static bool is_cluster(const struct job *job, struct span cluster)
{
    return cluster.size == 0 || span_eq(job->cluster, cluster);
}

static int copy_texts(struct arena *arena, struct job *job)
{
    struct span *texts[] = {
        &job->cluster, &job->id,        &job->raw_id, &job->name,
        &job->user,    &job->uid,       &job->group,  &job->gid,
        &job->account, &job->partition, &job->state,  &job->nodes
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char *copy = arena_dup(arena, *texts[i]);
        if (!copy)
            return -ENOMEM;
        texts[i]->data = copy;
    }
    return 0;
}

static int list_grow(struct job_list *list)
{
    if (list->count < list->capacity)
        return 0;
    if (list->count >= JOB_LIST_JOBS_MAX)
        return -E2BIG;
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    struct job *grown = reallocarray(list->jobs, capacity, sizeof *list->jobs);
    if (!grown)
        return -ENOMEM;
    list->jobs = grown;
    list->capacity = capacity;
    return 0;
}

/* Keys of the index: "id" leads to any cluster's, "cluster NUL id" to one's, "cluster
 * NUL id NUL start" to one run. */
static void make_key(struct strbuf *key, struct span cluster, struct span id)
{
    strbuf_clear(key);
    strbuf_add_span(key, cluster);
    strbuf_addc(key, '\0');
    strbuf_add_span(key, id);
}

static void make_run_key(struct strbuf *key, const struct job *job, int64_t start_ns)
{
    make_key(key, job->cluster, job->id);
    strbuf_addc(key, '\0');
    strbuf_add_i64(key, start_ns);
}

/* Where the run is kept that job tells anew: the same start, or none yet.  NULL: new.
 */
static struct job *find_run(const struct job_list *list, const struct job *job,
                            struct strbuf *key)
{
    make_run_key(key, job, job->start_ns);
    const uintptr_t *at = hashmap_get(&list->ids, strbuf_span(key));
    if (!at || *at == 0) {
        make_run_key(key, job, JOB_TIME_NONE);
        at = hashmap_get(&list->ids, strbuf_span(key));
    }
    if (!at || *at == 0)
        return NULL;
    struct job *found = &list->jobs[*at - 1];
    bool is_it = found->start_ns == job->start_ns || found->start_ns == JOB_TIME_NONE;
    return is_it ? found : NULL;
}

/* Let key lead to the job at index, unless it leads to a later run. */
static int index_key(struct job_list *list, struct span key, size_t index)
{
    uintptr_t *at = hashmap_put(&list->ids, key, NULL);
    if (!at)
        return -ENOMEM;
    if (*at == 0 || list->jobs[*at - 1].start_ns <= list->jobs[index].start_ns)
        *at = index + 1;
    return 0;
}

static int index_job(struct job_list *list, size_t index, struct strbuf *key)
{
    const struct job *job = &list->jobs[index];
    const struct span ids[] = { job->id, job->raw_id };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(ids); i++) {
        make_key(key, job->cluster, ids[i]);
        if (strbuf_error(key) < 0)
            return -ENOMEM;
        rc = index_key(list, strbuf_span(key), index);
        if (rc == 0)
            rc = index_key(list, ids[i], index);
    }
    make_run_key(key, job, job->start_ns);
    if (rc < 0 || strbuf_error(key) < 0)
        return -ENOMEM;
    return index_key(list, strbuf_span(key), index);
}

int job_list_add(struct job_list *list, const struct job *job)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    struct job copy = *job;
    if (copy.raw_id.size == 0)
        copy.raw_id = copy.id;
    int rc = copy_texts(&list->arena, &copy);
    if (rc == 0)
        rc = list_grow(list);
    if (rc < 0)
        return rc;
    struct job *known = find_run(list, &copy, &key);
    if (strbuf_error(&key) < 0)
        return -ENOMEM;
    if (known && known->end_ns != JOB_TIME_NONE && copy.end_ns == JOB_TIME_NONE &&
        copy.start_ns == known->start_ns)
        return 0;
    if (known && copy.start_ns == known->start_ns)
        job_resources_unite(&copy.resources, &known->resources);
    size_t index = known ? (size_t)(known - list->jobs) : list->count;
    list->jobs[index] = copy;
    rc = index_job(list, index, &key);
    if (rc == 0 && !known)
        list->count++;
    return rc;
}

const struct job *job_list_find(const struct job_list *list, struct span cluster,
                                struct span id)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    if (cluster.size > 0)
        make_key(&key, cluster, id);
    if (strbuf_error(&key) < 0)
        return NULL;
    const uintptr_t *at =
        hashmap_get(&list->ids, cluster.size > 0 ? strbuf_span(&key) : id);
    return at && *at > 0 ? &list->jobs[*at - 1] : NULL;
}

int job_list_store_step(struct job_list *list, const struct job *step)
{
    struct job copy = *step;
    if (list->step_count == JOB_LIST_STEPS_MAX) {
        list->steps_left_out++;
        return 0;
    }
    if (list->step_count == list->step_capacity) {
        size_t capacity = list->step_capacity ? 2 * list->step_capacity : 64;
        struct job *grown = reallocarray(list->steps, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        list->steps = grown;
        list->step_capacity = capacity;
    }
    copy.step.data = arena_dup(&list->arena, step->step);
    int rc = copy.step.data ? copy_texts(&list->arena, &copy) : -ENOMEM;
    if (rc == 0)
        list->steps[list->step_count++] = copy;
    return rc;
}

void job_list_add_step(struct job_list *list, struct span id, const struct job *step)
{
    static const enum job_resource peaks[] = { JOB_MEMORY_PEAK_BYTES,
                                               JOB_TASK_MEMORY_PEAK_BYTES };
    const struct job *found = job_list_find(list, step->cluster, id);
    if (!found || step->start_ns == JOB_TIME_NONE || found->start_ns == JOB_TIME_NONE ||
        step->start_ns < found->start_ns ||
        (found->end_ns != JOB_TIME_NONE && step->start_ns > found->end_ns))
        return;
    struct job *job = &list->jobs[found - list->jobs];
    for (size_t i = 0; i < COUNT_OF(peaks); i++)
        if (job_resource_known(&step->resources, peaks[i]))
            job_resource_raise(&job->resources, peaks[i],
                               step->resources.value[peaks[i]]);
}

/* A host, or a set of them. */
static bool has_node(const struct job *job, struct span node)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    if (node.size == 0)
        return true;
    return hostset_parse(node, &hosts, NULL) == 0 && job_ran_on(job, hosts);
}

bool job_has_user(const struct job *job, struct span user)
{
    return !user.data || span_eq(job->user, user) ||
           (job->uid.size > 0 && span_eq(job->uid, user));
}

const struct job *job_list_next(const struct job_list *list,
                                const struct job_query *query, size_t *cursor)
{
    while (*cursor < list->count) {
        const struct job *job = &list->jobs[(*cursor)++];
        if (is_cluster(job, query->cluster) && job_has_user(job, query->user) &&
            job_overlaps(job, query->from_ns, query->to_ns) &&
            has_node(job, query->node))
            return job;
    }
    return NULL;
}

struct job_load job_list_load(const struct job_list *list,
                              const struct job_query *query)
{
    struct job_load load = { 0 };
    const struct job *job;
    size_t cursor = 0;
    while ((job = job_list_next(list, query, &cursor))) {
        load.jobs++;
        load.nodes += job->node_count;
        load.uncounted += job->node_count == 0;
        load.node_seconds += job_node_seconds(job, query->from_ns, query->to_ns);
    }
    return load;
}

/* ---- names of users ---- */

#define USER_DIFFERS UINTPTR_MAX /* two names have the number */

static int user_key(const struct job *job, struct strbuf *ret)
{
    strbuf_clear(ret);
    strbuf_add_span(ret, job->uid);
    strbuf_addc(ret, ' ');
    strbuf_add_span(ret, job->cluster);
    return strbuf_error(ret);
}

/* Which job has the name of each number, from 1. */
static int user_names_find(const struct job_list *list, struct hashmap *names,
                           struct strbuf *key)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct job *job = &list->jobs[i];
        if (job->uid.size == 0 || job->user.size == 0)
            continue;
        uintptr_t *at =
            user_key(job, key) == 0 ? hashmap_put(names, strbuf_span(key), NULL) : NULL;
        if (!at)
            return -ENOMEM;
        if (*at == 0)
            *at = i + 1;
        else if (*at != USER_DIFFERS && !span_eq(list->jobs[*at - 1].user, job->user))
            *at = USER_DIFFERS;
    }
    return 0;
}

int job_list_name_users(struct job_list *list)
{
    AUTO(hashmap_done) struct hashmap names = HASHMAP_INIT;
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    int rc = user_names_find(list, &names, &key);
    for (size_t i = 0; rc == 0 && i < list->count; i++) {
        struct job *job = &list->jobs[i];
        if (job->uid.size == 0 || job->user.size > 0)
            continue;
        rc = user_key(job, &key);
        const uintptr_t *at = rc == 0 ? hashmap_get(&names, strbuf_span(&key)) : NULL;
        if (at && *at != USER_DIFFERS)
            job->user = list->jobs[*at - 1].user;
    }
    return rc;
}
