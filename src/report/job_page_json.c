/* SPDX-License-Identifier: Apache-2.0 */
/* job_page_json - one run for programs. */
#include "base/json_writer.h"
#include "base/span.h"
#include "model/model.h"
#include "report/job_comparison_json.h"
#include "report/job_page.h"
#include "report/job_servers_page.h"

#include <math.h>

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    entry_id_print(&clean, span_of(text));
    json_key(w, key);
    json_span(w, strbuf_span(&clean));
}

static void put_double(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    if (isfinite(value))
        json_double(w, value);
    else
        json_null(w);
}

static void put_cost(struct json_writer *w, const char *key, const struct cost *cost)
{
    json_key(w, key);
    json_object(w);
    put_double(w, "low_s", cost->low_s);
    put_double(w, "high_s", cost->high_s);
    put_text(w, "reason", cost_reason_name(cost->reason));
    json_object_end(w);
}

void job_finding_json(const struct finding *f, struct json_writer *w)
{
    json_object(w);
    put_text(w, "kind", f->name);
    put_text(w, "name", f->name);
    put_text(w, "text", f->text);
    if (f->who)
        put_text(w, "who", f->who);
    put_text(w, "measure", f->evidence);
    put_double(w, "value", f->value);
    put_double(w, "threshold", f->threshold);
    json_key(w, "n");
    json_u64(w, f->n);
    put_double(w, "p", f->p);
    json_key(w, "others");
    json_u64(w, f->others);
    put_cost(w, "cost", &f->cost);
    json_key(w, "because");
    json_text(w, f->because);
    json_key(w, "which");
    if (f->which >= 0)
        json_i64(w, f->which);
    else
        json_null(w);
    json_object_end(w);
}

static void put_run(struct json_writer *w, const struct profile *p)
{
    json_key(w, "jobid");
    json_i64(w, p->jobid);
    put_text(w, "exe", p->exe);
    json_key(w, "start_s");
    json_i64(w, p->start_s);
    put_double(w, "run_time_s", p->run_s);
    json_key(w, "is_whole");
    json_bool(w, profile_is_whole(p));
    json_key(w, "suspect");
    json_text(w, p->doubt);
    json_key(w, "suspect_records");
    json_u64(w, p->suspects);
    json_key(w, "has_wrong_sizes");
    json_bool(w, p->has_wrong_sizes);
    json_key(w, "gaps");
    json_object(w);
    for (int kind = 0; kind < LOG_GAP_KINDS; kind++) {
        const char *name;
        json_key(w, log_gap_name((enum log_gap)kind));
        json_array(w);
        for (size_t n = 0; (name = log_gaps_name(&p->gaps, (enum log_gap)kind, n)); n++)
            json_text(w, name);
        json_array_end(w);
    }
    json_object_end(w);
    json_key(w, "measures");
    json_object(w);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        put_double(w, profile_term((enum profile_measure)i)->name, p->values[i]);
    json_object_end(w);
    put_cost(w, "io", &p->io);
    put_double(w, "io_mean_s", p->mean_s);
    put_double(w, "file_system_bytes", p->fs_bytes);
}

void job_page_print_json(const struct job_assessment *page, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    put_run(&w, &page->run);
    put_cost(&w, "excess", &page->excess);
    json_key(&w, "findings");
    json_array(&w);
    for (size_t i = 0; i < page->count; i++)
        job_finding_json(&page->findings[i], &w);
    json_array_end(&w);
    if (page->servers)
        job_servers_print_json(page->servers, &page->run, &w);
    job_comparison_json(&page->comparison, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
