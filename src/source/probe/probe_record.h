/* SPDX-License-Identifier: Apache-2.0 */
/* probe_record - what baro-abc stored of a probe: who, where, and its phases.
 *
 *     ID.json ──▶ probe_record ─┬▶ phases[PROBE_WRITE]
 *                               └▶ phases[PROBE_READ]
 *
 * Format: doc/formats/abc.md.  Times in ns since the epoch.  Threads  none inside.
 */
#ifndef SOURCE_PROBE_PROBE_RECORD_H
#define SOURCE_PROBE_PROBE_RECORD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define PROBE_RECORD_BYTES_MAX ((size_t)16 << 20)

enum { PROBE_WRITE, PROBE_READ, PROBE_PHASES };

struct probe_phase {
    const char *name; /* "hacc_io_fpp_write"; NULL: the phase was not begun */
    bool is_done;
    int64_t start_ns, wall_ns, slowest_ns;
    uint64_t bytes, files, opens, transfers;
    /* Over all processes. */
    int64_t transfer_ns, metadata_ns; /* opening and closing */
};

/* Texts lie in the arena; NULL: the record has none. */
struct probe_record {
    const char *id, *file_system, *mount, *job, *cluster, *nodes, *interface;
    uint64_t processes;
    struct probe_phase phases[PROBE_PHASES];
};

/* Errors: -EBADMSG (not JSON, not of the format "baro-abc 1", or a value that is none:
 * err names it), -ENOMEM. */
int probe_record_parse(struct span text, struct arena *arena, struct probe_record *ret,
                       struct err *err);

#endif
