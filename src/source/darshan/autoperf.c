/* SPDX-License-Identifier: Apache-2.0 */
/* autoperf - records of AutoPerf's modules. */
#include "source/darshan/autoperf.h"

#include "base/cleanup.h"
#include "source/darshan/autoperf_names.h"

#define BASE_BYTES 16
#define MAGIC_MPI UINT64_C(0x41504D5049)      /* "APMPI" */
#define MAGIC_XC UINT64_C(0x4155544F50455246) /* "AUTOPERF" */
#define HEAD_MPI_BYTES 48
#define HEAD_XC_BYTES 72
#define NAME_BYTES 128 /* of a processor */
#define RECORD_BYTES_MAX \
    (BASE_BYTES + 8 * (APMPI_COUNTERS + APMPI_F_COUNTERS) + NAME_BYTES)
#define RANK_MAX INT32_MAX
#define MODE_MIXED (UINT64_C(1) << 31)

static bool is_mpi(const struct darshan_reader *r)
{
    return r->slot->id == DARSHAN_APMPI;
}

static void base_decode(const uint8_t *data, bool is_big, struct darshan_record *record)
{
    record->id = darshan_u64(data, is_big);
    record->rank = darshan_i64(data + 8, is_big);
}

static int head_read(struct darshan_reader *r, struct darshan_stream *s,
                     struct darshan_record *record, struct darshan_autoperf *head)
{
    uint8_t data[HEAD_XC_BYTES];
    size_t size = is_mpi(r) ? HEAD_MPI_BYTES : HEAD_XC_BYTES;
    const uint8_t *p = data + BASE_BYTES + 8;
    if (darshan_stream_read(s, data, size) < size)
        return -EBADMSG;
    if (darshan_u64(data + BASE_BYTES, r->is_big) != (is_mpi(r) ? MAGIC_MPI : MAGIC_XC))
        return -ENOTSUP;
    base_decode(data, r->is_big, record);
    *head = (struct darshan_autoperf){ .is_head = true };
    if (is_mpi(r)) {
        /* A 32-bit flag with four unused bytes. */
        head->has_sync = (darshan_u64(p, r->is_big) & UINT32_MAX) != 0 ||
                         darshan_u64(p, r->is_big) >> 32 != 0;
        head->variance_s2 = darshan_double(p + 8, r->is_big);
        head->sync_variance_s2 = darshan_double(p + 16, r->is_big);
        return 0;
    }
    head->blades = darshan_i64(p, r->is_big);
    head->chassis = darshan_i64(p + 8, r->is_big);
    head->groups = darshan_i64(p + 16, r->is_big);
    head->memory_mode = darshan_i64(p + 24, r->is_big);
    head->cluster_mode = darshan_i64(p + 32, r->is_big);
    head->application_id = darshan_u64(p + 40, r->is_big);
    return 0;
}

static bool is_node_name(const uint8_t *text)
{
    size_t i = 0;
    while (i < NAME_BYTES && text[i] > ' ' && text[i] < 0x7F)
        i++;
    return i < NAME_BYTES && text[i] == '\0';
}

/* Of another layout a process's number, or its node's name, is something else. */
static bool is_fitting(const struct darshan_reader *r,
                       const struct darshan_record *record, const uint8_t *name)
{
    return record->rank >= 0 && record->rank <= RANK_MAX &&
           (!is_mpi(r) || is_node_name(name));
}

int darshan_autoperf_read(struct darshan_reader *reader, struct darshan_stream *s,
                          const struct darshan_visitor *visitor)
{
    struct darshan_reader *r = reader;
    const struct darshan_module *module = darshan_module(r->slot->id);
    struct darshan_autoperf head;
    uint8_t data[RECORD_BYTES_MAX + 1] = { 0 };
    int64_t counters[APMPI_COUNTERS];
    double times[APMPI_F_COUNTERS];
    struct darshan_record record = { .module = module,
                                     .version = r->slot->version,
                                     .autoperf = &head };
    _Static_assert(APXC_COUNTERS <= APMPI_COUNTERS, "one array serves both");
    const size_t numbers = 8 * (module->counter_count + module->f_counter_count);
    const size_t size = BASE_BYTES + numbers + (is_mpi(r) ? NAME_BYTES : 0);
    int rc = head_read(r, s, &record, &head);
    if (rc == 0)
        rc = visitor->record(visitor->arg, &record);
    record.counters = counters;
    record.f_counters = times;
    head.is_head = false;
    for (size_t got; rc == 0 && (got = darshan_stream_read(s, data, size)) > 0;) {
        const uint8_t *p = data + BASE_BYTES;
        const uint8_t *name = data + BASE_BYTES + numbers;
        if (got < size)
            return -EBADMSG;
        base_decode(data, r->is_big, &record);
        if (!is_fitting(r, &record, name))
            return r->count > 0 ? -EBADMSG : -ENOTSUP;
        for (size_t i = 0; i < module->counter_count; i++, p += 8)
            counters[i] = darshan_i64(p, r->is_big);
        for (size_t i = 0; i < module->f_counter_count; i++, p += 8)
            times[i] = darshan_double(p, r->is_big);
        record.hostname = is_mpi(r) ? (const char *)name : NULL;
        r->count++;
        rc = visitor->record(visitor->arg, &record);
    }
    return rc;
}

bool darshan_autoperf_has_time(const struct darshan_autoperf *autoperf, size_t n)
{
    bool is_sync = n >= APMPI_TIMES && n != APMPI_TIMES + APMPI_SYNC_TIMES;
    return autoperf->has_sync || !is_sync;
}

const char *darshan_memory_mode(int64_t mode)
{
    static const char *const names[] = { "MM_UNKNOWN", "MM_FLAT", "MM_EQUAL",
                                         "MM_SPLIT", "MM_CACHE" };
    uint64_t n = (uint64_t)mode & ~MODE_MIXED;
    return n < COUNT_OF(names) ? names[n] : "UNKNOWN";
}

const char *darshan_cluster_mode(int64_t mode)
{
    static const char *const names[] = { "CM_UNKNOWN", "CM_ALL2ALL", "CM_QUAD",
                                         "CM_HEMI",    "CM_SNC4",    "CM_SNC2" };
    uint64_t n = (uint64_t)mode & ~MODE_MIXED;
    return n < COUNT_OF(names) ? names[n] : "UNKNOWN";
}

bool darshan_mode_is_everywhere(int64_t mode)
{
    return ((uint64_t)mode & MODE_MIXED) == 0;
}
