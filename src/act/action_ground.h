/* SPDX-License-Identifier: Apache-2.0 */
/* action_ground - what may be done on a host: by barod, Slurm and our record of it. */
#ifndef ACT_ACTION_GROUND_H
#define ACT_ACTION_GROUND_H

#include "act/action_plan.h"
#include "act/hosts.h"
#include "act/run.h"

/* nodes NULL: Slurm does not respond. */
enum action_ground action_ground_of(const struct act_record *record, const char *host,
                                    enum resource_health health,
                                    const struct node_list *nodes);

/* The cause as barod has it now: is it still one, and since when?  Its reason may be
 * another.  Errors: -ECANCELED (it is not, or does not last), of resources. */
int action_cause_confirm(const struct act_run_opts *opts,
                         const struct action_step *step, int64_t clock_set_ns,
                         struct err *err);
/* The host as barod and Slurm have it now, Slurm last: does it suffice?  Errors:
 * -ECANCELED, of resources and slurm_nodes(), -ETIMEDOUT (that is too old). */
int action_ground_confirm(const struct act_run_opts *opts,
                          const struct act_record *record,
                          const struct action_step *step, struct err *err);

#endif
