/* SPDX-License-Identifier: Apache-2.0 */
/* sync - what was appended without opts.sync, onto the disk some time later. */
#include "base/file.h"
#include "spool/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The oldest segment with records behind what is on the disk.  *ret_last: of these the
 * last that it has now. */
static int open_unsynced(struct spool *s, uint64_t sequence, int *ret_fd,
                         uint64_t *ret_first, uint64_t *ret_last, struct err *err)
{
    LOCKED(&s->lock);
    for (size_t i = 0; i < s->segment_count; i++) {
        const struct segment *segment = &s->segments[i];
        if (segment->last <= s->synced || segment->records == 0)
            continue;
        if (segment->first > sequence)
            break;
        *ret_first = segment->first;
        *ret_last = segment->last;
        int rc = segment_open(s->dir, segment->first, O_RDONLY, ret_fd, err);
        return rc == -ENOENT ? 0 : rc; /* it was removed: counted by the next append */
    }
    s->synced = sequence > s->synced ? sequence : s->synced;
    return -ENOENT;
}

/* Others append meanwhile: the lock is not held over the disk's work. */
static int sync_segment(struct spool *s, int fd, uint64_t first, struct err *err)
{
    if (fdatasync(fd) < 0)
        return err_set(err, errno, "sync the spool '%s': %s", s->dir, strerror(errno));
    return first > s->synced_first ? file_sync_dir(s->dir, err) : 0;
}

int spool_sync(struct spool *spool, uint64_t sequence, struct err *err)
{
    LOCKED(&spool->sync_lock);
    int rc = 0;
    while (rc == 0) {
        AUTO_CLOSE int fd = -1;
        uint64_t first = 0, last = 0;
        rc = open_unsynced(spool, sequence, &fd, &first, &last, err);
        if (rc == -ENOENT)
            return 0;
        if (rc == 0 && fd >= 0)
            rc = sync_segment(spool, fd, first, err);
        LOCKED(&spool->lock);
        /* After a failure the kernel holds for written what it could not write: to sync
         * that again would prove nothing, and no more is to follow it. */
        if (rc < 0 && fd >= 0)
            spool->tail_is_sealed = true;
        if ((rc == 0 || fd >= 0) && last < spool->next_sequence) {
            spool->synced = last;
            spool->synced_first = first;
        }
    }
    return rc;
}
