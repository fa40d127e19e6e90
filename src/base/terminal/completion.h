/* SPDX-License-Identifier: Apache-2.0 */
/* completion - what may come next on a command line that is being typed.
 *
 *     baro --complete metric query cpu_        the words so far, the last one
 * unfinished cpu_load                             a line for each word it may become
 *         --statistics<TAB>Count, average...   behind a tab what it is
 *         :files                               and files; or ":directories"
 *
 * The files of the shells (etc/baro.*-completion) offer these lines.
 * A word is completed to its end: "--output=j" becomes "--output=json", "fs,ta" becomes
 * "fs,target".
 *
 * Words that come from outside are typed by the shell for its user, so that only those
 * pass in which no shell sees anything but letters.
 */
#ifndef BASE_TERMINAL_COMPLETION_H
#define BASE_TERMINAL_COMPLETION_H

#include "base/command.h"
#include "base/strbuf.h"

struct completion;

/* Add the words that a value may be.  option is what it belongs to, NULL for an
 * operand; kind is what the table calls it: "METRIC". */
typedef void completion_values_fn(struct completion *completion,
                                  const struct option *option, struct span kind);

struct completion {
    const char *program;
    /* Its subcommands; or the one command of that name that it is. */
    const struct command *const *commands;
    size_t command_count;
    completion_values_fn *values; /* NULL: none but those of the tables */

    /* ---- set by completion_make() ---- */
    const struct command *command; /* that the line has; NULL: none yet */
    char *const *argv;             /* behind the command's name, but for the last */
    size_t count;
    const char *typed; /* the last word */
    size_t before;     /* so many bytes of it stay: "--output=", "fs," */
    bool wants_files, wants_directories;
    struct strbuf *out;
};

/* Whether argv is a shell's request, "PROGRAM --complete WORD...". */
bool completion_is_requested(int argc, char *const *argv);
/* Respond to it on standard output; returns the exit status. */
int completion_print(struct completion *completion, int argc, char *const *argv);
/* The same of a program that is one command, whose values are those of its table. */
int completion_print_command(const struct command *command, int argc,
                             char *const *argv);

/* Append the response.  argv[0] is the program, argv[argc - 1] the word that is typed.
 */
void completion_make(struct completion *completion, int argc, char *const *argv,
                     struct strbuf *out);

/* ---- for completion_values_fn ---- */

/* The part of the value that is typed already. */
const char *completion_typed(const struct completion *completion);
/* The value that option --name has on the line; NULL: none. */
const char *completion_given(const struct completion *completion, const char *name);
/* The operand at index; NULL: there are fewer. */
const char *completion_operand(const struct completion *completion, size_t index);
/* Add a word from outside, if it begins with what is typed. */
void completion_add(struct completion *completion, struct span word);

#endif
