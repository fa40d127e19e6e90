/* SPDX-License-Identifier: Apache-2.0 */
/* report - events of an agent that its operator should know of. */
#include "agent/report.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_BYTES_MAX 1024

void agent_report(const struct agent_report *report, enum log_level level,
                  enum agent_event event, const char *format, ...)
{
    char text[TEXT_BYTES_MAX];
    if (!report->fn)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report->fn(report->arg, level, event, text);
}
