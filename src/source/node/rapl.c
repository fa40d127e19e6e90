/* SPDX-License-Identifier: Apache-2.0 */
/* rapl - power of processors and their memory, by the counters of their energy.
 *
 *     /sys/class/powercap/intel-rapl:0     name package-0, of a socket
 *                         intel-rapl:0:0   name dram, core, uncore: a zone of it
 *                         intel-rapl:1     name psys: of the node
 *         energy_uj            begins again at 0 after
 *         max_energy_range_uj
 *
 * (AMD's have the same names.)  The kernel lets root alone read energy_uj, since
 * energy in fine steps shows what a processor computes with: they are opened before
 * privileges are given up, and what is sent is the mean of an interval.
 *
 * In an interval in which POWER_MAX_W would bring a counter around it may have come
 * around twice, and one of which more than that comes was set back: both are left out.
 */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>

#define ZONES "/sys/class/powercap/intel-rapl:*"
#define POWER_MAX_W 1000.0 /* of a zone */
#define UJ_PER_J 1e6

struct energy_zone {
    struct node_file file;
    char socket[12];          /* its number; "": of the node */
    char name[NODE_NAME_MAX]; /* of the zone; "": the socket itself */
    uint64_t range_uj, before_uj;
    bool has_before;
};

struct node_energy {
    struct energy_zone zones[NODE_ZONES_MAX];
    size_t count, unread_count;
    char unread[200]; /* the first that cannot be opened, and why */
};

/* ---- which zones there are ---- */

static void zone_name_clean(char *name)
{
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            *c = '_';
}

/* package-1, package-1-die-0: the socket's number, and what is behind it. */
static bool package_split(const char *name, struct energy_zone *zone)
{
    const char *number = name + strlen("package-");
    size_t digits;
    if (strncmp(name, "package-", strlen("package-")) != 0)
        return false;
    digits = strspn(number, "0123456789");
    if (digits == 0 || digits >= sizeof zone->socket ||
        (number[digits] && number[digits] != '-'))
        return false;
    (void)snprintf(zone->socket, sizeof zone->socket, "%.*s", (int)digits, number);
    (void)snprintf(zone->name, sizeof zone->name, "%s",
                   number[digits] ? number + digits + 1 : "");
    return true;
}

/* intel-rapl:0:1 is a zone of intel-rapl:0, whose name has the socket. */
static bool zone_name(struct node_sources *s, const char *path,
                      struct energy_zone *zone)
{
    char file[640], own[NODE_NAME_MAX], outer[NODE_NAME_MAX] = "";
    const char *first = strchr(path, ':'), *last = strrchr(path, ':');
    (void)snprintf(file, sizeof file, "%s/name", path);
    node_text_of(s, file, own);
    zone_name_clean(own);
    if (first != last) {
        (void)snprintf(file, sizeof file, "%.*s/name", (int)(last - path), path);
        node_text_of(s, file, outer);
        zone_name_clean(outer);
    }
    if (!*own || package_split(own, zone))
        return *own;
    if (!package_split(outer, zone) || !*zone->name) {
        (void)snprintf(zone->name, sizeof zone->name, "%s", own);
    } else {
        size_t size = strlen(zone->name);
        (void)snprintf(zone->name + size, sizeof zone->name - size, "-%s", own);
    }
    return true;
}

static bool zone_range(struct node_sources *s, const char *path, uint64_t *ret)
{
    char file[640], text[NODE_NAME_MAX];
    (void)snprintf(file, sizeof file, "%s/max_energy_range_uj", path);
    node_text_of(s, file, text);
    return number_parse_u64(span_of(text), ret) == 0 && *ret > 0;
}

static void zone_add(struct node_sources *s, struct node_energy *e, const char *path)
{
    struct energy_zone zone = { .file = { -1 } };
    char file[640];
    if (strnlen(path, 512) == 512 || !zone_range(s, path, &zone.range_uj) ||
        !zone_name(s, path, &zone))
        return;
    (void)snprintf(file, sizeof file, "%s/energy_uj", path);
    errno = 0;
    node_file_open(s, &zone.file, file);
    if (zone.file.fd < 0) {
        if (e->unread_count++ == 0)
            (void)snprintf(e->unread, sizeof e->unread, "%.120s: %s", file,
                           strerror(errno));
        return;
    }
    e->zones[e->count++] = zone;
}

int node_energy_open(const char *root, struct node_energy **ret)
{
    AUTO(node_reader_free) struct node_sources *s = node_reader_new(root);
    AUTO(node_energy_free) struct node_energy *e = calloc(1, sizeof *e);
    char pattern[600];
    glob_t found = { 0 };
    if (!s || !e)
        return -ENOMEM;
    (void)snprintf(pattern, sizeof pattern, "%s" ZONES, s->root);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && e->count < NODE_ZONES_MAX; i++)
            zone_add(s, e, found.gl_pathv[i] + strlen(s->root));
    globfree(&found);
    *ret = TAKE(e);
    return 0;
}

void node_energy_free(struct node_energy *e)
{
    for (size_t i = 0; e && i < e->count; i++)
        node_file_close(&e->zones[i].file);
    free(e);
}

bool node_energy_unread(const struct node_energy *e, char *out, size_t size)
{
    if (e->unread_count > 0)
        (void)snprintf(out, size,
                       "power of %zu zones of processors is not read (rapl): %s; the "
                       "kernel lets root alone read it, see baro-agent.conf(5)",
                       e->unread_count, e->unread);
    return e->unread_count > 0;
}

/* ---- a round ---- */

static void zone_emit(const struct node_sources *s, const struct energy_zone *zone,
                      double watts)
{
    const struct node_value value = {
        .metric = "rapl_average_power",
        .unit = "Watt",
        .value = watts,
        .type = span_of(*zone->socket ? "socket" : ""),
        .id = span_of(zone->socket),
        .stype = span_of(*zone->name ? "zone" : ""),
        .stype_id = span_of(zone->name),
    };
    s->fn(s->arg, &value);
}

static void zone_read(struct node_sources *s, struct energy_zone *zone)
{
    uint64_t now_uj, before_uj = zone->before_uj;
    bool had_before = zone->has_before;
    zone->has_before =
        number_parse_u64(span_trim(node_file_read(s, &zone->file)), &now_uj) == 0 &&
        now_uj <= zone->range_uj;
    if (!zone->has_before)
        return;
    zone->before_uj = now_uj;
    if (!had_before || s->elapsed_s <= 0 ||
        (double)zone->range_uj / UJ_PER_J < POWER_MAX_W * s->elapsed_s)
        return;
    uint64_t used_uj =
        now_uj >= before_uj ? now_uj - before_uj : zone->range_uj - before_uj + now_uj;
    double watts = (double)used_uj / UJ_PER_J / s->elapsed_s;
    if (now_uj >= before_uj || watts <= POWER_MAX_W)
        zone_emit(s, zone, watts);
}

void node_read_energy(struct node_sources *s)
{
    for (size_t i = 0; s->energy && i < s->energy->count; i++)
        zone_read(s, &s->energy->zones[i]);
}
