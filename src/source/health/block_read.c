/* SPDX-License-Identifier: Apache-2.0 */
/* block_read - a block of text into a sample: each line to the reader of its command.
 */
#include "source/health/block_read.h"

#include "base/span.h"

#include "source/health/lfs.h"
#include "source/health/nsd.h"

struct block_reading {
    struct lfs_reading lfs;
    struct nsd_reading nsd;
    const char *reason; /* why the last line was refused */
};

static int block_refuse(struct block_reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

/* A row of mmdf may begin with a number, as every line of lctl dl does. */
static int block_line(struct block_reading *r, struct span line)
{
    int rc = lfs_line(&r->lfs, line);
    if (rc == 1 && r->nsd.table == NSD_NONE)
        rc = lfs_device_line(&r->lfs, line);
    if (rc != 1) {
        r->reason = r->lfs.reason;
        return rc;
    }
    rc = nsd_line(&r->nsd, line);
    if (rc == 1)
        return block_refuse(r, "it is of neither lfs df nor lctl dl");
    r->reason = r->nsd.reason;
    return rc;
}

int health_sample_add(struct health_sample *sample, const struct health_block *block,
                      health_fault_fn *on_fault, void *arg)
{
    int64_t t_ns = block->has_time ? block->t_ns : -1;
    struct block_reading r = { .lfs = { .sample = sample, .t_ns = t_ns },
                               .nsd = { .sample = sample, .t_ns = t_ns } };
    struct span rest = block->text, line;
    for (uint64_t number = block->line; rest.size > 0; number++) {
        int rc = span_cut(&rest, '\n', &line) ? block_line(&r, line)
                                              : block_refuse(&r, "the line is cut");
        if (rc == -ENOMEM)
            return rc;
        if (rc == 0)
            continue;
        sample->fault_count++;
        if (on_fault)
            on_fault(arg, number, line, r.reason);
    }
    return 0;
}
