/* SPDX-License-Identifier: Apache-2.0 */
/* rules_file - the findings and applications of a site out of a file that a command was
 * given: a barod.conf, or one with these sections alone. */
#ifndef CLIENT_PAGE_RULES_FILE_H
#define CLIENT_PAGE_RULES_FILE_H

#include "analysis/rules/rules.h"

struct rules_file {
    struct config *config;
    struct site_rules *rules; /* NULL: no file was given */
    struct site_report report;
};

/* path NULL: what is built in.  *ret is all zero before, and to be done with in any
 * case.  Errors: those of config_load() and site_rules_new(). */
int rules_file_load(const char *path, struct rules_file *ret, struct err *err);
/* What they report of the job, into the page; facts: of its log, or NULL. */
int rules_file_apply(const char *path, const struct job_context *facts,
                     struct job_assessment *page, struct rules_file *ret,
                     struct err *err);
void rules_file_done(struct rules_file *file);
DEFINE_AUTO_DONE(struct rules_file, rules_file_done);

#endif
