/* SPDX-License-Identifier: Apache-2.0 */
/* export_plan - what the options and operands of an export mean. */
#include "migrate/export_plan.h"

#include "base/clock.h"
#include "base/span.h"

#include <errno.h>
#include <string.h>

static int name_choose(const char *option, const char *text, const char *const *names,
                       int *ret, struct err *err)
{
    for (*ret = 0; text && names[*ret]; (*ret)++) {
        if (strcmp(names[*ret], text) == 0)
            return 0;
    }
    if (!text)
        return 0;
    return err_set(err, EINVAL, "%s: invalid value '%s' (choose %s, %s, %s)", option,
                   text, names[0], names[1], names[2]);
}

static int source_check(const struct export_text *in, const struct export_plan *plan,
                        struct err *err)
{
    if ((plan->dir != NULL) == in->is_server)
        return err_set(err, EINVAL, "a DIRECTORY, or --server; see --help");
    if (plan->is_cc && (!in->out || !plan->dir))
        return err_set(err, EINVAL,
                       "--format cc: out of a DIRECTORY, into that of --out; barod may "
                       "have the first open");
    if (!plan->is_cc && in->out)
        return err_set(err, EINVAL, "--out: is for --format cc; else use >FILE");
    return 0;
}

int export_plan_make(const struct export_text *in, char *const *operands,
                     int operand_count, struct export_plan *plan,
                     struct sample_text *text, struct err *err)
{
    static const char *const forms[] = { "line", "csv", "cc", NULL };
    static const char *const times[] = { "auto", "s", "ns", NULL };
    int form = 0, unit = 0;
    int rc = name_choose("--format", in->format, forms, &form, err);
    if (rc == 0)
        rc = name_choose("--times", in->times, times, &unit, err);
    plan->selection.window = time_window_all();
    if (rc == 0)
        rc = time_window_parse(&in->window, clock_now_ns(), &plan->selection.window,
                               err);
    plan->dir = operand_count == 1 ? operands[0] : NULL;
    plan->is_cc = form == 2;
    if (rc == 0)
        rc = source_check(in, plan, err);
    plan->selection.metric = in->metric ? in->metric : "*";
    plan->selection.component = in->component ? in->component : "";
    text->form = form == 1 ? SAMPLE_TEXT_CSV : SAMPLE_TEXT_LINE;
    text->times = (enum sample_text_times)unit;
    return rc;
}
