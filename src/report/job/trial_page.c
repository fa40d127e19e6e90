/* SPDX-License-Identifier: Apache-2.0 */
/* trial_page - of how many past jobs each finding of a site would have spoken. */
#include "report/job/trial_page.h"

#include "base/figure.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "model/model.h"
#include "report/job/finding_json.h"

#include <math.h>

#define WITH_SHOWN 4 /* findings that coincide, of a text */

/* ---- a trial ---- */

/* The finding of Barograph's own that was made most often with it, of those that were
 * made less than below times, or as often and later; job_found_count(): none. */
static size_t with_next(const struct trial_rule *t, uint64_t below, size_t after)
{
    size_t best = job_found_count();
    uint64_t most = 0;
    for (size_t f = 0; f < job_found_count(); f++) {
        bool is_left = t->with[f] < below || (t->with[f] == below && f > after);
        if (!is_left || t->with[f] <= most)
            continue;
        most = t->with[f];
        best = f;
    }
    return best;
}

static void with_print(const struct trial_rule *t, struct strbuf *out)
{
    const char *between = "  with ";
    uint64_t below = UINT64_MAX;
    size_t f = job_found_count();
    for (int i = 0; i < WITH_SHOWN; i++) {
        f = with_next(t, below, f);
        if (f == job_found_count())
            break;
        below = t->with[f];
        strbuf_addf(out, "%s%s (%llu)", between, job_found_name(f),
                    (unsigned long long)below);
        between = ", ";
    }
    if (t->alone > 0 || between[0] == ' ')
        strbuf_addf(out, "%salone (%llu)", between[0] == ',' ? between : "  ",
                    (unsigned long long)t->alone);
    strbuf_addc(out, '\n');
}

static void trial_rule_print(const struct trial_rule *t, uint64_t jobs,
                             struct strbuf *out)
{
    strbuf_addf(out, "\n%s (%s): %llu of %llu job%s", t->rule->name,
                site_state_name(t->rule->state), (unsigned long long)t->made,
                (unsigned long long)jobs, jobs == 1 ? "" : "s");
    if (jobs > 0)
        strbuf_addf(out, ", %.3g %%", 100 * (double)t->made / (double)jobs);
    if (t->unknown > 0)
        strbuf_addf(out, "; of %llu not known", (unsigned long long)t->unknown);
    strbuf_adds(out, "\n");
    if (t->made == 0)
        return;
    with_print(t, out);
    strbuf_addf(out, "  tried = %llu of %llu\n", (unsigned long long)t->made,
                (unsigned long long)jobs);
    for (size_t i = 0; i < t->worst_count; i++) {
        strbuf_adds(out, "  ");
        entry_id_print(out, span_of(t->worst[i].job));
        strbuf_addf(out, ": %s\n", t->worst[i].sentence);
    }
    if (t->worst_count < t->made)
        strbuf_addf(out, "  and %llu more (--limit)\n",
                    (unsigned long long)(t->made - t->worst_count));
}

void trial_print_text(const struct rule_trial *trial, const char *what,
                      struct strbuf *out)
{
    strbuf_addf(out, "Tried on %llu %s", (unsigned long long)trial->jobs, what);
    if (trial->unread > 0)
        strbuf_addf(out, "; %llu could not be read", (unsigned long long)trial->unread);
    strbuf_adds(out, ".\n");
    for (size_t i = 0; i < trial->count; i++)
        trial_rule_print(&trial->rules[i], trial->jobs, out);
}

static void worst_json(const struct trial_rule *t, struct json_writer *w)
{
    json_key(w, "worst");
    json_array(w);
    for (size_t i = 0; i < t->worst_count; i++) {
        json_object(w);
        job_text_json(w, "job", t->worst[i].job);
        job_number_json(w, "order", t->worst[i].order);
        json_key(w, "sentence");
        json_text(w, t->worst[i].sentence);
        json_object_end(w);
    }
    json_array_end(w);
}

static void count_json(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_u64(w, value);
}

static void rule_texts_json(const struct site_rule *rule, struct json_writer *w)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        { "name", rule->name },
        { "state", site_state_name(rule->state) },
        { "severity", site_severity_name(rule->severity) },
        { "condition", rule->condition_text },
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_key(w, texts[i].key);
        json_text(w, texts[i].text);
    }
}

void trial_print_json(const struct rule_trial *trial, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    count_json(&w, "jobs", trial->jobs);
    count_json(&w, "unread", trial->unread);
    json_key(&w, "findings");
    json_array(&w);
    for (size_t i = 0; i < trial->count; i++) {
        const struct trial_rule *t = &trial->rules[i];
        json_object(&w);
        rule_texts_json(t->rule, &w);
        count_json(&w, "made", t->made);
        count_json(&w, "not_made", t->not_made);
        count_json(&w, "unknown", t->unknown);
        count_json(&w, "alone", t->alone);
        json_key(&w, "with");
        json_object(&w);
        for (size_t f = 0; f < job_found_count(); f++)
            if (t->with[f] > 0)
                count_json(&w, job_found_name(f), t->with[f]);
        json_object_end(&w);
        worst_json(t, &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- the rules ---- */

void rules_print_text(const struct site_rules *rules, struct strbuf *out)
{
    size_t count = site_rules_count(rules);
    for (size_t i = 0; i < count; i++) {
        const struct site_rule *rule = site_rules_at(rules, i);
        strbuf_addf(out, "%s (%s, %s)\n  condition  %s\n  sentence   %s\n", rule->name,
                    site_severity_name(rule->severity), site_state_name(rule->state),
                    rule->condition_text, rule->sentence_text);
    }
    if (count == 0)
        strbuf_adds(out, "There is no [finding NAME] in it.\n");
}

void rules_print_json(const struct site_rules *rules, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "findings");
    json_array(&w);
    for (size_t i = 0; i < site_rules_count(rules); i++) {
        const struct site_rule *rule = site_rules_at(rules, i);
        json_object(&w);
        rule_texts_json(rule, &w);
        json_key(&w, "sentence");
        json_text(&w, rule->sentence_text);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- the values ---- */

static void type_print(const struct condition_type *type, struct strbuf *out)
{
    if (type->kind == CONDITION_NUMBER)
        unit_describe(&type->unit, out);
    else
        strbuf_adds(out, type->kind == CONDITION_TEXT ? "a text" : "a condition");
}

void values_print_text(struct strbuf *out)
{
    struct job_value_name name;
    for (size_t i = 0; job_value_name_at(i, &name); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf type = STRBUF_INIT;
        job_value_name_print(&name, &text);
        type_print(&name.type, &type);
        strbuf_addf(out, "%-46s %-15s %s\n", strbuf_text(&text), strbuf_text(&type),
                    name.help);
    }
    strbuf_addf(out, "%-46s %-15s %s\n", "node.METRIC.FIGURE", "a plain number",
                "a metric of its nodes in its own unit: average, median, lowest, "
                "highest, min, max");
}

void values_print_json(struct strbuf *out)
{
    struct job_value_name name;
    struct json_writer w;
    json_writer_init(&w, out);
    json_array(&w);
    for (size_t i = 0; job_value_name_at(i, &name); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf type = STRBUF_INIT;
        job_value_name_print(&name, &text);
        type_print(&name.type, &type);
        json_object(&w);
        json_key(&w, "name");
        json_span(&w, strbuf_span(&text));
        json_key(&w, "type");
        json_span(&w, strbuf_span(&type));
        json_key(&w, "help");
        json_text(&w, name.help);
        json_object_end(&w);
    }
    json_array_end(&w);
    strbuf_addc(out, '\n');
}
