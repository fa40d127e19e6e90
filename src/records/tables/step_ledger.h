/* SPDX-License-Identifier: Apache-2.0 */
/* step_ledger - steps of jobs as rows of a ledger: the table job_steps.
 *
 * A step is known by (cluster, id, step, start); it replaces the earlier one as a run
 * does (job_ledger.h).
 */
#ifndef RECORDS_TABLES_STEP_LEDGER_H
#define RECORDS_TABLES_STEP_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_job_steps;

/* The row of step as it is submitted at now_ms, in arena; its texts are step's, but for
 * the name.  Errors: -ENOMEM. */
int step_ledger_row(const struct job *step, int64_t now_ms, struct arena *arena,
                    const struct scalar **ret);
/* The step of a row, as struct job.  Its texts are the row's, but for the name, which
 * lies in name.  Errors: -ENOMEM. */
int step_ledger_step(const struct scalar *row, struct strbuf *name, struct job *ret);

#endif
