/* SPDX-License-Identifier: Apache-2.0 */
/* job_steps_page - the steps of a job, as a part of its page. */
#include "report/job/job_steps_page.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"

/* " for 10 min", or what is known of its time. */
static void step_time_print(const struct job_step *step, struct strbuf *out)
{
    char text[TIMETEXT_SIZE], length[FIGURE_SIZE];
    if (step->start_ns == JOB_TIME_NONE)
        return;
    (void)timetext_print(text, step->start_ns);
    strbuf_addf(out, " from %s", text);
    if (step->end_ns == JOB_TIME_NONE) {
        strbuf_adds(out, ", it has not ended");
        return;
    }
    figure_print_duration(length, sizeof length, step->end_ns - step->start_ns);
    strbuf_addf(out, " for %s", length);
}

static void step_word_print(const char *before, const char *word, struct strbuf *out)
{
    if (!word || !*word)
        return;
    strbuf_adds(out, before);
    entry_id_print(out, span_of(word));
}

static void step_print(const struct job_step *step, struct strbuf *out)
{
    step_word_print("  ", step->step, out);
    step_word_print(" ", step->name, out);
    step_time_print(step, out);
    step_word_print(" on ", step->nodes, out);
    step_word_print(", ", step->state, out);
    strbuf_addc(out, '\n');
}

void job_steps_print(const struct job_steps *steps, struct strbuf *out)
{
    size_t shown = steps->count < JOB_STEPS_SHOWN ? steps->count : JOB_STEPS_SHOWN;
    if (steps->count == 0)
        return;
    strbuf_adds(out, "\nIts steps, by their start:\n");
    for (size_t i = 0; i < shown; i++)
        step_print(&steps->items[i], out);
    if (shown < steps->count)
        strbuf_addf(out, "  and %s%zu more (--output json has them)\n",
                    steps->has_more ? "at least " : "", steps->count - shown);
}

static void step_member(const char *key, const char *text, struct json_writer *w)
{
    json_key(w, key);
    json_text(w, text);
}

static void step_moment(const char *key, int64_t t_ns, struct json_writer *w)
{
    json_key(w, key);
    if (t_ns == JOB_TIME_NONE)
        json_null(w);
    else
        json_time_ms(w, t_ns / NS_PER_MS);
}

void job_steps_json(const struct job_steps *steps, struct json_writer *w)
{
    json_key(w, "steps");
    json_array(w);
    for (size_t i = 0; i < steps->count; i++) {
        const struct job_step *step = &steps->items[i];
        json_object(w);
        step_member("step", step->step, w);
        step_member("name", step->name, w);
        step_member("state", step->state, w);
        step_member("nodes", step->nodes, w);
        step_moment("start", step->start_ns, w);
        step_moment("end", step->end_ns, w);
        for (enum job_resource what = 0; what < JOB_RESOURCE_COUNT; what++) {
            if (!job_resource_known(&step->resources, what))
                continue;
            json_key(w, job_resource_names[what]);
            json_i64(w, step->resources.value[what]);
        }
        json_object_end(w);
    }
    json_array_end(w);
    json_key(w, "has_more_steps");
    json_bool(w, steps->has_more);
}
