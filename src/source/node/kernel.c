/* SPDX-License-Identifier: Apache-2.0 */
/* kernel - load, memory, vmstat and pressure of a node. */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <stdio.h>

struct name_pair {
    const char *kernel, *metric;
};

/* ---- load ---- */

static void read_load(struct node_sources *s)
{
    static const char *const names[] = { "load_one", "load_five", "load_fifteen" };
    struct span text = node_file_read(s, &s->load);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        double value;
        if (number_parse_double(node_word(&text), &value) == 0)
            node_emit(s, names[i], "", value);
    }
    struct span tasks = node_word(&text), running; /* "3/240" */
    uint64_t count;
    (void)span_cut(&tasks, '/', &running);
    if (number_parse_u64(running, &count) == 0)
        node_emit(s, "proc_run", "", (double)count);
    if (number_parse_u64(tasks, &count) == 0)
        node_emit(s, "proc_total", "", (double)count);
}

/* ---- memory: kB, as the collector has them ---- */

static const struct name_pair memory_names[] = {
    { "MemTotal", "mem_total" },
    { "MemFree", "mem_free" },
    { "MemAvailable", "mem_available" },
    { "Buffers", "mem_buffers" },
    { "Cached", "mem_cached" },
    { "Active", "mem_active" },
    { "Inactive", "mem_inactive" },
    { "Mlocked", "mem_locked" },
    { "SwapTotal", "swap_total" },
    { "SwapFree", "swap_free" },
    { "Dirty", "mem_dirty" },
    { "Writeback", "mem_writeback" },
    { "AnonPages", "mem_anon_pages" },
    { "Mapped", "mem_mapped" },
    { "Shmem", "mem_shared" },
    { "Slab", "mem_slab" },
    { "SReclaimable", "mem_sreclaimable" },
    { "KernelStack", "mem_kernelstack" },
    { "PageTables", "mem_pagetables" },
    { "VmallocTotal", "mem_vmalloc_total" },
    { "AnonHugePages", "mem_anon_hugepages" },
    { "ShmemHugePages", "mem_shared_hugepages" },
    { "ShmemPmdMapped", "mem_shared_pmd_mapped" },
    { "HugePages_Total", "mem_hugepages_total" },
    { "HugePages_Free", "mem_hugepages_free" },
    { "HugePages_Rsvd", "mem_hugepages_reserved" },
    { "HugePages_Surp", "mem_hugepages_surplus" },
    { "Hugepagesize", "mem_hugepages_size" },
    { "DirectMap4k", "mem_direct_mapped_4k" },
    { "DirectMap2M", "mem_direct_mapped_2m" },
    { "DirectMap4M", "mem_direct_mapped_4m" },
    { "DirectMap1G", "mem_direct_mapped_1g" },
};
enum {
    MEMORY_TOTAL,
    MEMORY_FREE,
    MEMORY_BUFFERS = 3,
    MEMORY_CACHED = 4,
    MEMORY_SHARED = 14
};

/* The files have names nearly in the order of the table: found at once. */
static size_t pair_find(const struct name_pair *pairs, size_t count, size_t *next,
                        struct span name)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = (*next + i) % count;
        if (span_is(name, pairs[at].kernel)) {
            *next = at + 1;
            return at;
        }
    }
    return count;
}

static void read_memory(struct node_sources *s)
{
    struct span text = node_file_read(s, &s->meminfo), line;
    uint64_t values[COUNT_OF(memory_names)] = { 0 };
    size_t next = 0;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        struct span name = node_word(&line);
        uint64_t value;
        if (name.size < 2 || !node_number(&line, &value))
            continue;
        name.size--; /* the colon */
        size_t at = pair_find(memory_names, COUNT_OF(memory_names), &next, name);
        if (at == COUNT_OF(memory_names))
            continue;
        values[at] = value;
        node_emit(s, memory_names[at].metric, node_word(&line).size ? "kB" : "",
                  (double)value);
    }
    if (values[MEMORY_TOTAL])
        node_emit(s, "mem_used", "kB",
                  (double)values[MEMORY_TOTAL] - (double)values[MEMORY_FREE] -
                      (double)values[MEMORY_BUFFERS] - (double)values[MEMORY_CACHED] -
                      (double)values[MEMORY_SHARED]);
}

/* ---- vmstat: counters as they are ---- */

static void read_vmstat(struct node_sources *s)
{
    char metric[NODE_NAME_MAX + 8];
    struct span text = node_file_read(s, &s->vmstat), line;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        struct span name = node_word(&line);
        uint64_t value;
        if (name.size == 0 || name.size > NODE_NAME_MAX || !node_number(&line, &value))
            continue;
        memcpy(metric, "vmstat_", 7);
        memcpy(metric + 7, name.data, name.size);
        metric[7 + name.size] = '\0';
        node_emit(s, metric, "", (double)value);
    }
}

/* ---- pressure ---- */

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
static void pressure_line(struct node_sources *s, const char *const names[2],
                          struct span line)
{
    (void)node_word(&line);
    while (line.size) {
        struct span value = node_word(&line), key;
        uint64_t total_us;
        double share;
        (void)span_cut(&value, '=', &key);
        if (span_is(key, "avg10") && number_parse_double(value, &share) == 0)
            node_emit(s, names[0], "Percent", share);
        if (span_is(key, "total") && number_parse_u64(value, &total_us) == 0)
            node_emit(s, names[1], "s", (double)total_us / 1e6);
    }
}

static void read_pressure(struct node_sources *s)
{
    static const char *const names[3][2][2] = {
        { { "pressure_cpu_some", "pressure_cpu_some_total" },
          { "pressure_cpu_full", "pressure_cpu_full_total" } },
        { { "pressure_memory_some", "pressure_memory_some_total" },
          { "pressure_memory_full", "pressure_memory_full_total" } },
        { { "pressure_io_some", "pressure_io_some_total" },
          { "pressure_io_full", "pressure_io_full_total" } },
    };
    for (size_t i = 0; i < 3; i++) {
        struct span text = node_file_read(s, &s->pressure[i]), line;
        while (text.size) {
            (void)span_cut(&text, '\n', &line);
            if (span_starts(line, "some "))
                pressure_line(s, names[i][0], line);
            else if (span_starts(line, "full "))
                pressure_line(s, names[i][1], line);
        }
    }
}

void node_read_kernel(struct node_sources *s)
{
    if (s->wanted & NODE_LOAD)
        read_load(s);
    if (s->wanted & NODE_MEMORY)
        read_memory(s);
    if (s->wanted & NODE_VMSTAT)
        read_vmstat(s);
    if (s->wanted & NODE_PRESSURE)
        read_pressure(s);
}
