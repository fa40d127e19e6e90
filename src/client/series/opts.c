/* SPDX-License-Identifier: Apache-2.0 */
/* opts - how series are opened. */
#include "client/series/opts.h"

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

void series_log(const struct series_opts *opts, const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    va_list args;
    if (!opts || !opts->log)
        return;
    va_start(args, format);
    int size = vasprintf(&text, format, args);
    va_end(args);
    if (size < 0)
        text = NULL;
    else
        opts->log(opts->log_arg, text);
}
