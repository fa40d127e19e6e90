/* SPDX-License-Identifier: Apache-2.0 */
/* job_line - one job as one line of JSON, and a strict reader of that line. */
#include "model/job_line.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <stddef.h>

/* ---- printing ---- */

static void put_text(struct json_writer *w, const char *key, struct span text)
{
    if (text.size == 0)
        return;
    json_key(w, key);
    json_span(w, text);
}

static void put_digits(struct json_writer *w, const char *key, struct span digits)
{
    uint64_t number;
    if (number_parse_u64(digits, &number) < 0)
        return;
    json_key(w, key);
    json_u64(w, number);
}

static void put_time(struct json_writer *w, const char *key, int64_t t_ns)
{
    if (t_ns == JOB_TIME_NONE)
        return;
    json_key(w, key);
    json_seconds(w, t_ns);
}

void job_line_print(const struct job *job, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    put_text(&w, "cluster", job->cluster);
    put_text(&w, "id", job->id);
    if (!span_eq(job->raw_id, job->id))
        put_text(&w, "raw_id", job->raw_id);
    put_text(&w, "step", job->step);
    put_text(&w, "user", job->user);
    put_digits(&w, "uid", job->uid);
    put_text(&w, "group", job->group);
    put_digits(&w, "gid", job->gid);
    put_text(&w, "account", job->account);
    put_text(&w, "partition", job->partition);
    put_text(&w, "state", job->state);
    put_time(&w, "submit", job->submit_ns);
    put_time(&w, "start", job->start_ns);
    put_time(&w, "end", job->end_ns);
    if (job->node_count > 0) {
        json_key(&w, "node_count");
        json_u64(&w, job->node_count);
    }
    put_text(&w, "nodes", job->nodes);
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (job_resource_known(&job->resources, i)) {
            json_key(&w, job_resource_names[i]);
            json_i64(&w, job->resources.value[i]);
        }
    put_text(&w, "name", job->name);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- reading ---- */

enum member_kind {
    MEMBER_TEXT,
    MEMBER_DIGITS,
    MEMBER_TIME,
    MEMBER_COUNT,
    MEMBER_RESOURCE, /* offset: which */
};

static const struct member {
    const char *key;
    enum member_kind kind;
    size_t offset;
} members[] = {
    { "cluster", MEMBER_TEXT, offsetof(struct job, cluster) },
    { "id", MEMBER_TEXT, offsetof(struct job, id) },
    { "raw_id", MEMBER_TEXT, offsetof(struct job, raw_id) },
    { "step", MEMBER_TEXT, offsetof(struct job, step) },
    { "user", MEMBER_TEXT, offsetof(struct job, user) },
    { "uid", MEMBER_DIGITS, offsetof(struct job, uid) },
    { "group", MEMBER_TEXT, offsetof(struct job, group) },
    { "gid", MEMBER_DIGITS, offsetof(struct job, gid) },
    { "account", MEMBER_TEXT, offsetof(struct job, account) },
    { "partition", MEMBER_TEXT, offsetof(struct job, partition) },
    { "state", MEMBER_TEXT, offsetof(struct job, state) },
    { "submit", MEMBER_TIME, offsetof(struct job, submit_ns) },
    { "start", MEMBER_TIME, offsetof(struct job, start_ns) },
    { "end", MEMBER_TIME, offsetof(struct job, end_ns) },
    { "node_count", MEMBER_COUNT, offsetof(struct job, node_count) },
    { "nodes", MEMBER_TEXT, offsetof(struct job, nodes) },
    { "name", MEMBER_TEXT, offsetof(struct job, name) },
    { "time_limit_s", MEMBER_RESOURCE, JOB_TIME_LIMIT_S },
    { "cpus", MEMBER_RESOURCE, JOB_CPUS },
    { "memory_bytes", MEMBER_RESOURCE, JOB_MEMORY_BYTES },
    { "gpus", MEMBER_RESOURCE, JOB_GPUS },
    { "cpu_time_ms", MEMBER_RESOURCE, JOB_CPU_TIME_MS },
    { "memory_peak_bytes", MEMBER_RESOURCE, JOB_MEMORY_PEAK_BYTES },
    { "task_memory_peak_bytes", MEMBER_RESOURCE, JOB_TASK_MEMORY_PEAK_BYTES },
    { "energy_j", MEMBER_RESOURCE, JOB_ENERGY_J },
    { "exit_status", MEMBER_RESOURCE, JOB_EXIT_STATUS },
    { "exit_signal", MEMBER_RESOURCE, JOB_EXIT_SIGNAL },
};

struct line_reading {
    struct arena *arena;
    struct err *err;
    struct job job;
    const struct member *member; /* whose value is due */
    uint32_t present;            /* bit n: members[n] was there */
};

static int key_read(struct line_reading *reading, struct span key)
{
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        if (!span_is(key, members[i].key))
            continue;
        if (reading->present >> i & 1)
            return err_set(reading->err, EBADMSG, "'%s' is given twice",
                           members[i].key);
        reading->present |= UINT32_C(1) << i;
        reading->member = &members[i];
        return 0;
    }
    return err_set(reading->err, EBADMSG, "'%.*s' is not a key of a job",
                   (int)(key.size < 64 ? key.size : 64), key.data);
}

static int text_read(struct line_reading *reading, struct span text)
{
    struct span *to =
        (struct span *)(void *)((char *)&reading->job + reading->member->offset);
    char *copy = arena_dup(reading->arena, text);
    if (!copy)
        return -ENOMEM;
    *to = (struct span){ copy, text.size };
    return 0;
}

static int resource_read(struct line_reading *reading, struct span text)
{
    enum job_resource what = (enum job_resource)reading->member->offset;
    int64_t value;
    if (number_parse_i64(text, &value) < 0 ||
        !job_resource_set(&reading->job.resources, what, value))
        return err_set(reading->err, EBADMSG,
                       "'%s' is not a whole number from 0 to %" PRId64,
                       reading->member->key, JOB_RESOURCE_MAX);
    return 0;
}

static int number_read(struct line_reading *reading, struct span text)
{
    if (reading->member->kind == MEMBER_RESOURCE)
        return resource_read(reading, text);
    void *to = (char *)&reading->job + reading->member->offset;
    int rc = reading->member->kind == MEMBER_TIME ? number_parse_seconds(text, to)
                                                  : number_parse_u64(text, to);
    if (rc < 0)
        return err_set(reading->err, EBADMSG, "'%s' is not a number that fits",
                       reading->member->key);
    return 0;
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct line_reading *reading = arg;
    if (depth == 0 && (event == JSON_OBJECT || event == JSON_OBJECT_END))
        return 0;
    if (depth == 0 && event == JSON_KEY)
        return key_read(reading, text);
    if (depth == 0)
        return err_set(reading->err, EBADMSG, "it is not an object");
    bool is_text = reading->member->kind == MEMBER_TEXT;
    if (is_text && event == JSON_STRING)
        return text_read(reading, text);
    if (reading->member->kind == MEMBER_DIGITS && event == JSON_NUMBER)
        return text_read(reading, text);
    if (!is_text && event == JSON_NUMBER)
        return number_read(reading, text);
    return err_set(reading->err, EBADMSG, "'%s' is not a %s", reading->member->key,
                   is_text ? "text" : "number");
}

int job_line_read(struct span line, struct arena *arena, struct job *ret,
                  struct err *err)
{
    const struct json_reader_opts opts = { .depth_max = 2,
                                           .token_bytes_max = JOB_TEXT_BYTES_MAX };
    struct line_reading reading = { .arena = arena,
                                    .err = err,
                                    .job = { .submit_ns = JOB_TIME_NONE,
                                             .start_ns = JOB_TIME_NONE,
                                             .end_ns = JOB_TIME_NONE } };
    AUTO(json_reader_done) struct json_reader reader;
    json_reader_init(&reader, &opts, on_event, &reading);
    int rc = json_reader_feed(&reader, line.data, line.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0)
        return rc == -EMSGSIZE ? err_set(err, EBADMSG, "a text of it is too long") : rc;
    struct job job = reading.job;
    if (job.raw_id.size == 0)
        job.raw_id = job.id;
    const char *reason = job_check(&job);
    if (reason)
        return err_set(err, EBADMSG, "%s", reason);
    *ret = job;
    return 0;
}
