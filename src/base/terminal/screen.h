/* SPDX-License-Identifier: Apache-2.0 */
/* screen - the terminal that a program prints to: its size, and pictures drawn again
 * and again on it, until Ctrl-C.
 *
 * Where there is no terminal each picture follows the one before.  The terminal is left
 * as it was found, whatever ends the program.
 *
 * Threads  the main one: screen_start() takes over signals of the whole process.
 */
#ifndef BASE_TERMINAL_SCREEN_H
#define BASE_TERMINAL_SCREEN_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct screen {
    FILE *out;
    int fd; /* behind out, whatever filters it (base/terminal.h) */
    bool is_terminal;
    bool has_utf8;          /* the locale's characters are UTF-8 */
    unsigned width, height; /* in characters; 0: not a terminal */
};

/* What out is printed to: fd, which -1 says is no descriptor. */
void screen_init(struct screen *screen, FILE *out, int fd);
/* Read the size again: it may have been changed. */
void screen_measure(struct screen *screen);

/* Take over SIGINT, SIGTERM, SIGHUP and SIGWINCH, and the terminal. */
void screen_start(struct screen *screen);
void screen_stop(struct screen *screen);
/* Draw text in place of what stood there, lines cut to the width; the last row states
 * how many lines more there are than the height lets through.  Errors: -EIO. */
int screen_draw(const struct screen *screen, const struct strbuf *text);
/* Sleep; true: go on (the time passed, or the terminal changed its size). */
bool screen_wait(int64_t wait_ms);

#endif
