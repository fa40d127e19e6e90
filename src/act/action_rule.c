/* SPDX-License-Identifier: Apache-2.0 */
/* action_rule - the site's own commands: [action NAME] of a file, and when each is run.
 */
#include "act/action_rule.h"

#include "act/action_command.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_NS (86400 * NS_PER_S)

#define ACTIONS(name) offsetof(struct action_rules, name)
static const struct config_key actions_keys[] = {
    { "start_for", CONFIG_DURATION, ACTIONS(start_for_ns), "5m", NS_PER_S,
      3600 * NS_PER_S,
      "A run starts no action any more after so long; the next run does." },
};

#define ACTION(name) offsetof(struct action_rule, name)
static const struct config_key action_keys[] = {
    { "command", CONFIG_TEXT, ACTION(command), "", 0, 0,
      "The program by its whole path, and its arguments, divided at blanks; no shell. "
      "{host}, {component}, {cluster}, {check}, {state}, {reason} and {since} stand "
      "for "
      "those of the cause, which are in the environment, too (BARO_HOST ...)." },
    { "check", CONFIG_LIST, ACTION(checks), NULL, 0, 0,
      "The NAME of system:NAME, without @HOST, that states the cause; several by "
      "repeating it." },
    { "class", CONFIG_TEXT, ACTION(class_name), "host", 0, 0,
      "What the cause is about: host, or the type of a part, such as accelerator." },
    { "state", CONFIG_TEXT, ACTION(state), "down", 0, 0,
      "Its health: down, degraded, or both with a comma." },
    { "after", CONFIG_DURATION, ACTION(after_ns), "5m", 0, 30 * DAY_NS,
      "It has been so for so long." },
    { "node", CONFIG_TEXT, ACTION(node), "idle", 0, 0,
      "idle: the host is drained by baro resource act, and no job runs there; drained: "
      "jobs may still run; any: whatever it is, also while Slurm does not respond." },
    { "hosts_max", CONFIG_COUNT, ACTION(hosts_max), "1", 1, 1000000,
      "For so many hosts in the window, at most." },
    { "percent_max", CONFIG_COUNT, ACTION(percent_max), "100", 1, 100,
      "Likewise, in percent of the cluster's hosts, rounded down." },
    { "window", CONFIG_DURATION, ACTION(window_ns), "1h", 60 * NS_PER_S, 30 * DAY_NS,
      "The time that these limits are for." },
    { "again_after", CONFIG_DURATION, ACTION(again_after_ns), "24h", 60 * NS_PER_S,
      366 * DAY_NS, "Not again for the same host, component or cause within it." },
    { "once", CONFIG_TEXT, ACTION(once_name), "", 0, 0,
      "What it is once for: host, whatever is bad there, component, or cause, which is "
      "a check of a component; default: component where an argument has {component}, "
      "else host." },
    { "running_max", CONFIG_COUNT, ACTION(running_max), "1", 1, 64,
      "So many at once, at most." },
    { "deadline", CONFIG_DURATION, ACTION(deadline_ns), "60s", 100 * NS_PER_MS,
      3600 * NS_PER_S, "After it the command is killed, with what it started." },
    { "retries", CONFIG_COUNT, ACTION(retries), "0", 0, 10,
      "So often once more where the command failed." },
    { "pause", CONFIG_DURATION, ACTION(pause_ns), "10m", NS_PER_S, DAY_NS,
      "Between a command that failed and the next time." },
};

const struct config_section action_rule_sections[] = {
    { "actions", false, actions_keys, COUNT_OF(actions_keys), "Of all actions." },
    { "action", true, action_keys, COUNT_OF(action_keys),
      "A command of the site for a cause, in the order in which they are run." },
};
const size_t action_rule_section_count = COUNT_OF(action_rule_sections);

/* ---- one of them ---- */

static int states_read(struct action_rule *rule, struct err *err)
{
    struct span rest = span_of(rule->state), name;
    while (rest.size > 0) {
        enum resource_health health;
        (void)span_cut(&rest, ',', &name);
        if (resource_health_parse(span_trim(name), &health) < 0 ||
            (health != RESOURCE_DOWN && health != RESOURCE_DEGRADED))
            return err_set(err, EINVAL, "state: choose down, degraded, or both");
        rule->states |= 1U << health;
    }
    return rule->states ? 0 : err_set(err, EINVAL, "state: choose down, degraded");
}

static int needs_read(struct action_rule *rule, struct err *err)
{
    static const char *const names[] = { "any", "drained", "idle" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(rule->node, names[i]) == 0) {
            rule->needs = (enum action_node)i;
            return 0;
        }
    return err_set(err, EINVAL, "node: invalid value '%s' (choose idle, drained, any)",
                   rule->node);
}

/* A command that has no word of the component does the same for all of its host. */
static int once_read(struct action_rule *rule, struct err *err)
{
    static const char *const names[] = { "host", "component", "cause" };
    rule->once = ACTION_ONCE_HOST;
    for (size_t i = 0; rule->arguments[i]; i++)
        if (strstr(rule->arguments[i], "{component}"))
            rule->once = ACTION_ONCE_COMPONENT;
    if (!rule->once_name[0])
        return 0;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(rule->once_name, names[i]) == 0) {
            rule->once = (enum action_once)i;
            return 0;
        }
    return err_set(err, EINVAL,
                   "once: invalid value '%s' (choose host, component, cause)",
                   rule->once_name);
}

static int arguments_read(struct action_rule *rule, struct err *err)
{
    struct span rest = span_trim(span_of(rule->command)), word;
    size_t count = 0;
    while (rest.size > 0) {
        (void)span_cut(&rest, ' ', &word);
        rest = span_trim(rest);
        if (count == ACTION_ARGUMENTS_MAX)
            return err_set(err, EINVAL, "command: over %d arguments",
                           ACTION_ARGUMENTS_MAX);
        rule->arguments[count] = span_dup(word);
        if (!rule->arguments[count])
            return -ENOMEM;
        int rc = action_argument_check(rule->arguments[count++], err);
        if (rc < 0)
            return err_prefix(err, rc, "command");
    }
    if (count == 0 || rule->arguments[0][0] != '/' || strchr(rule->arguments[0], '{'))
        return err_set(err, EINVAL,
                       "command: the whole path of a program is wanted first");
    return 0;
}

static bool action_name_is_valid(const char *name)
{
    return *name && strlen(name) <= ACTION_NAME_BYTES_MAX && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_-") == strlen(name);
}

static int rule_check(struct action_rule *rule, struct err *err)
{
    if (!action_name_is_valid(rule->name))
        return err_set(err, EINVAL, "a name has letters, digits, '_' and '-'");
    if (rule->checks.count == 0)
        return err_set(err, EINVAL, "check: the name of a check is wanted");
    int rc = states_read(rule, err);
    if (rc == 0)
        rc = needs_read(rule, err);
    if (rc == 0)
        rc = arguments_read(rule, err);
    return rc == 0 ? once_read(rule, err) : rc;
}

static int rule_load(struct action_rules *rules, size_t index, struct err *err)
{
    struct action_rule *rule = &rules->rules[index];
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    rule->name = config_name(rules->file, "action", index);
    int rc = config_fill(rules->file, "action", rule->name, rule, err);
    if (rc == 0)
        rc = rule_check(rule, err);
    if (rc == 0)
        return 0;
    config_print_key_line(rules->file, "action", rule->name, "command", &line);
    return err_prefix(err, rc, "%s: [action %s]", strbuf_text(&line), rule->name);
}

/* ---- the file ---- */

/* Who may write it has our rights, for what it names is run. */
static int file_check(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & 022))
        return err_set(err, EPERM,
                       "%s: another user may write it, and what it names is run: "
                       "chmod go-w, chown root",
                       path);
    return 0;
}

int action_rules_load(const char *path, struct action_rules *ret, struct err *err)
{
    AUTO(action_rules_done) struct action_rules rules = { 0 };
    int rc = file_check(path, err);
    if (rc == 0)
        rc = config_load(path, action_rule_sections, action_rule_section_count,
                         &rules.file, err);
    if (rc == 0)
        rc = config_fill(rules.file, "actions", NULL, &rules, err);
    if (rc < 0)
        return rc;
    rules.count = config_name_count(rules.file, "action");
    if (rules.count > ACTION_RULES_MAX)
        return err_set(err, EINVAL, "%s: over %d actions", path, ACTION_RULES_MAX);
    rules.rules = calloc(rules.count + 1, sizeof *rules.rules);
    if (!rules.rules)
        return -ENOMEM;
    for (size_t i = 0; i < rules.count && rc == 0; i++)
        rc = rule_load(&rules, i, err);
    if (rc < 0)
        return rc;
    *ret = rules;
    rules = (struct action_rules){ 0 };
    return 0;
}

void action_rules_done(struct action_rules *rules)
{
    for (size_t i = 0; i < rules->count && rules->rules; i++)
        for (char **argument = rules->rules[i].arguments; *argument; argument++)
            free(*argument);
    free(rules->rules);
    config_free(rules->file);
    *rules = (struct action_rules){ 0 };
}

bool action_rule_has_check(const struct action_rule *rule, const char *check)
{
    for (size_t i = 0; i < rule->checks.count; i++)
        if (strcmp(rule->checks.items[i], check) == 0)
            return true;
    return false;
}

const struct action_rule *action_rule_find(const struct action_rules *rules,
                                           const char *name)
{
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->rules[i].name, name) == 0)
            return &rules->rules[i];
    return NULL;
}
