/* SPDX-License-Identifier: Apache-2.0 */
/* line - what a run prints: a line for a person, or an object of JSON.
 *
 *     n1: action reboot: done: alex/n1 down by ping: power cycled
 *     {"node":"n1","what":"action reboot: done","reason":"alex/n1 down by ping", ...}
 *
 * Texts of others are no commands of a terminal: control bytes are '?'.
 */
#ifndef ACT_LINE_H
#define ACT_LINE_H

#include <stdbool.h>

struct act_line_opts {
    void (*print)(void *arg, const char *line);
    void *arg;
    bool is_json;
};

struct act_line {
    const char *who, *what, *reason, *result; /* "": none */
    const char *action, *component, *check;   /* of an action; NULL: none */
};

void act_line_print(const struct act_line_opts *opts, const struct act_line *line);

#endif
