/* SPDX-License-Identifier: Apache-2.0 */
/* job_line - one job as one line of JSON, which job_json reads again. */
#include "source/scheduler/job_line.h"

#include "base/json_writer.h"

static void put_text(struct json_writer *w, const char *key, struct span text)
{
    if (text.size == 0)
        return;
    json_key(w, key);
    json_span(w, text);
}

static void put_time(struct json_writer *w, const char *key, int64_t t_ns)
{
    if (t_ns == JOB_TIME_NONE)
        return;
    json_key(w, key);
    json_seconds(w, t_ns);
}

void job_line_print(const struct sched_job *job, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    put_text(&w, "cluster", job->cluster);
    put_text(&w, "id", job->id);
    if (!span_eq(job->raw_id, job->id))
        put_text(&w, "raw_id", job->raw_id);
    put_text(&w, "user", job->user);
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
    put_text(&w, "name", job->name);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
