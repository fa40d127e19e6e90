/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_report - what a directory of plugins has for the operator's log. */
#include "plugin/directory/plugin_report.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_MAX 1024 /* longer ones are cut */

void plugin_report(const struct plugin_report *report, enum log_level level,
                   bool is_once, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    report->fn(report->arg, level, is_once, text);
}
