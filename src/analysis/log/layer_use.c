/* SPDX-License-Identifier: Apache-2.0 */
/* layer_use - how much a program used one interface. */
#include "analysis/log/layer_use.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <math.h>
#include <string.h>

static const enum darshan_module_id modules[LOG_LAYERS] = {
    [LAYER_H5F] = DARSHAN_H5F,
    [LAYER_H5D] = DARSHAN_H5D,
    [LAYER_PNETCDF_FILE] = DARSHAN_PNETCDF_FILE,
    [LAYER_PNETCDF_VAR] = DARSHAN_PNETCDF_VAR,
    [LAYER_MPIIO] = DARSHAN_MPIIO,
    [LAYER_POSIX] = DARSHAN_POSIX,
    [LAYER_STDIO] = DARSHAN_STDIO,
    [LAYER_DFS] = DARSHAN_DFS,
    [LAYER_DAOS] = DARSHAN_DAOS,
    [LAYER_APMPI] = DARSHAN_APMPI,
};

/* What a counter adds to, by its name behind the module's prefix. */
enum part {
    PART_OPENS,
    PART_ACCESSES,
    PART_COLLECTIVE,
    PART_DATA_SETS, /* a flag of each: collective ones are counted among records */
    PART_READ,
    PART_WRITTEN,
    PART_SENT, /* to and from other processes: neither read nor written */
    PART_NONE,
};

static const struct {
    const char *name;
    enum part part;
} parts[] = {
    { "OPENS", PART_OPENS },
    { "FDOPENS", PART_OPENS },
    { "CREATES", PART_OPENS },
    { "INDEP_OPENS", PART_OPENS },
    { "COLL_OPENS", PART_OPENS },
    { "GLOBAL_OPENS", PART_OPENS },
    { "OBJ_OPENS", PART_OPENS },
    { "ARRAY_OPENS", PART_OPENS },
    { "KV_OPENS", PART_OPENS },
    { "READS", PART_ACCESSES },
    { "WRITES", PART_ACCESSES },
    { "READXS", PART_ACCESSES },
    { "WRITEXS", PART_ACCESSES },
    { "INDEP_READS", PART_ACCESSES },
    { "INDEP_WRITES", PART_ACCESSES },
    { "COLL_READS", PART_COLLECTIVE },
    { "COLL_WRITES", PART_COLLECTIVE },
    { "SPLIT_READS", PART_COLLECTIVE },
    { "SPLIT_WRITES", PART_COLLECTIVE },
    { "NB_READS", PART_ACCESSES },
    { "NB_WRITES", PART_ACCESSES },
    { "OBJ_FETCHES", PART_ACCESSES },
    { "OBJ_UPDATES", PART_ACCESSES },
    { "ARRAY_READS", PART_ACCESSES },
    { "ARRAY_WRITES", PART_ACCESSES },
    { "KV_GETS", PART_ACCESSES },
    { "KV_PUTS", PART_ACCESSES },
    { "USE_MPIIO_COLLECTIVE", PART_DATA_SETS },
    { "BYTES_READ", PART_READ },
    { "BYTES_WRITTEN", PART_WRITTEN },
};

enum log_layer log_layer_of(enum darshan_module_id id)
{
    int layer = 0;
    while (layer < LOG_LAYERS && modules[layer] != id)
        layer++;
    return (enum log_layer)layer;
}

enum darshan_module_id log_layer_module(enum log_layer layer)
{
    return modules[layer];
}

const char *log_layer_name(enum log_layer layer)
{
    return darshan_module(modules[layer])->name;
}

static enum part counter_part(const struct darshan_module *module, const char *name)
{
    const char *rest = name + strlen(module->prefix) + 1;
    if (module->kind == DARSHAN_KIND_AUTOPERF)
        return span_ends(span_of(name), "_CALL_COUNT")    ? PART_ACCESSES
               : span_ends(span_of(name), "_TOTAL_BYTES") ? PART_SENT
                                                          : PART_NONE;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strcmp(parts[i].name, rest) == 0)
            return parts[i].part;
    return PART_NONE;
}

void layer_columns_find(const struct darshan_module *module, struct layer_columns *ret)
{
    ret->count = 0;
    for (size_t i = 0; i < module->counter_count; i++) {
        enum part part = counter_part(module, module->counter_names[i]);
        if (part == PART_NONE || ret->count == LAYER_COLUMNS_MAX)
            continue;
        ret->items[ret->count].column = (uint16_t)i;
        ret->items[ret->count++].part = (uint16_t)part;
    }
}

static void part_add(struct layer_use *use, enum part part, double value)
{
    use->has[LAYER_ACCESSES] |= part == PART_ACCESSES || part == PART_COLLECTIVE;
    use->has[LAYER_BYTES] |= part == PART_READ || part == PART_SENT;
    switch (part) {
    case PART_OPENS:
        use->opens += value;
        use->has[LAYER_OPENS] = true;
        break;
    case PART_COLLECTIVE:
        use->collective += value;
        use->has[LAYER_COLLECTIVE_SHARE] = true;
        use->accesses += value;
        break;
    case PART_ACCESSES:
        use->accesses += value;
        break;
    case PART_DATA_SETS:
        use->collective += value > 0 ? 1 : 0;
        use->has[LAYER_COLLECTIVE_SHARE] = use->is_of_records = true;
        break;
    case PART_READ:
        use->bytes_read += value;
        use->has[LAYER_READ_SHARE] = true;
        break;
    case PART_WRITTEN:
    case PART_SENT:
        use->bytes_written += value;
        break;
    case PART_NONE:
        break;
    }
}

void layer_use_add(struct layer_use *use, const struct layer_columns *columns,
                   const struct darshan_record *record)
{
    if (!record->counters)
        return; /* a module's head */
    use->records++;
    for (size_t i = 0; i < columns->count; i++) {
        int64_t value = record->counters[columns->items[i].column];
        part_add(use, (enum part)columns->items[i].part, value > 0 ? (double)value : 0);
    }
}

static double use_share(double a, double b)
{
    return b > 0 ? fmin(1, a / b) : NAN;
}

double layer_use_figure(const struct layer_use *use, enum layer_figure figure)
{
    double bytes = use->bytes_read + use->bytes_written;
    if (use->records == 0 || !use->has[figure])
        return NAN;
    switch (figure) {
    case LAYER_OPENS:
        return use->opens;
    case LAYER_ACCESSES:
        return use->accesses;
    case LAYER_BYTES:
        return bytes;
    case LAYER_READ_SHARE:
        return use_share(use->bytes_read, bytes);
    case LAYER_COLLECTIVE_SHARE:
        return use_share(use->collective,
                         use->is_of_records ? (double)use->records : use->accesses);
    case LAYER_FIGURES:
        break;
    }
    return NAN;
}
