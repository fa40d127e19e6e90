/* SPDX-License-Identifier: Apache-2.0 */
/* access_size - how many reads and writes of a file were small for certain. */
#include "analysis/log/access_size.h"

#include <math.h>

#define CLASSES 10
#define MIXED 4 /* the class of 100 KiB and more that ends with 1 MiB */
#define MIXED_FROM 102401.0
#define MIB 1048576.0
#define COMMON_SIZES 4 /* of a record; their counts are the next four */

/* The least size of each class, in bytes. */
static const double least[CLASSES] = { 0,   101,     1025,     10241,     MIXED_FROM,
                                       MIB, 4194305, 10485761, 104857601, 1073741825 };

struct size_slots {
    int reads, writes, access, bytes_read, bytes_written;
};

static int slot_of(const struct darshan_module *module, const char *name)
{
    char whole[64];
    (void)snprintf(whole, sizeof whole, "%s_%s", module->prefix, name);
    return darshan_counter_find(module, whole);
}

static struct size_slots slots_of(const struct darshan_module *module)
{
    return (struct size_slots){
        .reads = slot_of(module, "SIZE_READ_0_100"),
        .writes = slot_of(module, "SIZE_WRITE_0_100"),
        .access = slot_of(module, "ACCESS1_ACCESS"),
        .bytes_read = slot_of(module, "BYTES_READ"),
        .bytes_written = slot_of(module, "BYTES_WRITTEN"),
    };
}

static double count_at(const struct darshan_record *r, int slot)
{
    return r->counters[slot] > 0 ? (double)r->counters[slot] : 0;
}

/* Of accesses in the mixed class whose sizes are not known those that cannot have had
 * 1 MiB: with so many bytes among them not more can have had it. */
static double surely_below(double unknown, double bytes)
{
    double full = floor((bytes - unknown * MIXED_FROM) / (MIB - MIXED_FROM));
    return unknown - fmin(unknown, fmax(0, full));
}

double access_size_small(const struct darshan_record *record, bool has_sizes)
{
    struct size_slots at = slots_of(record->module);
    if (at.reads < 0 || at.access < 0)
        return 0;
    double counts[CLASSES];
    double bytes = count_at(record, at.bytes_read) + count_at(record, at.bytes_written);
    double small = 0;
    for (int i = 0; i < CLASSES; i++) {
        counts[i] = count_at(record, at.reads + i) + count_at(record, at.writes + i);
        small += i < MIXED ? counts[i] : 0;
        bytes -= i == MIXED ? 0 : counts[i] * least[i];
    }
    double unknown = counts[MIXED];
    for (int i = 0; has_sizes && i < COMMON_SIZES; i++) {
        double size = count_at(record, at.access + i);
        double n = fmin(unknown, count_at(record, at.access + COMMON_SIZES + i));
        if (size < MIXED_FROM || size > MIB)
            continue;
        unknown -= n;
        bytes -= n * size;
        small += size < MIB ? n : 0;
    }
    return small + surely_below(unknown, bytes);
}
