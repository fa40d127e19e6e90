/* SPDX-License-Identifier: Apache-2.0 */
/* command - what may be typed after a program's name, described by a table.
 *
 * Parsing and --help (base/options), the shell's completion (base/terminal/completion)
 * and the test that holds the table against the man pages all read it.
 */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_COUNT,    /* uint64_t */
    OPTION_LIMIT,    /* uint64_t, at least 1: 0 in the field is "not given" */
    OPTION_DURATION, /* int64_t ns, more than 0: 0 in the field is "not given" */
    OPTION_PAUSE,    /* int64_t ns, 0s is none */
    OPTION_SIZE,     /* uint64_t bytes */
    OPTION_TIME, /* const char *, as user_time_resolve(); the command has --zone, too */
    OPTION_LIST, /* struct option_list: may be repeated */
};

struct option_list {
    const char **items;
    size_t count;
};

struct option {
    const char *name; /* without the dashes: "output" */
    char letter;      /* 'o' for -o; 0: none */
    enum option_type type;
    size_t offset; /* of the field in the command's arguments */
    /* What its value is; NULL for a flag.  Between bars stand the words that it may be,
     * in lower case, and in capitals what others are: "table|json|csv", "FILE|barod".
     * Completion offers what stands here. */
    const char *operand;
    const char *help; /* one sentence */
};

struct command {
    const char *name;     /* "jobstats top"; for a program alone its name */
    const char *operands; /* "[FILE|-]", written as those of options; "": none */
    const char *help;     /* one line */
    const struct option *options;
    size_t option_count;
    size_t args_size; /* of the struct the options go into */
    int (*run)(void *args, int operand_count, char **operands); /* an exit status */
    const char *details; /* paragraphs after the options in --help; may be NULL */
    /* Standard output is data for programs, byte for byte, unless --output is table.
     * Without it only where --output names another form than table, text, braille or
     * none. */
    bool prints_data;
    bool
        prints_times; /* none of these, and its tables have times: it has --zone, too */
    bool has_time_operands; /* its operands are times: it has --zone as with OPTION_TIME
                             */
};

/* The --zone of commands with times that have none in their table. */
extern const struct option command_zone;

bool command_has_times(const struct command *command);
/* One option after another, command_zone included; NULL: there are no more. */
const struct option *command_option_at(const struct command *command, size_t index);
/* By its name without dashes, or by its letter; NULL: there is none. */
const struct option *command_option_find(const struct command *command,
                                         struct span name);
const struct option *command_letter_find(const struct command *command, char letter);

/* The command that argv[1..] names by most words, so many are *ret_used; NULL: none. */
const struct command *command_find(const struct command *const *commands, size_t count,
                                   int argc, char *const *argv, int *ret_used);
/* The first word of its name. */
struct span command_noun(const struct command *command);

#endif
