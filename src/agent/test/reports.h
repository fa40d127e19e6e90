/* SPDX-License-Identifier: Apache-2.0 */
/* reports - what an agent reports, as text. */
#ifndef AGENT_TEST_REPORTS_H
#define AGENT_TEST_REPORTS_H

#include "agent/report.h"
#include "base/cleanup.h"

#include <stdio.h>
#include <string.h>

struct agent_reports {
    pthread_mutex_t lock;
    char text[4096]; /* "LEVEL text" lines */
};

static inline void agent_reports_add(void *arg, enum log_level level,
                                     enum agent_event event, const char *text)
{
    struct agent_reports *reports = arg;
    (void)event;
    LOCKED(&reports->lock);
    size_t size = strlen(reports->text);
    if (level < LOG_LEVEL_DEBUG)
        (void)snprintf(reports->text + size, sizeof reports->text - size, "%d %s\n",
                       (int)level, text);
}

#endif
