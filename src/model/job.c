/* SPDX-License-Identifier: Apache-2.0 */
/* job - one run of one job, as its batch system accounts for it. */
#include "model/job.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "model/id_name.h"

static const char *text_check(struct span text, size_t size_max)
{
    if (text.size > size_max)
        return "a text of it is too long";
    if (text.size > 0 && (memchr(text.data, 0, text.size) || !utf8_is_valid(text)))
        return "a text of it is not UTF-8";
    return NULL;
}

static const char *words_check(const struct job *job)
{
    const struct span words[] = { job->cluster,   job->id,    job->raw_id,
                                  job->user,      job->group, job->account,
                                  job->partition, job->state, job->step };
    const char *reason = NULL;
    for (size_t i = 0; !reason && i < COUNT_OF(words); i++)
        reason = text_check(words[i], JOB_WORD_BYTES_MAX);
    return reason ? reason : text_check(job->nodes, JOB_TEXT_BYTES_MAX);
}

static const char *numbers_check(const struct job *job)
{
    const struct span numbers[] = { job->uid, job->gid };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (numbers[i].size > 0 && !id_is_number(numbers[i]))
            return "its uid or gid is not a number of 32 bits";
    return job->node_count > JOB_NODES_MAX ? "its number of nodes is none" : NULL;
}

void job_drop_bad_numbers(struct job *job)
{
    struct span *const numbers[] = { &job->uid, &job->gid };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (!id_is_number(*numbers[i]))
            *numbers[i] = (struct span){ "", 0 };
}

static const char *times_check(const struct job *job)
{
    const int64_t times[] = { job->submit_ns, job->start_ns, job->end_ns };
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (times[i] != JOB_TIME_NONE && times[i] <= 0)
            return "a time of it is before 1970";
    if (job->start_ns != JOB_TIME_NONE && job->end_ns != JOB_TIME_NONE &&
        job->end_ns < job->start_ns)
        return "it ends before it starts";
    return NULL;
}

const char *job_check(const struct job *job)
{
    if (job->id.size == 0)
        return "it has no id";
    if (job->name.size > JOB_TEXT_BYTES_MAX)
        return "a text of it is too long";
    const char *reason = numbers_check(job);
    if (!reason)
        reason = words_check(job);
    return reason ? reason : times_check(job);
}

struct span job_array_id(struct span id)
{
    const char *mark = memchr(id.data, '_', id.size);
    return mark ? (struct span){ id.data, (size_t)(mark - id.data) } : id;
}

bool job_overlaps(const struct job *job, int64_t from_ns, int64_t to_ns)
{
    return job->start_ns != JOB_TIME_NONE && job->start_ns < to_ns &&
           (job->end_ns == JOB_TIME_NONE || job->end_ns > from_ns);
}

double job_node_seconds(const struct job *job, int64_t from_ns, int64_t to_ns)
{
    if (!job_overlaps(job, from_ns, to_ns))
        return 0;
    int64_t begin = job->start_ns > from_ns ? job->start_ns : from_ns;
    int64_t end =
        job->end_ns != JOB_TIME_NONE && job->end_ns < to_ns ? job->end_ns : to_ns;
    if (end <= begin)
        return 0;
    return ((double)end - (double)begin) / (double)NS_PER_S * (double)job->node_count;
}

int job_nodes(const struct job *job, struct hostset **ret, struct err *err)
{
    if (job->nodes.size == 0)
        return err_set(err, ENOENT, "job " SPAN_FMT ": its nodes are not known",
                       SPAN_ARG(job->id));
    return hostset_parse(job->nodes, ret, err);
}

bool job_ran_on(const struct job *job, const struct hostset *hosts)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    if (job_nodes(job, &set, NULL) < 0)
        return false;
    for (size_t i = 0; i < hostset_count(set); i++)
        if (hostset_has(hosts, span_of(hostset_at(set, i))))
            return true;
    return false;
}
