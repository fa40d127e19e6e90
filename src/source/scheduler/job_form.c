/* SPDX-License-Identifier: Apache-2.0 */
/* job_form - the forms that lists of jobs come in, and what the reader of each is
 * given.
 */
#include "source/scheduler/job_form.h"

#include "base/span.h"

static const char *const form_names[JOB_FORM_COUNT] = {
    [JOB_FORM_ANY] = "auto",  [JOB_FORM_SACCT] = "sacct",
    [JOB_FORM_CSV] = "csv",   [JOB_FORM_PBS_LOG] = "pbs-log",
    [JOB_FORM_JSON] = "json", [JOB_FORM_JSON_LINES] = "json-lines",
};

int job_form_parse(struct span name, enum job_form *ret)
{
    for (unsigned i = 0; i < JOB_FORM_COUNT; i++)
        if (span_is(name, form_names[i])) {
            *ret = i;
            return 0;
        }
    return -EINVAL;
}

const char *job_form_name(enum job_form form)
{
    return form_names[form];
}

void job_text_fault(const struct job_text_opts *opts, struct job_list *list,
                    uint64_t line, struct span text, const char *reason)
{
    list->fault_count++;
    if (opts->on_fault)
        opts->on_fault(opts->arg, line, text, reason);
}
