/* SPDX-License-Identifier: Apache-2.0 */
/* nsd - what GPFS's commands say of its disks: mmdf, mmlsdisk, mmlsnsd. */
#include "source/health/nsd.h"

#include "base/number.h"
#include "base/span.h"
#include "source/health/sample_private.h"

#define WORDS_MAX 16

static int nsd_refuse(struct nsd_reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

/* Words between blanks; more than WORDS_MAX are not looked at. */
static size_t words_cut(struct span line, struct span words[static WORDS_MAX])
{
    size_t count = 0;
    while (count < WORDS_MAX) {
        line = span_trim(line);
        size_t n = 0;
        while (n < line.size && line.data[n] != ' ' && line.data[n] != '\t')
            n++;
        if (n == 0)
            break;
        words[count++] = (struct span){ line.data, n };
        line = span_skip(line, n);
    }
    return count;
}

static bool has_text(struct span line, const char *text)
{
    return memmem(line.data, line.size, text, strlen(text)) != NULL;
}

static bool is_yes(struct span s)
{
    return span_is(s, "yes") || span_is(s, "Yes");
}

static bool is_yes_or_no(struct span s)
{
    return is_yes(s) || span_is(s, "no") || span_is(s, "No");
}

static int disk_of(struct nsd_reading *r, struct span name, struct span fs,
                   struct health_target **ret)
{
    int rc = health_sample_disk(r->sample, name, fs, ret);
    return rc == -E2BIG
               ? nsd_refuse(r, "there are more targets or file systems than are read")
               : rc;
}

/* ---- what is reported of a disk, whatever the form ---- */

struct space {
    struct span size, blocks, fragments; /* KiB */
    struct span metadata, data;
};

static int space_read(struct nsd_reading *r, struct span name, const struct space *s)
{
    uint64_t total, blocks, fragments;
    struct health_target *t;
    if (number_parse_u64(s->size, &total) < 0 ||
        number_parse_u64(s->blocks, &blocks) < 0 ||
        number_parse_u64(s->fragments, &fragments) < 0 || !is_yes_or_no(s->metadata) ||
        !is_yes_or_no(s->data))
        return nsd_refuse(r, "a size is not a number, or columns are missing");
    if (blocks > total || fragments > total - blocks)
        return nsd_refuse(r, "more is free than there is");
    int rc = disk_of(r, name, r->fs, &t);
    if (rc < 0)
        return rc;
    t->parts.kind = is_yes(s->data) ? TARGET_OST : TARGET_MDT;
    if (t->has & HEALTH_SPACE)
        return 0;
    t->total_kib = total;
    t->available_kib = blocks + fragments;
    t->used_kib = total - t->available_kib;
    t->mount = t->flags = (struct span){ "", 0 };
    t->space_t_ns = r->t_ns;
    t->has |= HEALTH_SPACE;
    return 0;
}

static int state_read(struct nsd_reading *r, struct span name, struct span data,
                      struct span availability)
{
    struct health_target *t;
    int rc = disk_of(r, name, r->fs, &t);
    if (rc < 0)
        return rc;
    t->parts.kind = is_yes(data) ? TARGET_OST : TARGET_MDT;
    if (!span_is(availability, "up"))
        t->has |= HEALTH_SERVER_INACTIVE;
    return 0;
}

/* is_seen: it serves the disk now; else it is the first that should. */
static int server_read(struct nsd_reading *r, struct span name, struct span fs,
                       struct span server, bool is_seen)
{
    struct health_target *t;
    int rc = disk_of(r, name, fs, &t);
    if (rc < 0 || server.size == 0)
        return rc;
    if ((t->has & HEALTH_SERVER) && (!is_seen || (t->has & HEALTH_SERVER_SEEN)))
        return 0;
    t->server = server;
    t->server_t_ns = r->t_ns;
    t->has |= HEALTH_SERVER | (is_seen ? (unsigned)HEALTH_SERVER_SEEN : 0);
    return 0;
}

/* ---- the form for people ---- */

/* "name size group metadata data blocks ( pct%) fragments ( pct%) *" */
static int mmdf_row(struct nsd_reading *r, struct span line)
{
    struct span words[WORDS_MAX], kept[WORDS_MAX];
    size_t count = words_cut(line, words), n = 0;
    for (size_t i = 0; i < count; i++)
        if (words[i].data[0] != '(' && !span_ends(words[i], "%)"))
            kept[n++] = words[i];
    if (!r->is_kib)
        return nsd_refuse(r, "sizes are not in KB (run mmdf without --block-size)");
    if (n < 7)
        return nsd_refuse(r, "a size is not a number, or columns are missing");
    const struct space space = { kept[1], kept[5], kept[6], kept[3], kept[4] };
    return space_read(r, kept[0], &space);
}

/* "name driver sector group metadata data status availability pool"; a status may be of
 * several words, so that availability is looked for. */
static int mmlsdisk_row(struct nsd_reading *r, struct span line)
{
    static const char *const availabilities[] = { "up", "down", "recovering",
                                                  "unrecovered" };
    struct span words[WORDS_MAX];
    size_t count = words_cut(line, words);
    if (count < 8 || !is_yes_or_no(words[4]) || !is_yes_or_no(words[5]))
        return nsd_refuse(r, "it is not a row of mmlsdisk");
    for (size_t i = 7; i < count; i++)
        for (size_t k = 0; k < COUNT_OF(availabilities); k++)
            if (span_is(words[i], availabilities[k]))
                return state_read(r, words[0], words[5], words[i]);
    return nsd_refuse(r, "a disk's availability is missing");
}

/* "name node device availability" */
static int nodes_row(struct nsd_reading *r, struct span line)
{
    struct span words[WORDS_MAX];
    if (words_cut(line, words) < 3)
        return nsd_refuse(r, "it is not a row of mmlsdisk -m");
    struct span node = words[1];
    if (span_is(node, "-"))
        node.size = 0;
    return server_read(r, words[0], r->fs, node, true);
}

static struct span first_of_list(struct span list)
{
    struct span first;
    (void)span_cut(&list, ',', &first);
    return first;
}

/* "fs name server,server"; free disks are of no file system. */
static int mmlsnsd_row(struct nsd_reading *r, struct span line)
{
    struct span words[WORDS_MAX];
    size_t count = words_cut(line, words);
    if (count > 0 && words[0].data[0] == '(')
        return 0;
    if (count < 3)
        return nsd_refuse(r, "it is not a row of mmlsnsd");
    struct span server = first_of_list(words[2]);
    if (server.data[0] == '(') /* directly attached */
        server.size = 0;
    return server_read(r, words[1], words[0], server, false);
}

static bool is_beside(struct span line)
{
    static const char *const starts[] = {
        "name ",
        "Disks in storage pool",
        "(pool total)",
        "(total)",
        "(data)",
        "(metadata)",
        "Inode Information",
        "Number of ",
        "Maximum",
        "Attention:",
        "Total number of ",
    };
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (span_starts(line, starts[i]))
            return true;
    for (size_t i = 0; i < line.size; i++)
        if (!strchr("-= ", line.data[i]))
            return false;
    return true;
}

static int row_line(struct nsd_reading *r, struct span line)
{
    if (r->table == NSD_MMDF && span_starts(line, "name "))
        r->is_kib = has_text(line, "in KB");
    if (is_beside(line))
        return 0;
    switch (r->table) {
    case NSD_MMDF:
        return mmdf_row(r, line);
    case NSD_MMLSDISK:
        return mmlsdisk_row(r, line);
    case NSD_MMLSDISK_NODES:
        return nodes_row(r, line);
    default:
        return mmlsnsd_row(r, line);
    }
}

/* NSD_NONE: it is no header. */
static enum nsd_table header_table(struct span line)
{
    if (span_starts(line, "File system") && has_text(line, "Disk name"))
        return NSD_MMLSNSD;
    if (span_starts(line, "Disk name") && has_text(line, "IO performed on node"))
        return NSD_MMLSDISK_NODES;
    if (span_starts(line, "disk ") && has_text(line, "driver"))
        return NSD_MMLSDISK;
    if (span_starts(line, "disk ") && has_text(line, "disk size"))
        return NSD_MMDF;
    return NSD_NONE;
}

/* ---- the form for programs: "mmdf:nsd:HEADER:...", "mmdf:nsd:0:1:::..." ---- */

static struct span nsd_field(const struct nsd_reading *r, struct span line,
                             const char *name)
{
    struct span value = { "", 0 };
    for (size_t i = 0; i < r->field_count; i++) {
        (void)span_cut(&line, ':', &value);
        if (span_is(r->fields[i], name))
            return value;
    }
    return (struct span){ "", 0 };
}

static void header_read(struct nsd_reading *r, struct span kind, struct span line)
{
    r->kind = kind;
    r->field_count = 0;
    while (line.size > 0 && r->field_count < NSD_FIELDS_MAX)
        (void)span_cut(&line, ':', &r->fields[r->field_count++]);
}

static int program_row(struct nsd_reading *r, struct span line)
{
    bool is_nsd = span_is(r->kind, "mmlsnsd:nsd");
    struct span name = nsd_field(r, line, is_nsd ? "diskName" : "nsdName");
    if (name.size == 0)
        return nsd_refuse(r, "it names no disk");
    if (is_nsd)
        return server_read(r, name, nsd_field(r, line, "fileSystem"),
                           first_of_list(nsd_field(r, line, "serverList")), false);
    if (span_is(r->kind, "mmdf:nsd")) {
        const struct space space = {
            nsd_field(r, line, "diskSize"),      nsd_field(r, line, "freeBlocks"),
            nsd_field(r, line, "freeFragments"), nsd_field(r, line, "metadata"),
            nsd_field(r, line, "data"),
        };
        return space_read(r, name, &space);
    }
    struct span availability = nsd_field(r, line, "availability");
    if (availability.size == 0)
        return nsd_refuse(r, "a disk's availability is missing");
    return state_read(r, name, nsd_field(r, line, "data"), availability);
}

/* line has "command:section:" before it.  Sections of no disks are passed over. */
static int program_line(struct nsd_reading *r, struct span line)
{
    struct span rest = line, command, section, third;
    if (!span_cut(&rest, ':', &command) || !span_cut(&rest, ':', &section) ||
        !span_cut(&rest, ':', &third))
        return nsd_refuse(r, "fields are missing");
    struct span kind = { line.data, (size_t)(section.data + section.size - line.data) };
    if (!span_is(kind, "mmdf:nsd") && !span_is(kind, "mmlsdisk:") &&
        !span_is(kind, "mmlsnsd:nsd"))
        return 0;
    /* Fields are counted from the command on. */
    if (span_is(third, "HEADER")) {
        header_read(r, kind, line);
        return 0;
    }
    return span_eq(kind, r->kind) ? program_row(r, line)
                                  : nsd_refuse(r, "its header is not before it");
}

/* "mmdf fs1", as a person types it and a collector puts before the output. */
static bool command_line(struct nsd_reading *r, struct span line)
{
    struct span words[WORDS_MAX];
    size_t count = words_cut(line, words);
    if (count < 2 || !(span_is(words[0], "mmdf") || span_is(words[0], "mmlsdisk")))
        return false;
    r->fs = words[1];
    if (span_starts(r->fs, "/dev/"))
        r->fs = span_skip(r->fs, strlen("/dev/"));
    r->table = NSD_NONE;
    return true;
}

int nsd_line(struct nsd_reading *reading, struct span line)
{
    line = span_trim(line);
    enum nsd_table table = header_table(line);
    if (table != NSD_NONE) {
        reading->table = table;
        reading->is_kib = false;
        return 0;
    }
    if (span_starts(line, "mmdf:") || span_starts(line, "mmlsdisk:") ||
        span_starts(line, "mmlsnsd:"))
        return program_line(reading, line);
    if (command_line(reading, line))
        return 0;
    return reading->table != NSD_NONE && line.size > 0 ? row_line(reading, line) : 1;
}
