/* SPDX-License-Identifier: Apache-2.0 */
/* screen - the terminal that a program prints to: its size, and pictures on it. */
#include "base/terminal/screen.h"

#include "base/span.h"

#include "base/terminal/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

static void on_end(int signal)
{
    (void)signal;
    is_over = 1;
}

static void on_resize(int signal)
{
    (void)signal; /* it ends the sleep, that is all */
}

static void signals_take_over(void)
{
    struct sigaction end = { .sa_handler = on_end };
    struct sigaction resize = { .sa_handler = on_resize };
    (void)sigaction(SIGINT, &end, NULL);
    (void)sigaction(SIGTERM, &end, NULL);
    (void)sigaction(SIGHUP, &end, NULL);
    (void)sigaction(SIGWINCH, &resize, NULL);
}

void screen_init(struct screen *screen, FILE *out, int fd)
{
    (void)setlocale(LC_CTYPE, "");
    *screen = (struct screen){ .out = out,
                               .fd = fd,
                               .is_terminal = fd >= 0 && isatty(fd),
                               .has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 };
    screen_measure(screen);
}

void screen_measure(struct screen *screen)
{
    struct winsize size = { 0 };
    if (!screen->is_terminal || ioctl(screen->fd, TIOCGWINSZ, &size) < 0)
        return;
    screen->width = size.ws_col;
    screen->height = size.ws_row;
}

void screen_start(struct screen *screen)
{
    signals_take_over();
    screen_measure(screen);
    if (!screen->is_terminal)
        return;
    (void)fputs(terminal_order(TERMINAL_ALTERNATE), screen->out);
    (void)fflush(screen->out);
}

void screen_stop(struct screen *screen)
{
    if (!screen->is_terminal)
        return;
    (void)fputs(terminal_order(TERMINAL_NORMAL), screen->out);
    (void)fflush(screen->out);
}

int screen_draw(const struct screen *screen, const struct strbuf *text)
{
    struct span rest = strbuf_span(text), line;
    if (!screen->is_terminal) {
        (void)fwrite(rest.data, 1, rest.size, screen->out);
        (void)fputc('\n', screen->out);
        return fflush(screen->out) ? -EIO : 0;
    }
    (void)fputs(terminal_order(TERMINAL_HOME), screen->out);
    for (unsigned row = 1; rest.size && row < screen->height; row++) {
        (void)span_cut(&rest, '\n', &line);
        (void)fwrite(line.data, 1, line.size, screen->out);
        (void)fprintf(screen->out, "%s\n", terminal_order(TERMINAL_CLEAR_LINE));
    }
    (void)fputs(terminal_order(TERMINAL_CLEAR_REST), screen->out);
    return fflush(screen->out) ? -EIO : 0;
}

bool screen_wait(int64_t wait_ms)
{
    struct timespec left = { .tv_sec = wait_ms / 1000,
                             .tv_nsec = wait_ms % 1000 * 1000000 };
    if (!is_over)
        (void)nanosleep(&left, NULL);
    return !is_over;
}
