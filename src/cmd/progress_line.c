/* SPDX-License-Identifier: Apache-2.0 */
/* progress_line - how far a command is: a line on standard error, where that is a
 * terminal. */
#include "cmd/progress_line.h"

#include "base/clock.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

void progress_line_begin(struct progress_line *line, const char *unit)
{
    progress_line_end(line);
    progress_begin(&line->progress, unit, clock_monotonic_ns());
}

void progress_line_print(struct progress_line *line, size_t done, size_t count)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (line->is_off || !isatty(STDERR_FILENO))
        return;
    progress_print(&line->progress, done, count, clock_monotonic_ns(), &text);
    if (text.size == 0)
        return;
    (void)fputs(strbuf_text(&text), stderr);
    line->is_open = done != count;
}

void progress_line_end(struct progress_line *line)
{
    if (line->is_open)
        (void)fputc('\n', stderr);
    line->is_open = false;
}

static void *clock_run(void *arg)
{
    struct progress_clock *clock = arg;
    struct pollfd stop = { .fd = clock->stop_fd, .events = POLLIN };
    do {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        progress_print_estimate(&clock->line.progress, clock->expected_s,
                                clock_monotonic_ns(), &text);
        (void)fputs(strbuf_text(&text), stderr);
        clock->line.is_open = true;
    } while (poll(&stop, 1, 1000) <= 0);
    return NULL;
}

void progress_clock_start(struct progress_clock *clock, const char *what,
                          int64_t expected_s)
{
    *clock = (struct progress_clock){ .expected_s = expected_s, .stop_fd = -1 };
    progress_line_begin(&clock->line, what);
    if (!isatty(STDERR_FILENO))
        return;
    clock->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (clock->stop_fd < 0)
        return;
    clock->is_running = pthread_create(&clock->thread, NULL, clock_run, clock) == 0;
}

void progress_clock_stop(struct progress_clock *clock)
{
    if (clock->is_running) {
        (void)eventfd_write(clock->stop_fd, 1);
        (void)pthread_join(clock->thread, NULL);
        progress_line_end(&clock->line);
    }
    if (clock->stop_fd >= 0)
        (void)close(clock->stop_fd);
    *clock = (struct progress_clock){ .stop_fd = -1 };
}
