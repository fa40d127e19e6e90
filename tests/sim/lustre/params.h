/* SPDX-License-Identifier: Apache-2.0 */
/* params - the parameters that a simulated server has, by name. */
#ifndef SIM_PARAMS_H
#define SIM_PARAMS_H

#include "dump.h"

enum sim_param {
    SIM_PARAM_JOB_STATS,
    SIM_PARAM_CLEANUP,
    SIM_PARAM_STATS,
    SIM_PARAM_MD_STATS,
    SIM_PARAM_BRW_STATS,
    SIM_PARAM_NUM_EXPORTS,
    SIM_PARAM_KBYTESTOTAL,
    SIM_PARAM_KBYTESFREE,
    SIM_PARAM_KBYTESAVAIL,
    SIM_PARAM_FILESTOTAL,
    SIM_PARAM_FILESFREE,
    SIM_PARAM_RECOVERY,
    SIM_PARAM_VERSION,
    SIM_PARAM_HEALTH,
    SIM_PARAM_CHANGELOG,
    SIM_PARAM_JOBID_VAR,
    SIM_PARAM_JOBID_NAME,
    SIM_PARAM_COUNT,
};

struct sim_param_ref {
    enum sim_param param;
    const struct sim_target *target; /* NULL: the server's own */
    const struct sim_mount *mount;
    char name[128]; /* "obdfilter.scratch-OST0001.job_stats" */
};

/* All parameters of server at t_ns, sorted by name.  *ret is the caller's, to
 * free().
 */
int sim_params_list(const struct sim *sim, size_t server, int64_t t_ns,
                    struct sim_param_ref **ret, size_t *ret_count);

/* The value as the file has it, with its line end.  counts may be NULL. */
int sim_param_value(const struct sim *sim, const struct sim_param_ref *ref,
                    int64_t t_ns, struct strbuf *out, struct sim_dump *counts);

#endif
