/* SPDX-License-Identifier: Apache-2.0 */
/* rules_file - the findings and applications of a site out of a file. */
#include "client/page/rules_file.h"

#include "daemon/config/config.h"

int rules_file_load(const char *path, struct rules_file *ret, struct err *err)
{
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    int rc = path ? config_load(path, sections, count, &ret->config, err) : 0;
    return rc == 0 && path ? site_rules_new(ret->config, &ret->rules, err) : rc;
}

int rules_file_apply(const char *path, const struct job_context *facts,
                     struct job_assessment *page, struct rules_file *ret,
                     struct err *err)
{
    int rc = rules_file_load(path, ret, err);
    if (rc == 0 && site_report_make(ret->rules, page, facts, &ret->report) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    if (rc == 0)
        page->site = &ret->report;
    return rc;
}

void rules_file_done(struct rules_file *file)
{
    site_report_done(&file->report);
    site_rules_free(file->rules);
    config_free(file->config);
    *file = (struct rules_file){ 0 };
}
