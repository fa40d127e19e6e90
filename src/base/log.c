/* SPDX-License-Identifier: Apache-2.0 */
/* log - lines for the operator. */
#include "base/log.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/timetext.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
    const char *name;
    int priority; /* syslog's */
} levels[] = {
    [LOG_LEVEL_ERROR] = { "error", 3 },   [LOG_LEVEL_WARN] = { "warn", 4 },
    [LOG_LEVEL_NOTICE] = { "notice", 5 }, [LOG_LEVEL_INFO] = { "info", 6 },
    [LOG_LEVEL_DEBUG] = { "debug", 7 },
};

static const char *log_program = "baro";
static bool log_to_journal;
static atomic_int log_level = LOG_LEVEL_INFO;

void log_start(const char *program)
{
    log_program = program;
    log_to_journal = getenv("JOURNAL_STREAM") != NULL;
}

void log_set_level(enum log_level level)
{
    atomic_store(&log_level, (int)level);
}

int log_level_parse(const char *name, enum log_level *ret)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(name, levels[i].name) == 0) {
            *ret = (enum log_level)i;
            return 0;
        }
    return -EINVAL;
}

void log_line(enum log_level level, const char *fmt, ...)
{
    if ((int)level > atomic_load(&log_level))
        return;
    int saved = errno;
    char line[2048];
    int n;
    if (log_to_journal) {
        n = snprintf(line, sizeof line, "<%d>", levels[level].priority);
    } else {
        char now[TIMETEXT_SIZE];
        (void)timetext_print_ms(now, clock_now_ms());
        n = snprintf(line, sizeof line, "%s %s %s: ", now, log_program,
                     levels[level].name);
    }
    va_list ap;
    va_start(ap, fmt);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
    va_end(ap);
    size_t size = (size_t)n + (m < 0 ? 0 : (size_t)m);
    if (size > sizeof line - 2)
        size = sizeof line - 2;
    /* A name from outside must not begin a line of its own, nor steer a terminal. */
    for (size_t i = (size_t)n; i < size;) {
        size_t shown = utf8_shown_size((struct span){ line + i, size - i });
        if (shown == 0)
            line[i] = '?';
        i += shown ? shown : 1;
    }
    line[size++] = '\n';
    if (write(STDERR_FILENO, line, size) < 0) {
        /* There is no other place to report it. */
    }
    errno = saved;
}

struct log_limit *log_limits_shared(size_t count)
{
    struct log_limit *limits =
        mmap(NULL, count * sizeof *limits, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (limits == MAP_FAILED)
        return NULL;
    for (size_t i = 0; i < count; i++)
        limits[i] = (struct log_limit)LOG_LIMIT_INIT;
    return limits;
}

bool log_limit_pass(struct log_limit *limit, uint64_t *ret_held_back)
{
    int64_t now_ns = clock_monotonic_ns();
    int64_t start_ns = atomic_load(&limit->window_start_ns);
    bool is_over =
        start_ns == 0 || now_ns - start_ns > (int64_t)limit->window_s * NS_PER_S;
    /* Of those that find it over, one begins the next. */
    if (is_over &&
        atomic_compare_exchange_strong(&limit->window_start_ns, &start_ns, now_ns))
        atomic_store(&limit->in_window, 0);
    if (atomic_fetch_add(&limit->in_window, 1) >= limit->burst) {
        atomic_fetch_add(&limit->held_back, 1);
        return false;
    }
    *ret_held_back = atomic_exchange(&limit->held_back, 0);
    return true;
}
