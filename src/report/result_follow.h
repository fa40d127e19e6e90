/* SPDX-License-Identifier: Apache-2.0 */
/* result_follow - a table that is fetched and drawn again and again, until Ctrl-C. */
#ifndef REPORT_RESULT_FOLLOW_H
#define REPORT_RESULT_FOLLOW_H

#include "report/result_print.h"

struct result_follow {
    int (*fetch_fn)(void *arg, struct table *ret, struct err *err);
    void *arg;
    int64_t interval_ns;
};

/* One that cannot be fetched later stands there with its reason.  Errors: those of the
 * first time. */
int result_follow(const struct result_follow *follow, const struct result_form *form,
                  struct err *err);

#endif
