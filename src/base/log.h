/* SPDX-License-Identifier: Apache-2.0 */
/* log - lines for the operator, from programs; libraries return errors instead.
 *
 * To stderr: under systemd with a "<N>" priority in front, else with time and level.
 * Threads  any.  One line is one write(2).
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
    LOG_LEVEL_ERROR,
    LOG_LEVEL_WARN,
    LOG_LEVEL_NOTICE,
    LOG_LEVEL_INFO,
    LOG_LEVEL_DEBUG,
};

void log_start(const char *program);
void log_set_level(enum log_level level);
/* "error", "warn", "notice", "info", "debug".  Errors: -EINVAL. */
int log_level_parse(const char *name, enum log_level *ret);

void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_notice(...) log_line(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* For what can happen a thousand times a second: at most burst lines in window_s; the
 * next line that passes says how many were held back.  One limit serves any number of
 * threads. */
struct log_limit {
    unsigned burst;
    unsigned window_s;
    _Atomic int64_t window_start_ns;
    _Atomic unsigned in_window;
    _Atomic uint64_t held_back;
};

#define LOG_LIMIT_INIT              \
    {                               \
        .burst = 5, .window_s = 60, \
    }

/* Limits that processes share which are forked later: else each has a burst of its own.
 * Without a lock, which a process with fewer rights could hold.  As long as the
 * process. NULL: there is no memory. */
struct log_limit *log_limits_shared(size_t count);

/* May a line be written now?  Where it may, *ret_held_back is how many were not since
 * the last. */
bool log_limit_pass(struct log_limit *limit, uint64_t *ret_held_back);

#define log_limited(limit, level, fmt, ...)                                     \
    do {                                                                        \
        uint64_t held_ = 0;                                                     \
        if (log_limit_pass((limit), &held_)) {                                  \
            if (held_)                                                          \
                log_line((level), fmt " (%llu more like this were not logged)", \
                         __VA_ARGS__, (unsigned long long)held_);               \
            else                                                                \
                log_line((level), fmt, __VA_ARGS__);                            \
        }                                                                       \
    } while (0)

#endif
