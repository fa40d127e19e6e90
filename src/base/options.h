/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of a program or subcommand, described by a table.
 *
 * From one table come parsing, --help, the shell completion and the test that holds it
 * against the man page.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_COUNT,    /* uint64_t */
    OPTION_LIMIT,    /* uint64_t, at least 1: 0 in the field is "not given" */
    OPTION_DURATION, /* int64_t ns */
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
    size_t offset;       /* of the field in the command's arguments */
    const char *operand; /* "FORMAT"; NULL for a flag */
    const char *help;    /* one sentence */
};

struct command {
    const char *name;     /* "jobstats top"; for a program alone its name */
    const char *operands; /* "[FILE|-]"; "" when there are none */
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
    bool has_time_operands; /* its operands are times: it has --zone as with OPTION_TIME
                             */
};

/* Fill args (zeroed by the caller, defaults set) from argv[1..].  Operands are gathered
 * to the front of argv[1..]; their number is returned.  The lists belong to the
 * process.  A word like "-2h" is an operand: no option is called by a digit.
 * Errors: -EINVAL with a line that names the option and the remedy. */
int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct err *err);

/* The whole help text of one command. */
void options_help(const char *program, const struct command *command,
                  struct strbuf *out);

/* main() of a program made of subcommands: finds the command by its words, handles
 * --help, --version and --dump-options, runs it.  Returns the exit status. */
int options_dispatch(const char *program, const char *summary,
                     const struct command *const *commands, size_t count, int argc,
                     char **argv);
/* The same for a program that is one command. */
int options_main(const struct command *command, int argc, char **argv);

#endif
