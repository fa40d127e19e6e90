/* SPDX-License-Identifier: Apache-2.0 */
/* bare_reader - reads files at the same instants as an agent, and does nothing with
 * them: what sampling costs at least.
 *
 *     bench_bare_reader PERIOD_MS FILE...
 *
 * Each file is opened once and read whole by pread at every multiple of the period. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 64

int main(int argc, char **argv)
{
    static char text[1 << 16];
    int fds[FILES_MAX];
    uint64_t period_ms = 0;
    if (argc < 3 || argc - 2 > FILES_MAX ||
        number_parse_u64(span_of(argv[1]), &period_ms) < 0 || period_ms == 0 ||
        period_ms > 86400000) {
        fprintf(stderr, "usage: bench_bare_reader PERIOD_MS FILE...\n");
        return 2;
    }
    int64_t period_ns = (int64_t)period_ms * NS_PER_MS;
    for (int i = 2; i < argc; i++) {
        fds[i - 2] = open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fds[i - 2] < 0) {
            perror(argv[i]);
            return 1;
        }
    }
    for (;;) {
        int64_t now_ns = clock_now_ns();
        int64_t due_ns = now_ns - now_ns % period_ns + period_ns;
        const struct timespec due = { .tv_sec = due_ns / NS_PER_S,
                                      .tv_nsec = due_ns % NS_PER_S };
        (void)clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &due, NULL);
        for (int i = 0; i < argc - 2; i++) {
            off_t at = 0;
            ssize_t size;
            while ((size = pread(fds[i], text, sizeof text, at)) > 0)
                at += size;
        }
    }
}
