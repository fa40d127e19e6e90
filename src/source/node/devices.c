/* SPDX-License-Identifier: Apache-2.0 */
/* devices - network devices and disks of a node. */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

/* ---- network: counters as they are ---- */

static void network_line(struct node_sources *s, struct span line)
{
    static const char *const names[16] = {
        "net_bytes_in", "net_pkts_in",  "net_errs_in", "net_drop_in",   NULL,
        NULL,           NULL,           NULL,          "net_bytes_out", "net_pkts_out",
        "net_errs_out", "net_drop_out",
    };
    static const char *const units[4] = { "bytes", "packets", "packets", "packets" };
    struct span name;
    if (!span_cut(&line, ':', &name))
        return; /* the heading */
    name = span_trim(name);
    if (name.size == 0 || name.size >= NODE_NAME_MAX || span_is(name, "lo"))
        return;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        uint64_t value;
        if (!node_number(&line, &value))
            return;
        if (names[i])
            node_emit_of(s, names[i], units[i % 8], (double)value, "network", name);
    }
}

/* ---- disks: increases since the round before, as the collector has them ---- */

static struct node_device *device_find(struct node_sources *s, struct span name)
{
    for (size_t i = 0; i < s->device_count; i++)
        if (span_is(name, s->devices[i].name))
            return &s->devices[i];
    if (s->device_count == NODE_DEVICES_MAX || name.size >= NODE_NAME_MAX)
        return NULL;
    struct node_device *grown =
        reallocarray(s->devices, s->device_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    s->devices = grown;
    struct node_device *d = &s->devices[s->device_count++];
    *d = (struct node_device){ 0 };
    memcpy(d->name, name.data, name.size);
    return d;
}

static void disk_line(struct node_sources *s, struct span line)
{
    static const char *const names[17] = {
        "io_reads",
        "io_reads_merged",
        "io_read_sectors",
        "io_read_ms",
        "io_writes",
        "io_writes_merged",
        "io_writes_sectors",
        "io_writes_ms",
        "io_ioops",
        "io_ioops_ms",
        "io_ioops_weighted_ms",
        "io_discards",
        "io_discards_merged",
        "io_discards_sectors",
        "io_discards_ms",
        "io_flushes",
        "io_flushes_ms",
    };
    enum { IN_FLIGHT = 8 };
    (void)node_word(&line);
    (void)node_word(&line);
    struct span name = node_word(&line);
    if (name.size == 0 || span_starts(name, "loop") || span_starts(name, "ram"))
        return;
    struct node_device *d = device_find(s, name);
    for (size_t i = 0; d && i < COUNT_OF(names); i++) {
        uint64_t value;
        if (!node_number(&line, &value))
            break;
        if (i == IN_FLIGHT)
            node_emit_of(s, names[i], "", (double)value, "disk", name);
        else if (d->has_counters && value >= d->counters[i])
            node_emit_of(s, names[i], "", (double)(value - d->counters[i]), "disk",
                         name);
        d->counters[i] = value;
    }
    if (d)
        d->has_counters = true;
}

void node_read_devices(struct node_sources *s)
{
    struct span line;
    if (s->wanted & NODE_NETWORK) {
        struct span text = node_file_read(s, &s->network);
        while (text.size) {
            (void)span_cut(&text, '\n', &line);
            network_line(s, line);
        }
    }
    if (s->wanted & NODE_DISK) {
        struct span text = node_file_read(s, &s->disks);
        while (text.size) {
            (void)span_cut(&text, '\n', &line);
            disk_line(s, line);
        }
    }
}
