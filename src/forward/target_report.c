/* SPDX-License-Identifier: Apache-2.0 */
/* target_report - what a target tells of itself, with its name before it. */
#include "forward/target_private.h"

#include <stdarg.h>
#include <stdio.h>

void target_report(struct forward_target *target, enum forward_notice notice,
                   const char *fmt, ...)
{
    char text[512];
    int size = snprintf(text, sizeof text, "%s: ", target->name);
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text + size, sizeof text - (size_t)size, fmt, ap);
    va_end(ap);
    target->source.report(target->source.arg, notice, text);
}
