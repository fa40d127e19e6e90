/* SPDX-License-Identifier: Apache-2.0 */
/* terminal - the last place before the terminal: standard output and error as people
 * may read them.
 *
 *     fprintf(stderr, "%s: not found", a name from outside)
 *          │
 *          ▼   valid characters, newline and tab pass; every other byte (control
 *       filter   characters, DEL, C1, what turns the direction of writing or has no
 * width, │     what is not UTF-8) becomes \xHH ▼ descriptor 2
 *
 * Standard error always goes through it.  So does standard output, unless a command
 * says that it is data for a program (terminal_data) and it is no terminal: such bytes
 * are exact.  Bold and clear are marked by random bytes that no input can contain,
 * and the filter replaces the marks; no other file has an escape sequence.
 *
 * Threads  terminal_start() before there are others; then any, as stdio allows.
 */
#ifndef BASE_TERMINAL_TERMINAL_H
#define BASE_TERMINAL_TERMINAL_H

#include "base/span_type.h"

enum terminal_order {
    TERMINAL_BOLD,
    TERMINAL_PLAIN,
    TERMINAL_ALTERNATE, /* the other screen, no cursor */
    TERMINAL_NORMAL,    /* back from there */
    TERMINAL_HOME,
    TERMINAL_CLEAR_LINE, /* to its end */
    TERMINAL_CLEAR_REST, /* of the screen */
    TERMINAL_LINE_START, /* of this line: it is written over */
    TERMINAL_ORDERS,
};

/* The first thing that main() does: stdout and stderr are replaced.  Where that fails
 * the program does not go on; why was printed.  Errors: -ENOMEM, what getrandom says.
 */
int terminal_start(const char *program);

/* What the command prints is data: exact, but for a terminal.  Before its first byte.
 */
void terminal_data(void);

/* The order as it is to be printed to stdout or stderr, alone or within text. */
const char *terminal_order(enum terminal_order order);
/* Bytes of the order that text begins with, which fill no column; 0: it begins with
 * none.
 */
size_t terminal_order_size(struct span text);

#endif
