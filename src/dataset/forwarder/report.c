/* SPDX-License-Identifier: Apache-2.0 */
/* report - lines for the operator. */
#include "dataset/forwarder/report.h"

#include <stdarg.h>
#include <stdio.h>

void forwarder_report(const struct forwarder_report *report, enum log_level level,
                      enum forwarder_event event, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    if (!report->line)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    report->line(report->arg, level, event, text);
}
