/* SPDX-License-Identifier: Apache-2.0 */
/* param_print - a few of Lustre's parameters from their files, as lctl get_param prints
 * them, and nothing else.
 *
 * They are listed here; no name becomes a path of the caller's choosing.
 */
#ifndef SOURCE_LUSTRE_PARAM_PRINT_H
#define SOURCE_LUSTRE_PARAM_PRINT_H

#include "base/err.h"

#include <stdbool.h>

struct param_print {
    const char *root;
    bool values_only; /* -n */
    bool names_only;  /* -N */
    int fd;           /* where to */
    /* One line of what went wrong, as lctl words it. */
    void (*failed)(void *arg, const char *text);
    void *arg;
};

/* "obdfilter.NAME.job_stats", NAME a target or "*".
 * Errors: -EINVAL (not one that is read here), -ENOENT (there is none), of reading. */
int param_print(const struct param_print *print, const char *parameter);
/* The stats, brw_stats, space ... of every target; accounts: what each user, group and
 * project holds.  A file that cannot be read is reported, and costs that file. */
int param_print_totals(const struct param_print *print, bool is_accounts);

#endif
