/* SPDX-License-Identifier: Apache-2.0 */
/* sacct - the accounting of Slurm, as sacct prints it.
 *
 *     SLURM_TIME_FORMAT=%s sacct -a -D --noconvert -P -o
 *         JobID,JobIDRaw,User,Account,Partition,Cluster,State,Submit,Start,End,NNodes,\
 *         NodeList,TimelimitRaw,AllocTRES,ReqTRES,TotalCPU,TRESUsageInTot,MaxRSS,\
 *         NTasks,ConsumedEnergyRaw,ExitCode,JobName
 *
 * Columns are known by their names in the header, in any order; further ones are passed
 * over.  Those of what the job was given and used are TimelimitRaw or Timelimit,
 * AllocTRES, ReqTRES, AllocCPUS or NCPUS, TotalCPU, TRESUsageInTot, TRESUsageInMax,
 * MaxRSS with NTasks, ConsumedEnergyRaw and ExitCode; memory is reported of steps
 * alone, and the step with most counts for the job.  -p and any one-byte --delimiter
 * will do too.  A row with more fields than columns has the delimiter in its job name:
 * the rest of the row tells where it ends. Where the name is the last column, a line
 * that is no row goes on with the name of the row before.
 */
#ifndef SOURCE_SCHEDULER_SACCT_H
#define SOURCE_SCHEDULER_SACCT_H

#include "source/scheduler/job_form.h"

#define SACCT_COLUMNS_MAX 256

enum sacct_field {
    SACCT_JOBID,
    SACCT_RAW_ID,
    SACCT_NAME,
    SACCT_USER,
    SACCT_UID,
    SACCT_GROUP,
    SACCT_GID,
    SACCT_ACCOUNT,
    SACCT_PARTITION,
    SACCT_CLUSTER,
    SACCT_STATE,
    SACCT_SUBMIT,
    SACCT_START,
    SACCT_END,
    SACCT_NODE_COUNT,
    SACCT_NODES,
    SACCT_TIME_LIMIT,
    SACCT_ALLOCATED,
    SACCT_REQUESTED,
    SACCT_CPUS,
    SACCT_CPU_TIME,
    SACCT_MEMORY_TOTAL,
    SACCT_MEMORY_MAX,
    SACCT_RSS_MAX,
    SACCT_TASKS,
    SACCT_ENERGY,
    SACCT_EXIT_CODE,
    SACCT_FIELD_COUNT,
};

struct sacct {
    const struct job_text_opts *opts;
    struct job_list *list;
    struct job_list orphans; /* steps whose job has no line yet, by their job's id */
    char delimiter;
    bool is_ended; /* rows end with a delimiter: sacct -p */
    size_t column_count;
    size_t column_of[SACCT_FIELD_COUNT]; /* SACCT_COLUMNS_MAX: not there */
    struct strbuf row;   /* waits for what follows: its name may go on */
    uint64_t row_number; /* of its first line; 0: no row waits */
    const char *reason;
};

void sacct_init(struct sacct *sacct, const struct job_text_opts *opts,
                struct job_list *list);
void sacct_done(struct sacct *sacct);

/* Whether line is a header of sacct's. */
bool sacct_is_header(struct span line);

/* The next line, from 1, without its end.  Steps (12.batch, 12.0) are no jobs: they lie
 * within theirs; only where a job's own line is not there, its steps' first start and
 * last end stand for it.  Errors: -EINVAL (the header lacks JobID, Start or End),
 * -ENOMEM, -E2BIG. */
int sacct_line(struct sacct *sacct, struct span line, uint64_t number, struct err *err);
int sacct_end(struct sacct *sacct);

#endif
