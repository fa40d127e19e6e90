/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary_form - summaries of jobs in the forms that are printed. */
#include "report/job_summary_form.h"

#include <string.h>

int job_summary_form_parse(const char *name, enum job_summary_form *ret)
{
    static const char *const names[] = { "csv", "json", "table", "xlsx", "none" };
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    return -EINVAL;
}

void job_summary_print(enum job_summary_form form, const struct job_context *context,
                       struct strbuf *out)
{
    if (form == JOB_SUMMARY_JSON || form == JOB_SUMMARY_XLSX)
        job_context_print_json(context, out);
    else if (form == JOB_SUMMARY_CSV)
        job_context_print_csv(context, out);
    else if (form == JOB_SUMMARY_TABLE)
        job_context_print_lines(context, out);
}

void job_summary_print_before(enum job_summary_form form, size_t index,
                              struct strbuf *out)
{
    if (form == JOB_SUMMARY_CSV && index == 0)
        summary_print_csv_header(out);
    else if (form == JOB_SUMMARY_JSON)
        strbuf_adds(out, index == 0 ? "[\n" : ",\n");
}

void job_summary_print_end(enum job_summary_form form, size_t count, struct strbuf *out)
{
    if (form == JOB_SUMMARY_JSON)
        strbuf_adds(out, count == 0 ? "[]\n" : "\n]\n");
}
