/* SPDX-License-Identifier: Apache-2.0 */
/* action_rule - the site's own commands: [action NAME] of a file, and when each is run.
 *
 *     [action reboot]
 *     command = /usr/local/sbin/power-cycle --node={host} --why={reason}
 *     check = bmc
 *     node = idle
 *     hosts_max = 2
 *
 * A command is words, never a line for a shell: they are divided at blanks when the
 * file is read, and what a placeholder stands for stays within its word.
 *
 * Owns     the texts are the file's, until action_rules_done().
 */
#ifndef ACT_ACTION_RULE_H
#define ACT_ACTION_RULE_H

#include "base/config.h"

#define ACTION_RULES_MAX 64
#define ACTION_ARGUMENTS_MAX 64
#define ACTION_NAME_BYTES_MAX 64

/* Each includes what is before it. */
enum action_node {
    ACTION_NODE_ANY,     /* also where Slurm does not respond */
    ACTION_NODE_DRAINED, /* by us, and nothing besides */
    ACTION_NODE_IDLE     /* and no job runs there */
};

/* What an action is done for once within again_after. */
enum action_once { ACTION_ONCE_HOST, ACTION_ONCE_COMPONENT, ACTION_ONCE_CAUSE };

struct action_rule {
    const char *name;
    const char *command, *class_name, *state, *node, *once_name;
    struct config_list checks;
    unsigned states; /* bit RESOURCE_DOWN, RESOURCE_DEGRADED */
    enum action_node needs;
    enum action_once once;
    int64_t after_ns;       /* the cause has lasted so long */
    int64_t window_ns;      /* the limits of hosts are within it */
    int64_t again_after_ns; /* not before, for the same host, component or cause */
    int64_t deadline_ns, pause_ns;
    uint64_t hosts_max, percent_max, running_max, retries;
    char *arguments[ACTION_ARGUMENTS_MAX + 1]; /* of the command; ends with NULL */
};

struct action_rules {
    struct config *file;
    int64_t start_for_ns; /* a run starts none any more after so long */
    struct action_rule *rules;
    size_t count;
};

extern const struct config_section action_rule_sections[];
extern const size_t action_rule_section_count;

/* Errors: -EINVAL (with file and line), -EPERM (another user may write it), of open(2).
 */
int action_rules_load(const char *path, struct action_rules *ret, struct err *err);
void action_rules_done(struct action_rules *rules);
DEFINE_AUTO_DONE(struct action_rules, action_rules_done);

/* Is it one of its checks? */
bool action_rule_has_check(const struct action_rule *rule, const char *check);
const struct action_rule *action_rule_find(const struct action_rules *rules,
                                           const char *name);

#endif
