/* SPDX-License-Identifier: Apache-2.0 */
/* export_plan - what the options and operands of an export mean. */
#ifndef MIGRATE_EXPORT_PLAN_H
#define MIGRATE_EXPORT_PLAN_H

#include "migrate/directory_export.h"
#include "migrate/sample_text.h"
#include "migrate/time_window.h"

/* As they were typed; NULL: not given. */
struct export_text {
    const char *format, *metric, *component, *times, *out;
    struct time_window_text window;
    bool is_server; /* through a running barod */
};

struct export_plan {
    const char *dir; /* NULL: through the server */
    bool is_cc;
    struct export_selection selection;
};

/* The texts outlive both.  Errors: -EINVAL with a line. */
int export_plan_make(const struct export_text *in, char *const *operands,
                     int operand_count, struct export_plan *plan,
                     struct sample_text *text, struct err *err);

#endif
