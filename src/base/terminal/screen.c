/* SPDX-License-Identifier: Apache-2.0 */
/* screen - the terminal that a program prints to: its size, and pictures on it. */
#include "base/terminal/screen.h"

#include "base/span.h"
#include "base/terminal/terminal.h"
#include "base/utf8.h"

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

static size_t lines_left(struct span text)
{
    size_t count = 0;
    struct span line;
    for (; text.size; count++)
        (void)span_cut(&text, '\n', &line);
    return count;
}

/* The bytes of a line that fit: a terminal would go on in the next row, and each row of
 * the picture would stand one lower. */
static size_t fitting_size(struct span line, unsigned width)
{
    struct span rest = line;
    for (unsigned used = 0; rest.size;) {
        size_t size = terminal_order_size(rest);
        if (!size) {
            if (used++ == width)
                break;
            size = utf8_size(rest);
        }
        rest = span_skip(rest, size ? size : 1);
    }
    return line.size - rest.size;
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
        size_t left = lines_left(rest);
        if (left > 1 && row + 1 == screen->height) {
            (void)fprintf(screen->out, "# %zu more lines%s\n", left,
                          terminal_order(TERMINAL_CLEAR_LINE));
            break;
        }
        (void)span_cut(&rest, '\n', &line);
        size_t size = fitting_size(line, screen->width);
        (void)fwrite(line.data, 1, size, screen->out);
        (void)fprintf(screen->out, "%s%s\n",
                      size < line.size ? terminal_order(TERMINAL_PLAIN) : "",
                      terminal_order(TERMINAL_CLEAR_LINE));
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
