/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of a program or subcommand: parsing, help, dispatch. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/command.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stddef.h>

/* Fill args (zeroed by the caller, defaults set) from argv[1..].  Operands are gathered
 * to the front of argv[1..]; their number is returned.  The lists belong to the
 * process.  A word like "-2h" is an operand: no option is called by a digit.
 * Errors: -EINVAL with a line that names the option and the remedy. */
int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct err *err);

/* The whole help text of one command. */
void options_help(const char *program, const struct command *command,
                  struct strbuf *out);

struct config_section;
/* --print-config: the tables as a commented sample, on standard output.  An exit
 * status.
 */
int options_print_config(const struct config_section *sections, size_t count);

/* main() of a program made of subcommands: finds the command by its words, handles
 * --help, --version and --dump-options, runs it.  Returns the exit status. */
int options_dispatch(const char *program, const char *summary,
                     const struct command *const *commands, size_t count, int argc,
                     char **argv);
/* The same for a program that is one command. */
int options_main(const struct command *command, int argc, char **argv);

#endif
