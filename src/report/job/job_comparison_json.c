/* SPDX-License-Identifier: Apache-2.0 */
/* job_comparison_json - contexts of jobs and their class, as members of an object. */
#include "report/job/job_comparison_json.h"

static void climate_value_json(const struct climate_value *v, bool is_pair,
                               struct json_writer *w)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = { { "value", v->value },
                    { "q25", v->q25 },
                    { "q50", v->q50 },
                    { "q75", v->q75 },
                    { "chance", v->chance } };
    json_object(w);
    json_key(w, "name");
    json_text(w, v->name);
    json_key(w, "label");
    json_text(w, v->label);
    if (is_pair) {
        json_key(w, "before");
        json_double(w, v->before);
        json_key(w, "pairs");
        json_u64(w, v->difference.count);
        json_key(w, "pairs_nearer");
        json_u64(w, v->difference.below);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        json_key(w, numbers[i].key);
        json_double(w, numbers[i].value);
    }
    json_key(w, "others");
    json_u64(w, v->rank.count);
    json_key(w, "less");
    json_u64(w, v->rank.below);
    json_key(w, "equal");
    json_u64(w, v->rank.equal);
    json_object_end(w);
}

static void climate_json(const struct job_comparison *s, struct json_writer *w)
{
    const struct job_climate *c = &s->climate;
    json_object(w);
    json_key(w, "class");
    json_text(w, c->set);
    json_key(w, "refused");
    json_text(w, c->refused);
    json_key(w, "runs");
    json_u64(w, c->others);
    json_key(w, "values");
    json_array(w);
    for (size_t i = 0; i < c->count; i++)
        climate_value_json(&c->values[i], s->count == 2, w);
    json_array_end(w);
    json_object_end(w);
}

void job_comparison_json(const struct job_comparison *s, struct json_writer *w)
{
    for (size_t i = 0; i < s->count; i++) {
        AUTO(strbuf_done) struct strbuf columns = STRBUF_INIT;
        job_context_print_json(&s->jobs[i], &columns);
        json_key(w, s->count == 1 ? "summary" : i == 0 ? "summary_a" : "summary_b");
        json_raw(w, strbuf_span(&columns));
    }
    if (s->has_clock) {
        json_key(w, "clock_offset_s");
        json_i64(w, s->clock.offset_s);
    }
    if (s->has_climate) {
        json_key(w, "climate");
        climate_json(s, w);
    }
}
