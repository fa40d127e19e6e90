/* SPDX-License-Identifier: Apache-2.0 */
/* site_rules - the findings and applications that a site writes itself. */
#include "analysis/rules/site_rules.h"

#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECES_MAX 64
#define REPORT_BYTES_MAX ((size_t)4 << 20)

/* Of a sentence: text as it is, or a value. */
struct sentence_piece {
    struct span text;
    const struct expression *value; /* NULL: text */
    struct condition_type type;
};

struct site_rules {
    struct arena arena; /* parsed formulas */
    struct rule_names names;
    struct site_rule *rules;
    size_t count;
    struct application_rule *applications;
    size_t application_count;
};

/* ---- configuration ---- */

struct finding_opts {
    const char *condition, *sentence, *advice, *link, *severity, *state, *order, *tried;
};

#define OPTS(member) offsetof(struct finding_opts, member)

static const struct config_key finding_keys[] = {
    { "condition", CONFIG_TEXT, OPTS(condition), NULL, 0, 0,
      "When it is made: a formula over values of the job, numbers with their units. "
      "Unknown values make it unknown, and it is not made." },
    { "sentence", CONFIG_TEXT, OPTS(sentence), NULL, 0, 0,
      "What the page prints, with values in braces: it read {server_read}." },
    { "advice", CONFIG_TEXT, OPTS(advice), NULL, 0, 0, "What to do." },
    { "link", CONFIG_TEXT, OPTS(link), NULL, 0, 0,
      "Where more is written: http:// or https://." },
    { "severity", CONFIG_TEXT, OPTS(severity), "warning", 0, 0,
      "error, warning or info: the most severe comes first." },
    { "state", CONFIG_TEXT, OPTS(state), "trial", 0, 0,
      "trial: 'baro job findings --try' counts it, and no page has it; active: pages "
      "have it." },
    { "order", CONFIG_TEXT, OPTS(order), "nodes * run_time", 0, 0,
      "A formula: the jobs of a trial with most of it come first." },
    { "tried", CONFIG_TEXT, OPTS(tried), NULL, 0, 0,
      "Of how many past jobs it was made, as 'baro job findings --try' counted: 12 of "
      "3400. Pages state it." },
};

const struct config_section finding_config_section = {
    "finding",
    true,
    finding_keys,
    COUNT_OF(finding_keys),
    "A finding of the site's own about jobs.",
};

static const char *const severity_names[] = {
    [SITE_ERROR] = "error", [SITE_WARNING] = "warning", [SITE_INFO] = "info"
};

static const char *const state_names[] = {
    [SITE_TRIAL] = "trial", [SITE_ACTIVE] = "active"
};

const char *site_severity_name(enum site_severity severity)
{
    return severity_names[severity];
}

const char *site_state_name(enum site_state state)
{
    return state_names[state];
}

struct reading {
    const struct config *config;
    struct site_rules *rules;
    const char *name; /* of the section */
    struct err *err;
};

/* "barod.conf:12: [finding x] condition: " before the text of err. */
static int at_key(const struct reading *r, const char *key, int rc)
{
    AUTO(strbuf_done) struct strbuf where = STRBUF_INIT;
    config_print_key_line(r->config, "finding", r->name, key, &where);
    return err_prefix(r->err, rc, "%s: [finding %s] %s", strbuf_text(&where), r->name,
                      key);
}

static int key_refused(const struct reading *r, const char *key, const char *why)
{
    return at_key(r, key, err_set(r->err, EINVAL, "%s", why));
}

static int word_find(const struct reading *r, const char *key, const char *value,
                     const char *const *words, size_t count, const char *choices)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], value) == 0)
            return (int)i;
    return at_key(r, key, suggest_invalid(r->err, "value", span_of(value), choices));
}

/* A line of text for people: no control bytes, and UTF-8. */
static bool is_line(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return utf8_is_valid(span_of(text));
}

static int formula_parse(const struct reading *r, const char *key, struct span text,
                         const struct expression **ret, struct condition_type *ret_type)
{
    const struct condition_names names = rule_names_condition(&r->rules->names);
    return at_key(
        r, key, condition_parse(text, &names, &r->rules->arena, ret, ret_type, r->err));
}

static int condition_read(const struct reading *r, const struct finding_opts *opts,
                          struct site_rule *rule)
{
    struct condition_type type;
    if (!opts->condition || !*opts->condition)
        return key_refused(r, "condition", "it is wanted, such as cpu_share < 10%");
    int rc = formula_parse(r, "condition", span_of(opts->condition), &rule->condition,
                           &type);
    if (rc == 0 && type.kind != CONDITION_TRUTH)
        rc = key_refused(r, "condition", "a comparison is wanted, such as x > 10GiB");
    return rc;
}

static int order_read(const struct reading *r, const struct finding_opts *opts,
                      struct site_rule *rule)
{
    struct condition_type type;
    int rc = formula_parse(r, "order", span_of(opts->order), &rule->order, &type);
    if (rc == 0 && type.kind != CONDITION_NUMBER)
        rc = key_refused(r, "order", "a number is wanted");
    return rc;
}

/* The '}' that closes a value: one in a "text" does not. */
static size_t value_size(struct span text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        is_quoted ^= text.data[i] == '"';
        if (text.data[i] == '}' && !is_quoted)
            return i;
    }
    return SIZE_MAX;
}

static int value_piece(const struct reading *r, struct span *rest,
                       struct sentence_piece *piece)
{
    size_t size = value_size(*rest);
    if (size == SIZE_MAX)
        return key_refused(r, "sentence", "a { has no }; write {{ for the sign itself");
    int rc = formula_parse(r, "sentence", (struct span){ rest->data, size },
                           &piece->value, &piece->type);
    if (rc == 0 && piece->type.kind == CONDITION_TRUTH)
        rc = key_refused(r, "sentence", "a value stands in braces, not a condition");
    *rest = span_skip(*rest, size + 1);
    return rc;
}

static int sentence_read(const struct reading *r, const struct finding_opts *opts,
                         struct site_rule *rule)
{
    struct sentence_piece pieces[PIECES_MAX];
    size_t count = 0;
    int rc = 0;
    if (!opts->sentence || !*opts->sentence)
        return key_refused(r, "sentence", "it is wanted");
    struct span rest = span_of(opts->sentence);
    if (!is_line(opts->sentence) || rest.size > SITE_SENTENCE_BYTES_MAX)
        return key_refused(r, "sentence", "a line of text of at most 2048 bytes");
    while (rc == 0 && rest.size > 0) {
        struct sentence_piece piece = { 0 };
        size_t size = 0;
        while (size < rest.size && rest.data[size] != '{')
            size++;
        bool is_sign = size + 1 < rest.size && rest.data[size + 1] == '{';
        if (count + 2 > PIECES_MAX)
            return key_refused(r, "sentence", "it has too many values");
        piece.text = (struct span){ rest.data, size + is_sign };
        rest = span_skip(rest, size < rest.size ? size + 1 + is_sign : size);
        bool is_value = !is_sign && rest.data > piece.text.data + size;
        if (piece.text.size > 0)
            pieces[count++] = piece;
        if (!is_value)
            continue;
        piece = (struct sentence_piece){ 0 };
        rc = value_piece(r, &rest, &piece);
        pieces[count++] = piece;
    }
    if (rc < 0)
        return rc;
    rule->pieces = arena_alloc(&r->rules->arena, count * sizeof *pieces);
    if (!rule->pieces)
        return err_set(r->err, ENOMEM, "out of memory");
    memcpy(rule->pieces, pieces, count * sizeof *pieces);
    rule->piece_count = count;
    return 0;
}

static int texts_check(const struct reading *r, const struct finding_opts *opts)
{
    if (opts->advice && !is_line(opts->advice))
        return key_refused(r, "advice", "a line of text is wanted");
    if (!opts->link)
        return 0;
    bool is_web = span_starts(span_of(opts->link), "https://") ||
                  span_starts(span_of(opts->link), "http://");
    return is_web && is_line(opts->link) && !strpbrk(opts->link, " \"<>")
               ? 0
               : key_refused(r, "link", "an address of http:// or https:// is wanted");
}

/* "12 of 3400" */
static int tried_read(const struct reading *r, const char *text, struct site_rule *rule)
{
    struct span jobs = span_of(text ? text : ""), made, of;
    if (!text)
        return 0;
    bool is_good = span_cut(&jobs, ' ', &made) && span_cut(&jobs, ' ', &of) &&
                   span_is(of, "of") &&
                   number_parse_u64(made, &rule->tried_made) == 0 &&
                   number_parse_u64(jobs, &rule->tried_jobs) == 0;
    return is_good && rule->tried_jobs > 0 && rule->tried_made <= rule->tried_jobs
               ? 0
               : key_refused(r, "tried", "so many of so many jobs, as 12 of 3400");
}

static int rule_read(const struct reading *r, struct site_rule *rule)
{
    struct finding_opts opts = { 0 };
    int rc = config_fill(r->config, "finding", r->name, &opts, r->err);
    int severity = 0, state = 0;
    if (rc == 0 && (!is_line(r->name) || strlen(r->name) > 255))
        rc = key_refused(r, "", "its name is no line of text of at most 255 bytes");
    if (rc == 0)
        rc = condition_read(r, &opts, rule);
    if (rc == 0)
        rc = order_read(r, &opts, rule);
    if (rc == 0)
        rc = sentence_read(r, &opts, rule);
    if (rc == 0)
        rc = texts_check(r, &opts);
    if (rc == 0)
        rc = tried_read(r, opts.tried, rule);
    if (rc == 0)
        rc = severity = word_find(r, "severity", opts.severity, severity_names,
                                  COUNT_OF(severity_names), "error, warning, info");
    if (rc >= 0)
        rc = state = word_find(r, "state", opts.state, state_names,
                               COUNT_OF(state_names), "trial, active");
    if (rc < 0)
        return rc;
    rule->name = r->name;
    rule->condition_text = opts.condition;
    rule->sentence_text = opts.sentence;
    rule->advice = opts.advice;
    rule->link = opts.link;
    rule->severity = (enum site_severity)severity;
    rule->state = (enum site_state)state;
    return 0;
}

/* Those of one severity stay in the file's order. */
static void rules_sort(struct site_rule *rules, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct site_rule rule = rules[i];
        size_t at = i;
        for (; at > 0 && rules[at - 1].severity > rule.severity; at--)
            rules[at] = rules[at - 1];
        rules[at] = rule;
    }
}

static int rules_read(struct reading *r)
{
    struct site_rules *rules = r->rules;
    size_t findings = config_name_count(r->config, "finding");
    size_t applications = config_name_count(r->config, "application");
    int rc = 0;
    if (findings > SITE_RULES_MAX || applications > SITE_RULES_MAX)
        return err_set(r->err, EINVAL,
                       "at most %d [finding NAME] and [application "
                       "NAME] each",
                       SITE_RULES_MAX);
    rules->rules = calloc(findings + 1, sizeof *rules->rules);
    rules->applications = calloc(applications + 1, sizeof *rules->applications);
    if (!rules->rules || !rules->applications)
        return err_set(r->err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < applications; i++) {
        const char *name = config_name(r->config, "application", i);
        rc = application_rule_read(
            r->config, name, &rules->applications[rules->application_count++], r->err);
    }
    for (size_t i = 0; rc == 0 && i < findings; i++) {
        r->name = config_name(r->config, "finding", i);
        rc = rule_read(r, &rules->rules[rules->count++]);
    }
    if (rc == 0)
        rules_sort(rules->rules, rules->count);
    return rc;
}

int site_rules_new(const struct config *config, struct site_rules **ret,
                   struct err *err)
{
    AUTO(site_rules_free) struct site_rules *rules = calloc(1, sizeof *rules);
    struct err here = { 0 };
    if (!rules)
        return err_set(err, ENOMEM, "out of memory");
    arena_init(&rules->arena, (size_t)64 << 20);
    rule_names_init(&rules->names);
    struct reading r = { .config = config, .rules = rules, .err = &here };
    int rc = rules_read(&r);
    if (rc < 0)
        return err_set(err, -rc, "%s", here.text);
    *ret = TAKE(rules);
    return 0;
}

void site_rules_free(struct site_rules *rules)
{
    if (!rules)
        return;
    free(rules->rules);
    free(rules->applications);
    rule_names_done(&rules->names);
    arena_done(&rules->arena);
    free(rules);
}

size_t site_rules_count(const struct site_rules *rules)
{
    return rules ? rules->count : 0;
}

const struct site_rule *site_rules_at(const struct site_rules *rules, size_t index)
{
    return &rules->rules[index];
}

/* ---- of one job ---- */

bool site_result_is_shown(const struct site_result *result)
{
    return result->result == CONDITION_TRUE && result->rule->state == SITE_ACTIVE;
}

/* NULL: a value of it is not known, or memory is out. */
static const char *sentence_make(const struct site_rule *rule,
                                 const struct value *values, struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < rule->piece_count; i++) {
        const struct sentence_piece *piece = &rule->pieces[i];
        if (!piece->value) {
            strbuf_add_span(&text, piece->text);
            continue;
        }
        struct value v = condition_value(piece->value, values, arena);
        if (v.kind == VALUE_MISSING)
            return NULL;
        if (v.kind == VALUE_TEXT)
            entry_id_print(&text, v.text);
        else
            unit_print_value(&piece->type.unit, v.number, &text);
    }
    return strbuf_error(&text) < 0 ? NULL : arena_dup(arena, strbuf_span(&text));
}

/* A true one whose sentence lacks a value is not known well enough. */
static struct site_result rule_apply(const struct site_rule *rule,
                                     const struct value *values, struct arena *arena)
{
    struct site_result r = { .rule = rule,
                             .result = condition_result(rule->condition, values, arena),
                             .order = NAN };
    if (r.result != CONDITION_TRUE)
        return r;
    r.sentence = sentence_make(rule, values, arena);
    if (!r.sentence)
        r.result = CONDITION_UNKNOWN;
    struct value order = condition_value(rule->order, values, arena);
    r.order = value_as_number(&order);
    return r;
}

static int values_new(const struct site_rules *rules, struct site_report *report)
{
    size_t count = job_values_count(&rules->names);
    report->values = arena_alloc(&report->arena, count * sizeof *report->values);
    report->results =
        arena_alloc(&report->arena, (rules->count + 1) * sizeof *report->results);
    return report->values && report->results ? 0 : -ENOMEM;
}

static void rules_apply(const struct site_rules *rules, struct site_report *report)
{
    for (size_t i = 0; i < rules->count; i++) {
        struct site_result r =
            rule_apply(&rules->rules[i], report->values, &report->arena);
        report->results[report->count++] = r;
        report->active_count += site_result_is_shown(&r);
    }
}

int site_report_make(const struct site_rules *rules,
                     const struct job_assessment *assessment,
                     const struct job_context *facts, struct site_report *ret)
{
    struct job_evidence_of of = { .assessment = assessment, .facts = facts };
    arena_init(&ret->arena, REPORT_BYTES_MAX);
    application_recognise(rules ? rules->applications : NULL,
                          rules ? rules->application_count : 0, &of, &ret->arena,
                          &ret->application);
    if (!rules || rules->count == 0)
        return 0;
    of.application = ret->application.name;
    int rc = values_new(rules, ret);
    if (rc < 0)
        return rc;
    job_values_fill(&rules->names, &of, &ret->arena, ret->values);
    rules_apply(rules, ret);
    return 0;
}

int site_report_read(const struct site_rules *rules, struct span document,
                     struct site_report *ret, struct err *err)
{
    arena_init(&ret->arena, REPORT_BYTES_MAX);
    int rc = values_new(rules, ret);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    rc = job_values_read(&rules->names, document, &ret->arena, ret->values, err);
    if (rc == 0)
        rules_apply(rules, ret);
    return rc;
}

void site_report_done(struct site_report *report)
{
    arena_done(&report->arena);
    *report = (struct site_report){ 0 };
}
