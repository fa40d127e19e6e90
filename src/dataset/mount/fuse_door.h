/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_door - images as files of a FUSE file system: requests of the kernel, and their
 * chunks.
 *
 *     kernel ─▶ lookup DIGEST           ─▶ datasets_find ─▶ a file of that size
 *            ─▶ lookup NAME,USER,GROUPS ─▶ datasets_find, permit ─▶ a link to it
 *            ─▶ lookup @JOB,USER,DIGEST ─▶ the job's reference is written; none such
 * file ─▶ lookup !JOB,USER,DIGEST ─▶ or removed ─▶ open        ─▶ a lease of the
 * dataset, renewed until the last release, and given back a second behind it ─▶ read ─▶
 * flights, each chunk verified ─▶ one writev to the kernel ─▶ interrupt   ─▶ the read
 * ends with EINTR: who waits can be killed
 *
 * The descriptor and the table of files outlive the process: the next one has the
 * kernel send again what was not responded to (FUSE_NOTIFY_RESEND), and no read fails.
 * Where it cannot (before 6.9) they end with EIO: the table has which they are.
 * Threads  the loop's.
 */
#ifndef DATASET_MOUNT_FUSE_DOOR_H
#define DATASET_MOUNT_FUSE_DOOR_H

#include "dataset/forwarder/forwarder.h"
#include "dataset/mount/image_table.h"

/* A job's reference by its name: no file, and this error where it was done. */
#define FUSE_DOOR_HOLD '@'
#define FUSE_DOOR_GIVE_BACK '!'
#define FUSE_DOOR_DONE EALREADY

/* A view of an image, as an attribute of its file: this, and the view's name. */
#define FUSE_DOOR_VIEW "trusted.baro.view."
/* What is read of an image from now on is recorded; what was, in parts from 0. */
#define FUSE_DOOR_RECORD "trusted.baro.record"
#define FUSE_DOOR_PROFILE "trusted.baro.profile."
#define FUSE_DOOR_PROFILE_PART (UINT32_C(32) << 10)

struct fuse_door_opts {
    int fd; /* of /dev/fuse, which is mounted; stays the caller's */
    struct image_table *table;
    const char *holder; /* of leases; outlives the door */
    uint64_t lease_s;
};

struct fuse_door;

int fuse_door_open(const struct fuse_door_opts *opts,
                   const struct forwarder_parts *parts, struct fuse_door **ret,
                   struct err *err);
/* What is not responded to stays with the kernel, for the next process. */
void fuse_door_close(struct fuse_door *door);
/* What a process had in hand that has ended, while there is no other one, ends with
 * EIO: who waits for it could not even be killed.  The number of these. */
unsigned fuse_door_fail_lost(int fd, struct image_table *table);
/* After the loop has ended. */
void fuse_door_free(struct fuse_door *door);
DEFINE_AUTO(struct fuse_door, fuse_door_free);

#endif
