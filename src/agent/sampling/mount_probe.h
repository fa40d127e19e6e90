/* SPDX-License-Identifier: Apache-2.0 */
/* mount_probe - do the network file systems of this node respond?  A process of its own
 * calls statfs(): one that hangs holds its caller.
 *
 *     baro-agent mount-probe ROOT imports|- PATH...
 *         0 0                       number of the path, errno of statfs()
 *         1 116
 *         import scratch-OST0001 FULL
 *         end
 *
 * The path that no line is of is the one that hangs.
 */
#ifndef AGENT_SAMPLING_MOUNT_PROBE_H
#define AGENT_SAMPLING_MOUNT_PROBE_H

#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>

#define MOUNT_PROBE_WORD "mount-probe"
#define MOUNTS_MAX 64
#define MOUNT_PATH_BYTES 256 /* a longer one is passed over */
#define MOUNT_INFO_BYTES_MAX ((size_t)1 << 20)
#define IMPORTS_MAX 8192
#define IMPORT_FS_MAX 16

struct mount_point {
    char path[MOUNT_PATH_BYTES];
};

struct mount_list {
    struct mount_point points[MOUNTS_MAX];
    size_t count;
    size_t dropped; /* beyond the bounds */
};

/* The network file systems in the text of /proc/self/mountinfo, each path once. */
void mount_list_parse(struct span text, struct mount_list *ret);

/* What imports of Lustre's client are, of a file system. */
struct import_state {
    char name[32];
    size_t imports, away; /* of these, not connected */
    char first[64];       /* "OST0001 is EVICTED": one of them */
};

struct mount_results {
    size_t done; /* paths of which there was a line */
    int errors[MOUNTS_MAX];
    struct import_state imports[IMPORT_FS_MAX];
    size_t import_count;
    bool has_ended;
};

/* One line of the process.  Errors: -EBADMSG. */
int mount_result_parse(struct span line, size_t path_count, struct mount_results *ret);

/* "target: scratch-OST0001_UUID" and "state: FULL" of an import file; false: not both.
 */
bool import_parse(struct span text, struct span *ret_target, struct span *ret_state);

/* The process itself: argv of main().  Returns its exit status. */
int mount_probe_main(int argc, char **argv);

#endif
