/* SPDX-License-Identifier: Apache-2.0 */
/* without_xlsx - what a build without libxlsxwriter says. */
#include "report/job_sheet.h"

int job_sheet_new(const char *path, struct job_sheet **ret, struct err *err)
{
    (void)ret;
    return err_set(err, ENOSYS, "%s: this program was built without libxlsxwriter",
                   path);
}

void job_sheet_free(struct job_sheet *sheet)
{
    (void)sheet;
}

int job_sheet_header(struct job_sheet *sheet, struct err *err)
{
    (void)sheet;
    return err_set(err, ENOSYS, "built without libxlsxwriter");
}

int job_sheet_add(struct job_sheet *sheet, const struct job_row *row, struct err *err)
{
    (void)sheet;
    (void)row;
    return err_set(err, ENOSYS, "built without libxlsxwriter");
}

int job_sheet_add_json(struct job_sheet *sheet, struct span object, struct err *err)
{
    (void)sheet;
    (void)object;
    return err_set(err, ENOSYS, "built without libxlsxwriter");
}

int job_sheet_finish(struct job_sheet *sheet, size_t *ret_cut, struct err *err)
{
    (void)sheet;
    (void)ret_cut;
    return err_set(err, ENOSYS, "built without libxlsxwriter");
}
