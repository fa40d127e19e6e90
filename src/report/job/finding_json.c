/* SPDX-License-Identifier: Apache-2.0 */
/* finding_json - what stands out of a run, for programs. */
#include "report/job/finding_json.h"

#include "report/job/finding_text.h"

#include "base/span.h"
#include "model/model.h"
#include "report/unusual/unusual.h"

#include <math.h>

void job_text_json(struct json_writer *w, const char *key, const char *text)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    entry_id_print(&clean, span_of(text));
    json_key(w, key);
    json_span(w, strbuf_span(&clean));
}

void job_number_json(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    if (isfinite(value))
        json_double(w, value);
    else
        json_null(w);
}

void job_cost_json(struct json_writer *w, const char *key, const struct cost *cost)
{
    json_key(w, key);
    json_object(w);
    job_number_json(w, "low_s", cost->low_s);
    job_number_json(w, "high_s", cost->high_s);
    job_text_json(w, "reason", cost_reason_name(cost->reason));
    json_object_end(w);
}

void job_finding_json(const struct finding *f, struct json_writer *w)
{
    json_object(w);
    job_text_json(w, "kind", f->name);
    job_text_json(w, "name", f->name);
    job_text_json(w, "text", f->text);
    json_key(w, "advice");
    json_text(w, finding_advice(f));
    finding_rate_json(finding_rate_of(f->name, finding_is_by_climate(f)), w);
    if (f->who)
        job_text_json(w, "who", f->who);
    job_text_json(w, "measure", f->evidence);
    job_number_json(w, "value", f->value);
    job_number_json(w, "threshold", f->threshold);
    json_key(w, "n");
    json_u64(w, f->n);
    job_number_json(w, "p", f->p);
    json_key(w, "others");
    json_u64(w, f->others);
    job_cost_json(w, "cost", &f->cost);
    json_key(w, "because");
    json_text(w, f->because);
    json_key(w, "which");
    if (f->which >= 0)
        json_i64(w, f->which);
    else
        json_null(w);
    json_object_end(w);
}

void job_headlines_json(const struct job_assessment *a, struct json_writer *w)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    size_t count = job_headlines(a, headlines);
    const struct job_headline *first = job_headline_first(headlines, count);
    json_key(w, "headline");
    json_text(w, !first        ? NULL
                 : first->node ? footprint_kind_name(first->node->kind)
                               : first->finding->name);
    json_key(w, "findings");
    json_array(w);
    for (size_t i = 0; i < count; i++)
        if (headlines[i].node)
            footprint_finding_json(headlines[i].node, w);
        else
            job_finding_json(headlines[i].finding, w);
    json_array_end(w);
}
