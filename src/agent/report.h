/* SPDX-License-Identifier: Apache-2.0 */
/* report - events of an agent that its operator should know of.
 *
 * The room does not log: each event goes to the program's callback with its level, and
 * with its kind, so that the program can limit kinds that may come a thousand times.
 * Threads  the callback is called on the loop's thread, the sender's and that of the
 * ring of totals and the session's, at the same time.
 */
#ifndef AGENT_REPORT_H
#define AGENT_REPORT_H

#include "base/log.h"

enum agent_event {
    AGENT_EVENT_ONCE, /* of a kind that cannot come often */
    AGENT_EVENT_LINE_BAD,
    AGENT_EVENT_LIST_FAILED,
    AGENT_EVENT_READ_FAILED,
    AGENT_EVENT_READ_NOT_STORED,
    AGENT_EVENT_READ_HANGS,
    AGENT_EVENT_SERVER_AWAY,
    AGENT_EVENT_BATCH_REFUSED,
    AGENT_EVENT_TOTALS_FAILED,
    AGENT_EVENT_TOTALS_REFUSED,
    AGENT_EVENT_READINGS_REFUSED,
    AGENT_EVENT_TOKEN_UNREADABLE,
    AGENT_EVENT_SESSION,
    AGENT_EVENT_METRICS_REFUSED,
    AGENT_EVENT_METRICS_LOST,
    AGENT_EVENT_PLUGIN,
    AGENT_EVENT_HEALTH_REFUSED,
    AGENT_EVENT_HEALTH_LOST,
    AGENT_EVENT_KERNEL,
    AGENT_EVENT_SESSIONS_REFUSED,
    AGENT_EVENT_SESSIONS_LOST,
    AGENT_EVENT_FILES_REFUSED,
    AGENT_EVENT_FILES_LOST,
    AGENT_EVENT_GPU,
    AGENT_EVENT_COUNT,
};

/* text is one line, valid during the call. */
typedef void agent_report_fn(void *arg, enum log_level level, enum agent_event event,
                             const char *text);

struct agent_report {
    agent_report_fn *fn; /* NULL: nothing is reported */
    void *arg;
};

/* A text that is too long is cut. */
void agent_report(const struct agent_report *report, enum log_level level,
                  enum agent_event event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
