/* SPDX-License-Identifier: Apache-2.0 */
/* zone - how far ahead of UTC the clocks of a place are. */
#include "base/zone.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/zone_rule.h"

#define ZONE_DIR "/usr/share/zoneinfo"
#define ZONE_BYTES_MAX ((size_t)1 << 20)
#define ZONE_CHANGES_MAX 65536
#define ZONE_TYPES_MAX 256
#define HEAD_BYTES 44
#define TYPE_BYTES 6
#define OFFSET_MAX_NS (26 * 3600 * NS_PER_S)

/* ---- "+01:00", "-8h" ---- */

static int offset_parse(struct span text, int64_t *ret_ns)
{
    bool is_west = span_starts(text, "-");
    int64_t ns;
    uint64_t hours;
    uint64_t minutes;
    if (span_is(text, "UTC") || span_is(text, "Z")) {
        *ret_ns = 0;
        return 0;
    }
    if (is_west || span_starts(text, "+"))
        text = span_skip(text, 1);
    struct span tail = text;
    struct span head;
    if (span_cut(&tail, ':', &head)) {
        if (head.size != 2 || tail.size != 2 || number_parse_u64(head, &hours) < 0 ||
            number_parse_u64(tail, &minutes) < 0 || minutes > 59)
            return -EINVAL;
        ns = (int64_t)(hours * 3600 + minutes * 60) * NS_PER_S;
    } else if (number_parse_duration(text, &ns) < 0) {
        return -EINVAL;
    }
    if (ns > 24 * 3600 * NS_PER_S)
        return -EINVAL;
    *ret_ns = is_west ? -ns : ns;
    return 0;
}

/* ---- files ---- */

static int64_t big_endian(const char *bytes, size_t size)
{
    uint64_t value = (unsigned char)bytes[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)bytes[i];
    return (int64_t)value;
}

/* The parts of one of the two blocks of a file, in their order. */
struct block {
    size_t changes, types, leaps, name_bytes, standard, utc;
};

static int block_read(struct span bytes, struct block *ret)
{
    size_t counts[6];
    if (bytes.size < HEAD_BYTES || !span_starts(bytes, "TZif"))
        return -EINVAL;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int64_t count = big_endian(bytes.data + 20 + 4 * i, 4);
        if (count < 0 || count > ZONE_CHANGES_MAX)
            return -EINVAL;
        counts[i] = (size_t)count;
    }
    *ret = (struct block){ .utc = counts[0],
                           .standard = counts[1],
                           .leaps = counts[2],
                           .changes = counts[3],
                           .types = counts[4],
                           .name_bytes = counts[5] };
    return ret->types > 0 && ret->types <= ZONE_TYPES_MAX ? 0 : -EINVAL;
}

static size_t block_bytes(const struct block *b, size_t time_bytes)
{
    return b->changes * (time_bytes + 1) + b->types * TYPE_BYTES + b->name_bytes +
           b->leaps * (time_bytes + 4) + b->standard + b->utc;
}

static int64_t seconds_ns(int64_t s)
{
    const int64_t most = INT64_MAX / NS_PER_S - 1;
    return (s > most ? most : s < -most ? -most : s) * NS_PER_S;
}

static int changes_read(struct span body, const struct block *b, struct zone *ret)
{
    const char *indexes = body.data + b->changes * 8;
    const char *types = indexes + b->changes;
    AUTO(zone_done) struct zone zone = { 0 };
    zone.changes = calloc(b->changes + ZONE_RULE_CHANGES_MAX, sizeof *zone.changes);
    if (!zone.changes)
        return -ENOMEM;
    zone.first_ns = big_endian(types, 4) * NS_PER_S;
    for (size_t i = 0; i < b->changes; i++) {
        unsigned char type = (unsigned char)indexes[i];
        struct zone_change change = { .t_ns = seconds_ns(
                                          big_endian(body.data + i * 8, 8)) };
        if (type >= b->types)
            return -EINVAL;
        change.offset_ns = big_endian(types + (size_t)type * TYPE_BYTES, 4) * NS_PER_S;
        if (change.offset_ns > OFFSET_MAX_NS || change.offset_ns < -OFFSET_MAX_NS ||
            (i > 0 && change.t_ns < zone.changes[i - 1].t_ns))
            return -EINVAL;
        zone.changes[i] = change;
    }
    zone.change_count = b->changes;
    if (zone.first_ns > OFFSET_MAX_NS || zone.first_ns < -OFFSET_MAX_NS)
        return -EINVAL;
    *ret = zone;
    zone = (struct zone){ 0 };
    return 0;
}

/* Behind the blocks, between line ends: the rule of the years after the last change.  A
 * rule that cannot be read costs these years, as a file without one does. */
static void footer_read(struct span text, struct zone *zone)
{
    struct span rule;
    size_t count = 0;
    int64_t last_ns =
        zone->change_count ? zone->changes[zone->change_count - 1].t_ns : INT64_MIN;
    if (!span_starts(text, "\n"))
        return;
    text = span_skip(text, 1);
    if (span_cut(&text, '\n', &rule) &&
        zone_rule_changes(rule, last_ns, zone->changes + zone->change_count, &count) ==
            0)
        zone->change_count += count;
}

/* The second block has times of 64 bits; a file of version 1 has none. */
int zone_parse(struct span bytes, struct zone *ret)
{
    struct block b;
    int rc = block_read(bytes, &b);
    if (rc < 0 || bytes.data[4] < '2')
        return -EINVAL;
    size_t first = HEAD_BYTES + block_bytes(&b, 4);
    if (first > bytes.size)
        return -EINVAL;
    bytes = span_skip(bytes, first);
    rc = block_read(bytes, &b);
    if (rc < 0 || HEAD_BYTES + block_bytes(&b, 8) > bytes.size)
        return -EINVAL;
    rc = changes_read(span_skip(bytes, HEAD_BYTES), &b, ret);
    if (rc == 0)
        footer_read(span_skip(bytes, HEAD_BYTES + block_bytes(&b, 8)), ret);
    return rc;
}

/* Nothing that could leave the directory of zones. */
static bool is_name(const char *name)
{
    for (const char *c = name; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                         (*c >= '0' && *c <= '9') || strchr("+-_", *c);
        if (!is_letter && (*c != '/' || c == name || c[1] == '/'))
            return false;
    }
    return *name != '\0' && strlen(name) < 128;
}

int zone_load(const char *name, struct zone *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct zone zone = { 0 };
    char path[256];
    if (offset_parse(span_of(name), &zone.first_ns) == 0) {
        *ret = zone;
        return 0;
    }
    (void)snprintf(path, sizeof path, ZONE_DIR "/%s", name);
    if (!is_name(name) || file_read(path, ZONE_BYTES_MAX, &bytes, NULL) < 0)
        return err_set(
            err, EINVAL,
            "'%s' is not a time zone: write 'UTC', '-8h', '+01:00' or a name as "
            "'Europe/Berlin' that " ZONE_DIR " has",
            name);
    int rc = zone_parse(strbuf_span(&bytes), ret);
    return rc < 0 ? err_set(err, -rc, "%s: no file of a time zone", path) : 0;
}

void zone_done(struct zone *zone)
{
    free(zone->changes);
    *zone = (struct zone){ 0 };
}

/* ---- asking ---- */

/* How many changes were at or before t_ns. */
static size_t changes_until(const struct zone *zone, int64_t t_ns)
{
    size_t low = 0;
    size_t high = zone->change_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->changes[middle].t_ns <= t_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t offset_at(const struct zone *zone, size_t index)
{
    return index == 0 ? zone->first_ns : zone->changes[index - 1].offset_ns;
}

int64_t zone_offset_ns(const struct zone *zone, int64_t t_ns)
{
    return offset_at(zone, changes_until(zone, t_ns));
}

int64_t zone_utc_ns(const struct zone *zone, int64_t local_ns)
{
    /* Changes are days apart: the right offset is among those of a day around. */
    const int64_t day_ns = 86400 * NS_PER_S;
    size_t first = changes_until(zone, local_ns - day_ns - 4 * 3600 * NS_PER_S);
    size_t last = changes_until(zone, local_ns + day_ns + 4 * 3600 * NS_PER_S);
    for (size_t i = first; i < last; i++) {
        int64_t t_ns = local_ns - offset_at(zone, i);
        /* Before the next change ends it; in the hour left out it is what was. */
        int64_t next_ns = zone->changes[i].t_ns;
        bool is_gap =
            t_ns >= next_ns && local_ns - zone->changes[i].offset_ns < next_ns;
        if (t_ns < next_ns || is_gap)
            return t_ns;
    }
    return local_ns - offset_at(zone, last);
}

int64_t zone_utc_second_ns(const struct zone *zone, int64_t local_ns)
{
    int64_t first_ns = zone_utc_ns(zone, local_ns);
    size_t next = changes_until(zone, first_ns);
    if (next == zone->change_count)
        return first_ns;
    int64_t second_ns = local_ns - offset_at(zone, next + 1);
    return second_ns > first_ns && second_ns >= zone->changes[next].t_ns ? second_ns
                                                                         : first_ns;
}

size_t zone_print(char out[static TIMETEXT_SIZE], const struct zone *zone, int64_t t_ns)
{
    size_t size = timetext_print(out, t_ns + zone_offset_ns(zone, t_ns));
    out[sizeof "2026-11-21" - 1] = ' ';
    out[--size] = '\0'; /* it is no Z */
    return size;
}
