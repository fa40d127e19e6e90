/* SPDX-License-Identifier: Apache-2.0 */
/* report - lines for the operator: the room does not log, its program does. */
#ifndef DATASET_FORWARDER_REPORT_H
#define DATASET_FORWARDER_REPORT_H

#include "base/log.h"

/* What can come often is limited by the program, each kind for itself. */
enum forwarder_event {
    FORWARDER_CHANGE, /* comes once a change */
    FORWARDER_CORRUPT,
    FORWARDER_FAILED_READ,
    FORWARDER_DISK,
    FORWARDER_CLIENT,
    _FORWARDER_EVENT_COUNT,
};

struct forwarder_report {
    void (*line)(void *arg, enum log_level level, enum forwarder_event event,
                 const char *text);
    void *arg;
};

void forwarder_report(const struct forwarder_report *report, enum log_level level,
                      enum forwarder_event event, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
