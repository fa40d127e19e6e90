/* SPDX-License-Identifier: Apache-2.0 */
/* screen - a table that is drawn again and again, until Ctrl-C.
 *
 * Only on a terminal; elsewhere each picture follows the one before.  The terminal is
 * left as it was found, whatever ends the program.
 */
#ifndef CMD_SCREEN_H
#define CMD_SCREEN_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct screen {
    bool is_terminal;
    unsigned width, height; /* 0: not a terminal */
};

/* Take over SIGINT, SIGTERM and SIGWINCH. */
void screen_start(struct screen *screen);
void screen_stop(struct screen *screen);
/* Look how large it is now. */
void screen_measure(struct screen *screen);
/* Draw text in place of what stood there, cut to the height.  Errors: -EIO. */
int screen_draw(const struct screen *screen, const struct strbuf *text);
/* Sleep; true: go on (the time passed, or the terminal changed its size). */
bool screen_wait(int64_t wait_ms);

#endif
