/* SPDX-License-Identifier: Apache-2.0 */
/* warning - what a command reports on standard error and goes on. */
#include "cmd/warning.h"

#include <stdio.h>

void warning_print(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "baro: %s\n", text);
}

void warning_print_line(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "%s\n", text);
}
