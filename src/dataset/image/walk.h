/* SPDX-License-Identifier: Apache-2.0 */
/* walk - the checker of images: every inode, block and name of an untrusted one.
 *
 * Depth first, names in the order of their bytes.  An image is valid when everything in
 * it lies within it, nothing has two meanings (see claims), names are sorted and
 * well-formed, each directory has one parent and each inode the links that it states,
 * and the policy allows what it holds.  The kernel then meets nothing that it does not
 * expect, by whichever program it was made.
 */
#ifndef DATASET_IMAGE_WALK_H
#define DATASET_IMAGE_WALK_H

#include "base/err.h"
#include "dataset/image/digest.h"

#include <stdint.h>

#define IMAGE_NAME_MAX 255
#define IMAGE_PATH_MAX 4095
#define IMAGE_DEPTH_MAX 1024
/* Files may share content: but not so that a small image needs for ever to read. */
#define IMAGE_CONTENT_TIMES_MAX 32
#define IMAGE_CONTENT_FREE_BYTES (UINT64_C(1) << 30)

struct image_policy {
    bool allows_setuid;  /* regular files with the set-user-ID or set-group-ID bit */
    bool allows_special; /* devices, FIFOs, sockets */
};

struct image_file {
    char type; /* f d l c b p s, as find(1) has them */
    uint32_t mode, uid, gid;
    uint64_t size;
    uint64_t mtime_s;
    struct digest digest; /* of the content of f and l */
    struct span target;   /* of l */
    uint32_t device;      /* of c and b, as the kernel encodes it */
    struct span path;     /* "usr/bin/ls"; "": the root */
};

struct image_totals {
    uint64_t files, directories, links, special;
    uint64_t content_bytes; /* of files, each name counted */
};

/* What is in the spans is valid during the call.  Not 0 ends the walk. */
typedef int (*image_file_fn)(void *arg, const struct image_file *file);

/* Errors: -EBADMSG (not valid), -EPERM (the policy), with a line that names the path;
 * -ENOMEM; what the callback returned. */
int image_walk(const void *data, uint64_t size, const struct image_policy *policy,
               image_file_fn each, void *arg, struct image_totals *ret,
               struct err *err);

#endif
