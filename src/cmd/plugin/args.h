/* SPDX-License-Identifier: Apache-2.0 */
/* args - the options that baro's commands of plugins share. */
#ifndef CMD_PLUGIN_ARGS_H
#define CMD_PLUGIN_ARGS_H

#include "cmd/commands.h"
#include "plugin/plugin.h"

struct plugin_args {
    const char *host, *output, *at;
    struct option_list roots, reads;
    uint64_t steps;
    int64_t step_ns;
};

#define PLUGIN_FIELD(field) offsetof(struct plugin_args, field)

#define PLUGIN_INPUT_OPTIONS                                                               \
    { "root",                                                                              \
      'r',                                                                                 \
      OPTION_LIST,                                                                         \
      PLUGIN_FIELD(roots),                                                                 \
      "DIR",                                                                               \
      "Recorded input: a directory with proc and sys; repeated: one for each "             \
      "step." },                                                                           \
        { "steps", 'n', OPTION_LIMIT, PLUGIN_FIELD(steps), "COUNT", "So many triggers." }, \
        { "step",                                                                          \
          0,                                                                               \
          OPTION_DURATION,                                                                 \
          PLUGIN_FIELD(step_ns),                                                           \
          "DURATION",                                                                      \
          "Time between two triggers, as the plugin sees it; default: 10s." },             \
    {                                                                                      \
        "allow", 0, OPTION_LIST, PLUGIN_FIELD(reads), "PATTERN",                           \
            "Files that it may read, in place of the default list; may be repeated."       \
    }

#define PLUGIN_OPTIONS                                                      \
    { "host",                                                               \
      0,                                                                    \
      OPTION_TEXT,                                                          \
      PLUGIN_FIELD(host),                                                   \
      "PROGRAM",                                                            \
      "The program that runs plugins; default: " BARO_LIBEXECDIR            \
      "/baro-plugin-host." },                                               \
    {                                                                       \
        "output", 'o', OPTION_TEXT, PLUGIN_FIELD(output), "table|json|csv", \
            "The result as table (default), json or csv."                   \
    }

/* steps_default: where --steps was not given and there is no recorded input; with it a
 * step each. */
void plugin_trial_opts(const struct plugin_args *args, uint64_t steps_default,
                       struct trial_opts *ret);
/* Prints the table, or what went wrong; an exit status. */
int plugin_print(const char *who, const struct plugin_args *args,
                 const struct table *table, int rc, const struct err *err);
/* The one operand; NULL: misused, which it printed. */
const char *plugin_operand(const char *who, int operand_count, char **operands);

#endif
