/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_report - what a directory of plugins has for the operator's log. */
#ifndef PLUGIN_DIRECTORY_PLUGIN_REPORT_H
#define PLUGIN_DIRECTORY_PLUGIN_REPORT_H

#include "base/log.h"

#include <stdbool.h>

struct plugin_report {
    /* is_once: it comes once for its cause, and no limit of lines may drop it. */
    void (*fn)(void *arg, enum log_level level, bool is_once, const char *text);
    void *arg;
};

void plugin_report(const struct plugin_report *report, enum log_level level,
                   bool is_once, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
