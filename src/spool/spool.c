/* SPDX-License-Identifier: Apache-2.0 */
/* spool - a bounded queue of records on disk: opened, closed, counted. */
#include "spool/spool.h"

#include "base/file.h"
#include "spool/acknowledged.h"
#include "spool/load.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MIN (UINT64_C(64) << 10)
#define SEGMENT_BYTES_MAX (UINT64_C(8) << 20)

int spool_open(const struct spool_opts *opts, struct spool **ret, struct err *err)
{
    AUTO(spool_close) struct spool *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->sync_lock, NULL);
    s->ack_fd = s->tail_fd = s->read_fd = -1;
    s->acked_mark = FRAME_MARK_FIRST;
    s->opts = *opts;
    s->dir = strdup(opts->dir);
    if (!s->dir)
        return -ENOMEM;
    s->opts.dir = s->dir;
    if (opts->bytes_max < BYTES_MIN)
        return err_set(err, EINVAL, "a spool of less than 64 KiB holds nothing");
    if (s->opts.segment_bytes == 0)
        s->opts.segment_bytes = opts->bytes_max / 16;
    if (s->opts.segment_bytes > SEGMENT_BYTES_MAX)
        s->opts.segment_bytes = SEGMENT_BYTES_MAX;
    int rc = file_make_dirs(s->dir, 0700, err);
    if (rc == 0)
        rc = acknowledged_open(s, err);
    if (rc == 0)
        rc = files_load(s, err);
    if (rc < 0)
        return rc;
    /* What the process before appended may not be on the disk yet. */
    s->synced = s->acked;
    *ret = TAKE(s);
    return 0;
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    files_close_tail(spool);
    files_reset_reader(spool);
    if (spool->ack_fd >= 0)
        (void)close(spool->ack_fd);
    free(spool->segments);
    free(spool->dir);
    (void)pthread_mutex_destroy(&spool->lock);
    (void)pthread_mutex_destroy(&spool->sync_lock);
    free(spool);
}

uint64_t spool_acked(struct spool *spool)
{
    LOCKED(&spool->lock);
    return spool->acked;
}

void spool_count(struct spool *spool, struct spool_counts *ret)
{
    LOCKED(&spool->lock);
    *ret = spool->counts;
    ret->bytes = 0;
    for (size_t i = 0; i < spool->segment_count; i++)
        ret->bytes += spool->segments[i].size_bytes;
}
