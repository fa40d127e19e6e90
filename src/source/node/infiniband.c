/* SPDX-License-Identifier: Apache-2.0 */
/* infiniband - counters of InfiniBand and Omni-Path ports.
 *
 *     /sys/class/infiniband/DEVICE/ports/PORT/lid
 *         counters/       port_rcv_data ...     of the port, by the standard
 *         counters_ext/   port_rcv_data_64 ...  the same of old drivers, whose counters
 *                                               of 32 bits stop at their end
 *         hw_counters/    of the driver
 *
 * Data is counted in words of four bytes.  A port without a LID (0x0) is in no subnet:
 * it is down, or Ethernet, and its values are left out for as long.
 *
 * Files stay open, and are bounded: what carries data first, of all ports, then errors,
 * then the driver's.  A device that is gone or has come is looked for once a minute.
 */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <glob.h>
#include <stdio.h>

#define PORTS "/sys/class/infiniband/*/ports/*"
#define WORD_BYTES 4
#define SEARCH_S 60

struct counter_name {
    const char *file, *file_64, *metric, *unit;
    double scale;
};

static const struct counter_name data_counters[] = {
    { "port_rcv_data", "port_rcv_data_64", "ib_recv", "bytes", WORD_BYTES },
    { "port_xmit_data", "port_xmit_data_64", "ib_xmit", "bytes", WORD_BYTES },
    { "port_rcv_packets", "port_rcv_packets_64", "ib_recv_pkts", "packets", 1 },
    { "port_xmit_packets", "port_xmit_packets_64", "ib_xmit_pkts", "packets", 1 },
};

static const struct counter_name error_counters[] = {
    { "port_rcv_errors", NULL, "ib_recv_errs", "packets", 1 },
    { "port_xmit_discards", NULL, "ib_xmit_drop", "packets", 1 },
    { "port_xmit_wait", NULL, "ib_xmit_wait", "ticks", 1 },
    { "symbol_error", NULL, "ib_symbol_errs", "errors", 1 },
    { "link_error_recovery", NULL, "ib_link_recovered", "", 1 },
    { "link_downed", NULL, "ib_link_downed", "", 1 },
};

/* ---- which there are ---- */

static bool counter_open(struct node_sources *s, struct node_counter *counter,
                         const char *path)
{
    counter->file.fd = -1;
    node_file_open(s, &counter->file, path);
    if (counter->file.fd < 0 || s->counter_count < NODE_COUNTERS_MAX)
        return counter->file.fd >= 0;
    node_file_close(&counter->file);
    s->counters_left_out++;
    return false;
}

static void counter_add(struct node_sources *s, struct node_counter *counter)
{
    struct node_counter *grown =
        reallocarray(s->counters, s->counter_count + 1, sizeof *grown);
    if (!grown) {
        node_file_close(&counter->file);
        return;
    }
    s->counters = grown;
    s->counters[s->counter_count++] = *counter;
}

static void named_add(struct node_sources *s, size_t port, const char *directory,
                      const struct counter_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct node_counter counter = { .port = port,
                                        .unit = names[i].unit,
                                        .scale = names[i].scale };
        char path[640] = "";
        (void)snprintf(counter.metric, sizeof counter.metric, "%s", names[i].metric);
        if (names[i].file_64)
            (void)snprintf(path, sizeof path, "%s/counters_ext/%s", directory,
                           names[i].file_64);
        bool is_open = *path && counter_open(s, &counter, path);
        (void)snprintf(path, sizeof path, "%s/counters/%s", directory, names[i].file);
        if (is_open || counter_open(s, &counter, path))
            counter_add(s, &counter);
    }
}

static bool is_counter_name(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return size > 0 && !name[size] && size < NODE_NAME_MAX - sizeof "ib_hw_" &&
           strcmp(name, "lifespan") != 0; /* of the driver's cache: a setting */
}

static void driver_add(struct node_sources *s, size_t port, const char *directory)
{
    char pattern[1200];
    glob_t found = { 0 };
    size_t skip = strlen(s->root);
    (void)snprintf(pattern, sizeof pattern, "%s%s/hw_counters/*", s->root, directory);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *name = strrchr(found.gl_pathv[i], '/') + 1;
            struct node_counter counter = { .port = port, .unit = "", .scale = 1 };
            if (!is_counter_name(name))
                continue;
            (void)snprintf(counter.metric, sizeof counter.metric, "ib_hw_%s", name);
            if (counter_open(s, &counter, found.gl_pathv[i] + skip))
                counter_add(s, &counter);
        }
    globfree(&found);
}

/* DEVICE:PORT, where both are words. */
static bool port_name(const char *directory, char out[NODE_NAME_MAX])
{
    struct span rest = span_skip(span_of(directory), strlen("/sys/class/infiniband/"));
    struct span device;
    (void)span_cut(&rest, '/', &device);
    int size = snprintf(out, NODE_NAME_MAX, SPAN_FMT ":%s", SPAN_ARG(device),
                        strrchr(directory, '/') + 1);
    for (const char *c = out; *c; c++)
        if (*c <= ' ' || *c > '~' || *c == '\\')
            return false;
    return size > 0 && size < NODE_NAME_MAX;
}

static bool port_add(struct node_sources *s, const char *directory)
{
    struct node_port port = { .lid = { -1 } };
    char path[640];
    if (strnlen(directory, 512) == 512 || !port_name(directory, port.name))
        return false;
    if (s->port_count == NODE_PORTS_MAX) {
        s->ports_left_out++;
        return false;
    }
    struct node_port *grown = reallocarray(s->ports, s->port_count + 1, sizeof *grown);
    if (!grown)
        return false;
    s->ports = grown;
    (void)snprintf(path, sizeof path, "%s/lid", directory);
    node_file_open(s, &port.lid, path);
    if (port.lid.fd < 0)
        return false;
    s->ports[s->port_count++] = port;
    return true;
}

void node_free_ports(struct node_sources *s)
{
    for (size_t i = 0; i < s->port_count; i++)
        node_file_close(&s->ports[i].lid);
    for (size_t i = 0; i < s->counter_count; i++)
        node_file_close(&s->counters[i].file);
    free(TAKE(s->ports));
    free(TAKE(s->counters));
    s->port_count = s->counter_count = 0;
    s->ports_left_out = s->counters_left_out = 0;
}

void node_find_ports(struct node_sources *s)
{
    char pattern[600];
    const char *directories[NODE_PORTS_MAX] = { NULL };
    size_t skip = strlen(s->root);
    glob_t found = { 0 };
    node_free_ports(s);
    (void)snprintf(pattern, sizeof pattern, "%s" PORTS, s->root);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (port_add(s, found.gl_pathv[i] + skip))
                directories[s->port_count - 1] = found.gl_pathv[i] + skip;
    for (size_t i = 0; i < s->port_count; i++)
        named_add(s, i, directories[i], data_counters, COUNT_OF(data_counters));
    for (size_t i = 0; i < s->port_count; i++)
        named_add(s, i, directories[i], error_counters, COUNT_OF(error_counters));
    for (size_t i = 0; i < s->port_count; i++)
        driver_add(s, i, directories[i]);
    globfree(&found);
    s->ports_searched_ns = s->now_ns;
}

/* ---- a round ---- */

/* Returns whether it is a port still. */
static bool port_read(struct node_sources *s, struct node_port *port)
{
    struct span lid = span_trim(node_file_read(s, &port->lid));
    port->is_on = lid.size > 0 && !span_is(lid, "0x0") && !span_is(lid, "0");
    return lid.size > 0;
}

void node_read_ports(struct node_sources *s)
{
    bool is_changed = s->port_count == 0;
    for (size_t i = 0; i < s->port_count; i++)
        if (!port_read(s, &s->ports[i]))
            is_changed = true;
    for (size_t i = 0; i < s->counter_count; i++) {
        const struct node_counter *counter = &s->counters[i];
        const struct node_port *port = &s->ports[counter->port];
        uint64_t value;
        if (port->is_on &&
            number_parse_u64(span_trim(node_file_read(s, &counter->file)), &value) == 0)
            node_emit_of(s, counter->metric, counter->unit,
                         (double)value * counter->scale, "network",
                         span_of(port->name));
    }
    if (s->ports_searched_ns == 0)
        s->ports_searched_ns = s->now_ns;
    else if (is_changed && s->now_ns - s->ports_searched_ns >= SEARCH_S * NS_PER_S)
        node_find_ports(s);
}
