/* SPDX-License-Identifier: Apache-2.0 */
/* record - what one module says about one file and one rank, or all ranks together. */
#ifndef SOURCE_DARSHAN_RECORD_H
#define SOURCE_DARSHAN_RECORD_H

#include "source/darshan/stream.h"

/* One component of a Lustre layout; -1 where the log does not know. */
struct darshan_component {
    int64_t stripe_size_bytes;
    int64_t stripe_count;
    int64_t pattern;
    int64_t flags;
    int64_t extent_start_bytes;
    int64_t extent_end_bytes; /* -1: end of file */
    int64_t mirror_id;
    char pool[17];          /* "" when there is none */
    const int64_t *ost_ids; /* of its stripes that exist */
    size_t ost_count;
};

/* One read or write, of Darshan's extended tracing. */
struct darshan_segment {
    int64_t offset_bytes; /* -1: unknown: version 1 of DXT_MPIIO did not write it */
    int64_t length_bytes;
    double start_s; /* since the start of the job */
    double end_s;
};

/* Of APMPI and APXC.  The head is of the whole module: it has no counters. */
struct darshan_autoperf {
    bool is_head;
    bool has_sync;                        /* APMPI: times of synchronisation, too */
    double variance_s2, sync_variance_s2; /* APMPI's head: of the processes' times */
    /* APXC's head: what the job's nodes spread over, and the modes of their
     * processors. */
    int64_t groups, chassis, blades, memory_mode, cluster_mode;
    uint64_t application_id;
};

/* Fields after rank are there where the module's kind has them; else zero.  All of it
 * is valid during the callback only. */
struct darshan_record {
    const struct darshan_module *module;
    uint32_t version;
    uint64_t id;
    int64_t rank;            /* -1: all ranks */
    const int64_t *counters; /* module->counter_count; -1: not known in this version */
    const double *f_counters;
    uint64_t file_id;                /* of H5D and PNETCDF_VAR; 0: not known */
    const uint8_t *pool, *container; /* of DFS and DAOS: UUIDs of 16 bytes each */
    uint64_t object[2];              /* of DAOS: its high and its low number */
    const struct darshan_component *components;
    size_t component_count;
    int64_t stripe_count; /* over all components */
    double bin_width_s;   /* of HEATMAP */
    const int64_t *write_bins;
    const int64_t *read_bins;
    size_t bin_count;
    const char
        *hostname; /* of DXT, whose segments come by the other callback; of APMPI */
    uint64_t write_count;
    uint64_t read_count;
    const struct darshan_autoperf *autoperf; /* NULL: of another module */
};

enum darshan_direction {
    DARSHAN_WRITE,
    DARSHAN_READ,
};

struct darshan_visitor {
    /* Anything but 0 stops the reading and is what reading returns: a number above 0,
     * or -ENOMEM. */
    int (*record)(void *arg, const struct darshan_record *record);
    /* The segments of the record just reported, in pieces; may be NULL. */
    int (*segments)(void *arg, enum darshan_direction direction,
                    const struct darshan_segment *segments, size_t count);
    void *arg;
};

struct darshan_reader {
    const struct darshan_slot *slot;
    bool is_big;
    size_t record_bytes_max;
    uint64_t omitted; /* records left out, see omit_if in module.h */
    uint64_t count;   /* records reported */
};

/* Tell all records of the stream.  0 at its end, which may have a trouble.  Errors:
 * -EBADMSG (a count that cannot be, or a record that the end cuts: the place is the
 * stream's offset), -EFBIG (a record above record_bytes_max), -ENOMEM, and what a
 * callback said. */
int darshan_records_read(struct darshan_reader *reader, struct darshan_stream *s,
                         const struct darshan_visitor *visitor);

/* "raid0", "raid0,overstriped", "mdt"; "N/A" for -1; else the number. */
void darshan_pattern_print(struct strbuf *out, int64_t pattern);
/* "init,prefwr"; "0" for none, "N/A" for -1; bits without a name as one number. */
void darshan_flags_print(struct strbuf *out, int64_t flags);

#endif
