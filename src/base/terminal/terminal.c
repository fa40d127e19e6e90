/* SPDX-License-Identifier: Apache-2.0 */
/* terminal - the last place before the terminal. */
#include "base/terminal/terminal.h"

#include "base/file.h"
#include "base/span.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* A mark: a byte that stands in no text of UTF-8, a secret of this process, an order.
 */
#define MARK_FIRST '\xff'
#define SECRET_BYTES 16
#define MARK_BYTES (1 + SECRET_BYTES + 1)
#define OUT_BYTES 4096

static const char *const sequences[TERMINAL_ORDERS] = {
    [TERMINAL_BOLD] = "\033[1m",
    [TERMINAL_PLAIN] = "\033[0m",
    [TERMINAL_ALTERNATE] = "\033[?1049h\033[?25l",
    [TERMINAL_NORMAL] = "\033[?25h\033[?1049l",
    [TERMINAL_HOME] = "\033[H",
    [TERMINAL_CLEAR_LINE] = "\033[K",
    [TERMINAL_CLEAR_REST] = "\033[J",
    [TERMINAL_LINE_START] = "\r",
};

/* One stream; stdio's lock of the stream is held while the filter works. */
struct filter {
    int fd;
    size_t held; /* the beginning of a character or mark, whose rest is to come */
    char hold[MARK_BYTES];
    size_t used;
    char out[OUT_BYTES];
};

static struct filter filters[] = { { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };
static FILE *exact_stdout; /* as the program found it; NULL: not started */
static bool is_ended;      /* nothing more is held back */
static char marks[TERMINAL_ORDERS][MARK_BYTES + 1];

static int flush(struct filter *f)
{
    int rc = file_write_all(f->fd, f->out, f->used);
    f->used = 0;
    return rc;
}

static int put(struct filter *f, const char *bytes, size_t size)
{
    int rc = 0;
    if (size > sizeof f->out - f->used)
        rc = flush(f);
    if (rc == 0 && size > sizeof f->out)
        return file_write_all(f->fd, bytes, size);
    if (rc == 0) {
        memcpy(f->out + f->used, bytes, size);
        f->used += size;
    }
    return rc;
}

/* Bytes at the start that need no look: most of all texts. */
static size_t plain_size(struct span s)
{
    size_t i = 0;
    while (i < s.size && ((s.data[i] >= 0x20 && s.data[i] < 0x7f) ||
                          s.data[i] == '\n' || s.data[i] == '\t'))
        i++;
    return i;
}

/* Could more bytes make of s, which is no character, one or a mark? */
static bool is_beginning(struct span s)
{
    if (is_ended)
        return false;
    if (s.data[0] == MARK_FIRST)
        return s.size < MARK_BYTES && memcmp(s.data, marks[0], s.size) == 0;
    unsigned char lead = (unsigned char)s.data[0];
    size_t wanted = lead >= 0xf0 && lead < 0xf5   ? 4
                    : lead >= 0xe0 && lead < 0xf0 ? 3
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                                                  : 0;
    for (size_t i = 1; i < s.size && i < wanted; i++)
        if (((unsigned char)s.data[i] & 0xc0) != 0x80)
            return false;
    return s.size < wanted;
}

/* The order of the mark at the start, or -1. */
static int mark_order(struct span s)
{
    if (s.size < MARK_BYTES || memcmp(s.data, marks[0], MARK_BYTES - 1) != 0)
        return -1;
    int order = s.data[MARK_BYTES - 1] - 'a';
    return order >= 0 && order < TERMINAL_ORDERS ? order : -1;
}

/* The character, mark or byte at the start, which is not plain. */
static int put_odd(struct filter *f, struct span s, size_t *ret_size)
{
    int order = s.data[0] == MARK_FIRST ? mark_order(s) : -1;
    if (order >= 0) {
        *ret_size = MARK_BYTES;
        return put(f, sequences[order], strlen(sequences[order]));
    }
    size_t size = utf8_shown_size(s);
    if (size) {
        *ret_size = size;
        return put(f, s.data, size);
    }
    char text[sizeof "\\xHH"];
    *ret_size = 1;
    (void)utf8_print_shown(text, sizeof text, (struct span){ s.data, 1 });
    return put(f, text, strlen(text));
}

static int put_text(struct filter *f, struct span s)
{
    while (s.size) {
        size_t size = plain_size(s);
        int rc = 0;
        if (size) {
            rc = put(f, s.data, size);
        } else if (is_beginning(s)) {
            memcpy(f->hold, s.data, s.size);
            f->held = s.size;
            return 0;
        } else {
            rc = put_odd(f, s, &size);
        }
        if (rc < 0)
            return rc;
        s = span_skip(s, size);
    }
    return 0;
}

/* What was held and what came, until nothing is held or all has come. */
static int put_held(struct filter *f, struct span *s)
{
    while (f->held && s->size) {
        char text[MARK_BYTES];
        size_t held = f->held;
        memcpy(text, f->hold, held);
        text[held] = s->data[0];
        f->held = 0;
        *s = span_skip(*s, 1);
        int rc = put_text(f, (struct span){ text, held + 1 });
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* A cookie_write_function_t: all of it, or an error. */
static ssize_t filter_write(void *cookie, const char *data, size_t size)
{
    struct filter *f = cookie;
    struct span s = { data, size };
    int rc = put_held(f, &s);
    if (rc == 0)
        rc = put_text(f, s);
    int flushed = flush(f);
    rc = rc == 0 ? flushed : rc;
    if (rc == 0)
        return (ssize_t)size;
    errno = -rc;
    return 0;
}

static FILE *filter_open(struct filter *f, int mode)
{
    const cookie_io_functions_t functions = { .write = filter_write };
    FILE *stream = fopencookie(f, "w", functions);
    if (stream)
        (void)setvbuf(stream, NULL, mode, BUFSIZ);
    return stream;
}

/* What never became a character is shown as what it is. */
static void terminal_end(void)
{
    (void)fflush(stdout);
    (void)fflush(stderr);
    is_ended = true;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        struct filter *f = &filters[i];
        char text[MARK_BYTES];
        size_t held = f->held;
        memcpy(text, f->hold, held);
        f->held = 0;
        (void)put_text(f, (struct span){ text, held });
        (void)flush(f);
    }
}

static int marks_make(void)
{
    unsigned char secret[SECRET_BYTES];
    if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret)
        return -errno;
    for (int order = 0; order < TERMINAL_ORDERS; order++) {
        char *mark = marks[order];
        mark[0] = MARK_FIRST;
        for (size_t i = 0; i < SECRET_BYTES; i++)
            mark[1 + i] = (char)('a' + secret[i] % 26);
        mark[1 + SECRET_BYTES] = (char)('a' + order);
    }
    return 0;
}

static int streams_replace(void)
{
    int rc = marks_make();
    if (rc < 0)
        return rc;
    FILE *out = filter_open(&filters[0], isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    FILE *error = filter_open(&filters[1], _IONBF);
    if (!out || !error || atexit(terminal_end) != 0) {
        if (out)
            (void)fclose(out);
        if (error)
            (void)fclose(error);
        return -ENOMEM;
    }
    exact_stdout = stdout;
    stdout = out;
    stderr = error;
    return 0;
}

static bool is_pipe_closed(int fd)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
    return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLERR);
}

/* SIGPIPE: the reader of standard output has enough of it ("| head").  That is no
 * failure of the command.  Where it was another pipe or a socket, the write fails with
 * EPIPE. */
static void pipe_closed(int signal_number)
{
    int saved = errno;
    (void)signal_number;
    if (is_pipe_closed(STDOUT_FILENO))
        _exit(EXIT_SUCCESS);
    errno = saved;
}

int terminal_start(const char *program)
{
    const struct sigaction action = { .sa_handler = pipe_closed,
                                      .sa_flags = SA_RESTART };
    int rc = sigaction(SIGPIPE, &action, NULL) < 0 ? -errno : streams_replace();
    if (rc < 0)
        fprintf(stderr, "%s: standard streams: %s\n", program, strerror(-rc));
    return rc;
}

void terminal_data(void)
{
    if (!exact_stdout || isatty(STDOUT_FILENO))
        return;
    (void)fflush(stdout);
    stdout = exact_stdout;
}

const char *terminal_order(enum terminal_order order)
{
    return exact_stdout ? marks[order] : sequences[order];
}

size_t terminal_order_size(struct span text)
{
    for (int order = 0; order < TERMINAL_ORDERS; order++) {
        struct span start = span_of(terminal_order((enum terminal_order)order));
        if (text.size >= start.size && memcmp(text.data, start.data, start.size) == 0)
            return start.size;
    }
    return 0;
}
