/* SPDX-License-Identifier: Apache-2.0 */
/* action_command - the words and the environment of an action, for a cause. */
#include "act/action_command.h"

#include "base/number.h"
#include "base/span.h"
#include "base/system/bounded_command.h"
#include "base/timetext.h"

#include <errno.h>
#include <string.h>

enum command_value {
    VALUE_ACTION,
    VALUE_HOST,
    VALUE_COMPONENT,
    VALUE_CLUSTER,
    VALUE_CHECK,
    VALUE_STATE,
    VALUE_REASON,
    VALUE_SINCE,
    VALUE_COUNT
};

static const struct {
    const char *name, *variable;
} value_names[VALUE_COUNT] = {
    [VALUE_ACTION] = { "{action}", "BARO_ACTION" },
    [VALUE_HOST] = { "{host}", "BARO_HOST" },
    [VALUE_COMPONENT] = { "{component}", "BARO_COMPONENT" },
    [VALUE_CLUSTER] = { "{cluster}", "BARO_CLUSTER" },
    [VALUE_CHECK] = { "{check}", "BARO_CHECK" },
    [VALUE_STATE] = { "{state}", "BARO_STATE" },
    [VALUE_REASON] = { "{reason}", "BARO_REASON" },
    [VALUE_SINCE] = { "{since}", "BARO_SINCE" },
};

/* The one that text begins with; VALUE_COUNT: none. */
static size_t value_find(const char *text)
{
    size_t i = 0;
    while (i < VALUE_COUNT &&
           strncmp(text, value_names[i].name, strlen(value_names[i].name)) != 0)
        i++;
    return i;
}

int action_argument_check(const char *word, struct err *err)
{
    for (const char *at = word; (at = strchr(at, '{')); at++)
        if (value_find(at) == VALUE_COUNT)
            return err_set(err, EINVAL,
                           "'%s': choose {action}, {host}, {component}, {cluster}, "
                           "{check}, {state}, {reason}, {since}",
                           at);
    return 0;
}

/* What is of a meaning to a terminal or where a line is quoted; and to a shell. */
#define ODD_FOR_PERSON "|\"'\\`"
#define ODD_FOR_SHELL ODD_FOR_PERSON "$;&()<>"

static void plain_add(struct strbuf *out, const char *text, const char *odd)
{
    for (size_t i = 0; text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_plain = c >= ' ' && c < 0x7f && !strchr(odd, c);
        strbuf_addc(out, is_plain && !(i == 0 && c == '-') ? (char)c : '?');
    }
}

void action_cause_print(const struct action_cause *cause, struct strbuf *out)
{
    strbuf_addf(out, "%s %s by %s: ", cause->component,
                resource_health_name(cause->state), cause->check);
    plain_add(out, cause->reason, ODD_FOR_PERSON);
}

void action_command_init(struct action_command *command)
{
    *command = (struct action_command){ 0 };
    arena_init(&command->arena, 0);
}

void action_command_done(struct action_command *command)
{
    arena_done(&command->arena);
    free(command->argv);
    free(command->environment);
}

static const char *argument_make(struct arena *arena, const char *word,
                                 const char *const values[VALUE_COUNT])
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    while (*word) {
        size_t value = *word == '{' ? value_find(word) : VALUE_COUNT;
        if (value == VALUE_COUNT) {
            strbuf_addc(&out, *word++);
            continue;
        }
        strbuf_adds(&out, values[value]);
        word += strlen(value_names[value].name);
    }
    return strbuf_error(&out) < 0 ? NULL : arena_dup(arena, strbuf_span(&out));
}

static int arguments_make(const struct action_rule *rule,
                          const char *const values[VALUE_COUNT],
                          struct action_command *ret)
{
    ret->argv = calloc(COUNT_OF(rule->arguments), sizeof *ret->argv);
    if (!ret->argv)
        return -ENOMEM;
    for (size_t i = 0; rule->arguments[i]; i++) {
        ret->argv[i] = argument_make(&ret->arena, rule->arguments[i], values);
        if (!ret->argv[i])
            return -ENOMEM;
    }
    return 0;
}

/* Nothing of ours: a token's file, for instance, does not concern it. */
static int environment_make_own(const char *const values[VALUE_COUNT],
                                struct action_command *ret)
{
    size_t count = 0;
    ret->environment = calloc(VALUE_COUNT + 3, sizeof *ret->environment);
    if (!ret->environment)
        return -ENOMEM;
    ret->environment[count++] = "PATH=" BOUNDED_COMMAND_PATH;
    ret->environment[count++] = "LC_ALL=C";
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        AUTO(strbuf_done) struct strbuf variable = STRBUF_INIT;
        strbuf_addf(&variable, "%s=%s", value_names[i].variable, values[i]);
        ret->environment[count] = strbuf_error(&variable) < 0
                                      ? NULL
                                      : arena_dup(&ret->arena, strbuf_span(&variable));
        if (!ret->environment[count++])
            return -ENOMEM;
    }
    return 0;
}

int action_command_make(const struct action_rule *rule,
                        const struct action_cause *cause, struct action_command *ret)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf cluster = STRBUF_INIT;
    char since[TIMETEXT_SIZE] = "";
    struct component parts;
    if (cause->since_ns)
        timetext_print(since, cause->since_ns);
    component_parse(span_of(cause->component), &parts);
    strbuf_add(&cluster, parts.cluster.data, parts.cluster.size);
    plain_add(&reason, cause->reason, ODD_FOR_SHELL);
    if (strbuf_error(&reason) < 0 || strbuf_error(&cluster) < 0)
        return -ENOMEM;
    const char *const values[VALUE_COUNT] = {
        [VALUE_ACTION] = rule->name,
        [VALUE_HOST] = cause->host,
        [VALUE_COMPONENT] = cause->component,
        [VALUE_CLUSTER] = strbuf_text(&cluster),
        [VALUE_CHECK] = cause->check,
        [VALUE_STATE] = resource_health_name(cause->state),
        [VALUE_REASON] = strbuf_text(&reason),
        [VALUE_SINCE] = since,
    };
    int rc = arguments_make(rule, values, ret);
    return rc == 0 ? environment_make_own(values, ret) : rc;
}
