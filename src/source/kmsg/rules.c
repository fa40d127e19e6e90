/* SPDX-License-Identifier: Apache-2.0 */
/* rules - which messages of the kernel are events, and what they state. */
#include "source/kmsg/rules.h"

#include "base/config.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "promql/regex/regex.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define RULE_NAME_BYTES_MAX 32
#define PREFIX_BYTES_MAX 64
#define ARENA_BYTES_MAX ((size_t)32 << 20)
#define MINUTE_US UINT64_C(60000000)

/* The keys of a rule. */
struct rule_opts {
    struct config_list matches;
    bool event;
    const char *severity, *class, *component, *text, *health;
    int64_t health_ns;
    uint64_t rate;
};

struct kmsg_match {
    const struct regex *regex;
    char prefix[PREFIX_BYTES_MAX]; /* what every text begins with that it matches */
    size_t prefix_size;
};

struct kmsg_rule {
    const char *name;
    struct rule_opts opts;
    enum kmsg_severity severity;
    enum kmsg_health health;
    struct kmsg_match matches[KMSG_MATCHES_MAX];
    size_t match_count;
    uint64_t minute; /* since the boot, in which it had so many events */
    uint64_t count;
    uint64_t held_back; /* since the last event that was not */
};

struct kmsg_rules {
    struct config *config;
    struct arena arena;
    struct kmsg_rule *rules;
    size_t count;
    struct strbuf component, text;
};

#define KEY(field) offsetof(struct rule_opts, field)

static const struct config_key rule_keys[] = {
    { "match", CONFIG_LIST, KEY(matches), NULL, 0, 0,
      "The whole message as an expression of RE2; may be repeated: one of them." },
    { "event", CONFIG_BOOL, KEY(event), "yes", 0, 0, "Whether it is an event." },
    { "severity", CONFIG_TEXT, KEY(severity), "warning", 0, 0,
      "info, warning, error or fatal." },
    { "class", CONFIG_TEXT, KEY(class), "system", 0, 0,
      "What is at fault: hardware, application or system." },
    { "component", CONFIG_TEXT, KEY(component), "host", 0, 0,
      "Of what it is, below the host: TYPE:{GROUP}." },
    { "text", CONFIG_TEXT, KEY(text), NULL, 0, 0,
      "The event's text, with {GROUP}s; default: the message." },
    { "health", CONFIG_TEXT, KEY(health), NULL, 0, 0,
      "The component's health from now on: up, degraded or down." },
    { "health_for", CONFIG_DURATION, KEY(health_ns), "0s", 0, 365 * 86400 * NS_PER_S,
      "So long; 0s: until the next boot, or until a rule states up." },
    { "rate", CONFIG_COUNT, KEY(rate), "10", 1, 600, "Events a minute at most." },
};

static const struct config_section rule_section = {
    "rule", true, rule_keys, COUNT_OF(rule_keys), "A kind of message.",
};

static const char *const severities[] = { "info", "warning", "error", "fatal" };
static const char *const healths[] = { "", "up", "degraded", "down" };
static const char *const classes[] = { "hardware", "application", "system" };

const char *kmsg_severity_name(enum kmsg_severity severity)
{
    return severities[severity];
}

/* ---- reading the file ---- */

static int rule_error(const struct kmsg_rules *rules, const char *name, const char *key,
                      struct err *err, const char *value, const char *remedy)
{
    AUTO(strbuf_done) struct strbuf at = STRBUF_INIT;
    config_print_key_line(rules->config, "rule", name, key, &at);
    return err_set(err, EINVAL, "%s: %s of rule '%.64s': '%.200s' %s", strbuf_text(&at),
                   key, name, value, remedy);
}

static int choice_of(const char *text, const char *const *choices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text ? text : "", choices[i]) == 0)
            return (int)i;
    return -1;
}

static bool is_rule_name(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return size > 0 && size <= RULE_NAME_BYTES_MAX && !name[size];
}

/* The characters that stand for themselves at the start of an expression.  One that a
 * quantifier follows may be absent. */
static void prefix_of(struct span pattern, struct kmsg_match *match)
{
    size_t at = 0, n = 0;
    if (pattern.size && memchr(pattern.data, '|', pattern.size))
        return; /* it may be one of several */
    while (at < pattern.size && n < PREFIX_BYTES_MAX) {
        char c = pattern.data[at];
        size_t size = 1;
        if (c == '\\' && at + 1 < pattern.size &&
            strchr(".[](){}*+?|^$\\/-", pattern.data[at + 1]) && pattern.data[at + 1]) {
            c = pattern.data[at + 1];
            size = 2;
        } else if (c == '\0' || strchr("\\.[](){}*+?|^$", c)) {
            break;
        }
        at += size;
        if (at < pattern.size && strchr("*?{", pattern.data[at]) && pattern.data[at])
            break;
        match->prefix[n++] = c;
    }
    match->prefix_size = n;
}

/* Each {NAME} is a group of all the rule's expressions. */
static const char *template_fault(const struct kmsg_rule *rule, const char *text)
{
    struct span rest = span_of(text), before, name;
    while (span_cut(&rest, '{', &before)) {
        if (!span_cut(&rest, '}', &name))
            return "has a '{' without '}'; write {GROUP}";
        for (size_t i = 0; i < rule->match_count; i++)
            if (regex_group_named(rule->matches[i].regex, name) < 0)
                return "names a group that not every match of the rule has; write "
                       "(?P<NAME>...) in each";
    }
    return NULL;
}

static int rule_compile(struct kmsg_rules *rules, struct kmsg_rule *rule,
                        struct err *err)
{
    const struct config_list *matches = &rule->opts.matches;
    if (matches->count == 0 || matches->count > KMSG_MATCHES_MAX)
        return rule_error(rules, rule->name, "match", err, "",
                          "has to be there once at least, and 16 times at most");
    for (size_t i = 0; i < matches->count; i++) {
        struct kmsg_match *match = &rule->matches[rule->match_count++];
        struct span pattern = span_of(matches->items[i]);
        struct err why = { 0 };
        int rc = regex_parse(pattern, &rules->arena, &match->regex, &why);
        if (rc == -EINVAL)
            return rule_error(rules, rule->name, "match", err, matches->items[i],
                              why.text);
        if (rc < 0)
            return err_set(err, ENOMEM,
                           "out of memory for the rules of the kernel's "
                           "messages; have fewer");
        prefix_of(pattern, match);
    }
    return 0;
}

static int rule_check(struct kmsg_rules *rules, struct kmsg_rule *rule, struct err *err)
{
    const struct rule_opts *o = &rule->opts;
    if (!is_rule_name(rule->name))
        return rule_error(rules, rule->name, "match", err, rule->name,
                          "is no name; use up to 32 of a-z, 0-9 and _");
    int rc = rule_compile(rules, rule, err);
    if (rc < 0)
        return rc;
    int severity = choice_of(o->severity, severities, COUNT_OF(severities));
    int health = choice_of(o->health, healths, COUNT_OF(healths));
    if (severity < 0)
        return rule_error(rules, rule->name, "severity", err, o->severity,
                          "is none; choose info, warning, error or fatal");
    if (health < 0)
        return rule_error(rules, rule->name, "health", err, o->health,
                          "is none; choose up, degraded or down, or leave it out");
    if (choice_of(o->class, classes, COUNT_OF(classes)) < 0)
        return rule_error(rules, rule->name, "class", err, o->class,
                          "is none; choose hardware, application or system");
    const char *fault = template_fault(rule, o->component);
    if (fault || !*o->component)
        return rule_error(rules, rule->name, "component", err, o->component,
                          fault ? fault : "is empty; write host or TYPE:{GROUP}");
    fault = template_fault(rule, o->text);
    if (fault)
        return rule_error(rules, rule->name, "text", err, o->text, fault);
    rule->severity = (enum kmsg_severity)severity;
    rule->health = (enum kmsg_health)health;
    return 0;
}

int kmsg_rules_parse(const char *name, struct span text, struct kmsg_rules **ret,
                     struct err *err)
{
    AUTO(kmsg_rules_free) struct kmsg_rules *rules = calloc(1, sizeof *rules);
    if (!rules)
        return -ENOMEM;
    arena_init(&rules->arena, ARENA_BYTES_MAX);
    if (text.size > KMSG_RULES_BYTES_MAX)
        return err_set(err, EMSGSIZE,
                       "'%s' is longer than the %zu KiB that rules may be", name,
                       KMSG_RULES_BYTES_MAX >> 10);
    int rc = config_parse(name, text, &rule_section, 1, &rules->config, err);
    if (rc < 0)
        return rc;
    size_t count = config_name_count(rules->config, "rule");
    if (count > KMSG_RULES_MAX)
        return err_set(err, EINVAL, "'%s' has %zu rules; %d are as many as can be",
                       name, count, KMSG_RULES_MAX);
    rules->rules = calloc(count ? count : 1, sizeof *rules->rules);
    if (!rules->rules)
        return -ENOMEM;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct kmsg_rule *rule = &rules->rules[rules->count++];
        rule->name = config_name(rules->config, "rule", i);
        rc = config_fill(rules->config, "rule", rule->name, &rule->opts, err);
        if (rc == 0)
            rc = rule_check(rules, rule, err);
    }
    if (rc == 0)
        *ret = TAKE(rules);
    return rc;
}

int kmsg_rules_load(const char *path, struct kmsg_rules **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, KMSG_RULES_BYTES_MAX, &text, err);
    return rc < 0 ? rc : kmsg_rules_parse(path, strbuf_span(&text), ret, err);
}

void kmsg_rules_free(struct kmsg_rules *rules)
{
    if (!rules)
        return;
    config_free(rules->config);
    arena_done(&rules->arena);
    free(rules->rules);
    strbuf_done(&rules->component);
    strbuf_done(&rules->text);
    free(rules);
}

size_t kmsg_rules_count(const struct kmsg_rules *rules)
{
    return rules->count;
}

/* ---- a message ---- */

static struct span group_of(const struct regex *regex,
                            const struct regex_groups *groups, const char *name)
{
    int number = regex_group_named(regex, span_of(name));
    if (number < 0 || !groups->groups[number].data)
        return SPAN("");
    return groups->groups[number];
}

static void template_fill(const struct regex *regex, const struct regex_groups *groups,
                          const char *template, size_t size_max, struct strbuf *out)
{
    struct span rest = span_of(template), before, name;
    strbuf_clear(out);
    while (span_cut(&rest, '{', &before)) {
        strbuf_add_span(out, before);
        (void)span_cut(&rest, '}', &name);
        int number = regex_group_named(regex, name);
        if (number >= 0 && groups->groups[number].data)
            strbuf_add_span(out, groups->groups[number]);
    }
    strbuf_add_span(out, before);
    if (out->size > size_max)
        out->size = size_max;
}

static const struct kmsg_match *rule_match(const struct kmsg_rule *rule,
                                           struct span text,
                                           struct regex_groups *groups)
{
    for (size_t i = 0; i < rule->match_count; i++) {
        const struct kmsg_match *match = &rule->matches[i];
        if (text.size >= match->prefix_size &&
            memcmp(text.data, match->prefix, match->prefix_size) == 0 &&
            regex_match_groups(match->regex, text, groups))
            return match;
    }
    return NULL;
}

/* By the kernel's own times: what comes late, all at once, is what came in time. */
static void rule_count(struct kmsg_rule *rule, uint64_t time_us, struct kmsg_event *ret)
{
    uint64_t minute = time_us / MINUTE_US;
    if (minute != rule->minute)
        rule->count = 0;
    rule->minute = minute;
    ret->is_held_back = rule->count >= rule->opts.rate;
    ret->held_back = rule->held_back + ret->is_held_back;
    if (ret->is_held_back) {
        rule->held_back++;
        return;
    }
    rule->count++;
    rule->held_back = 0;
}

bool kmsg_rules_apply(struct kmsg_rules *rules, const struct kmsg_record *record,
                      struct kmsg_event *ret)
{
    struct regex_groups groups;
    const struct kmsg_match *match = NULL;
    struct kmsg_rule *rule = rules->rules;
    if (record->facility != 0)
        return false;
    for (size_t i = 0; i < rules->count && !match; i++) {
        rule = &rules->rules[i];
        match = rule_match(rule, record->text, &groups);
    }
    if (!match)
        return false;
    const struct rule_opts *o = &rule->opts;
    template_fill(match->regex, &groups, o->component, KMSG_COMPONENT_BYTES_MAX,
                  &rules->component);
    if (o->text && *o->text)
        template_fill(match->regex, &groups, o->text, KMSG_EVENT_TEXT_BYTES_MAX,
                      &rules->text);
    struct span text = o->text && *o->text ? strbuf_span(&rules->text) : record->text;
    if (text.size > KMSG_EVENT_TEXT_BYTES_MAX)
        text.size = KMSG_EVENT_TEXT_BYTES_MAX;
    *ret = (struct kmsg_event){
        .rule = rule->name,
        .is_published = o->event,
        .severity = rule->severity,
        .class = o->class,
        .component = strbuf_span(&rules->component),
        .text = text,
        .cgroup = group_of(match->regex, &groups, "cgroup"),
        .pid = group_of(match->regex, &groups, "pid"),
        .health = rule->health,
        .health_ns = o->health_ns,
    };
    if (o->event)
        rule_count(rule, record->time_us, ret);
    return true;
}
