/* SPDX-License-Identifier: Apache-2.0 */
/* lfs - what Lustre's clients print of targets: lfs df, lctl dl. */
#include "source/health/lfs.h"

#include "base/number.h"
#include "base/span.h"
#include "source/health/sample_private.h"

#define DF_FIELDS 5 /* UUID, blocks, used, available, use%; then the mount point */
#define UUID_END "_UUID"

/* The next word of *line; false at its end. */
static bool next_word(struct span *line, struct span *ret)
{
    *line = span_trim(*line);
    size_t n = 0;
    while (n < line->size && line->data[n] != ' ' && line->data[n] != '\t')
        n++;
    *ret = (struct span){ line->data, n };
    *line = span_skip(*line, n);
    return n > 0;
}

static int lfs_refuse(struct lfs_reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

static int lfs_target(struct lfs_reading *r, struct span name,
                      struct health_target **ret)
{
    int rc = health_sample_target(r->sample, name, ret);
    if (rc == -EINVAL)
        return lfs_refuse(r, "it names no target");
    if (rc == -E2BIG)
        return lfs_refuse(r, "there are more targets or file systems than are read");
    return rc;
}

/* "/scratch2[OST:0] f": the mount point may hold blanks and brackets. */
static int mount_read(struct span rest, struct span *ret_mount, struct span *ret_flags)
{
    rest = span_trim(rest);
    size_t open = rest.size, close;
    while (open > 0 && rest.data[open - 1] != '[')
        open--;
    for (close = open; close < rest.size && rest.data[close] != ']'; close++)
        ;
    if (open < 2 || close == rest.size)
        return -EINVAL;
    *ret_mount = (struct span){ rest.data, open - 1 };
    *ret_flags = span_trim(span_skip(rest, close + 1));
    return 0;
}

/* "scratch-OST0001_UUID : inactive device", or another reason. */
static int df_read_inactive(struct lfs_reading *r, struct span name, struct span words)
{
    struct health_target *t;
    if (!span_starts(span_trim(words), "inactive"))
        return lfs_refuse(r, "no space is reported");
    int rc = lfs_target(r, name, &t);
    if (rc == 0 && !(t->has & HEALTH_SPACE))
        t->has |= HEALTH_SPACE_INACTIVE;
    return rc;
}

static int df_read(struct lfs_reading *r, struct span name, struct span rest)
{
    struct span words[DF_FIELDS - 1], mount, flags;
    uint64_t numbers[3];
    struct health_target *t;
    name.size -= sizeof UUID_END - 1;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (!next_word(&rest, &words[i]))
            return lfs_refuse(r, "columns are missing");
        if (i == 0 && span_is(words[0], ":"))
            return df_read_inactive(r, name, rest);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (number_parse_u64(words[i], &numbers[i]) < 0)
            return lfs_refuse(
                r, "a size is not a number of KiB (lfs df -h cannot be read)");
    if (numbers[1] > numbers[0])
        return lfs_refuse(r, "more is used than there is");
    if (!span_ends(words[3], "%") || mount_read(rest, &mount, &flags) < 0)
        return lfs_refuse(r, "the end of the line is not 'NN% MOUNT[OST:N]'");
    int rc = r->is_inodes ? 0 : lfs_target(r, name, &t);
    if (rc < 0 || r->is_inodes || (t->has & HEALTH_SPACE))
        return rc;
    t->total_kib = numbers[0];
    t->used_kib = numbers[1];
    t->available_kib = numbers[2];
    t->mount = mount;
    t->flags = flags;
    t->space_t_ns = r->t_ns;
    t->has = (t->has & ~(unsigned)HEALTH_SPACE_INACTIVE) | HEALTH_SPACE;
    return 0;
}

/* "scratch-OST0014-osc-ffff885f81a64000": the target stands before the last "-osc". */
static bool device_target(struct span device, struct span *ret)
{
    for (size_t n = device.size; n > 4; n--) {
        struct span end = span_skip(device, n - 4);
        if (span_starts(end, "-osc") || span_starts(end, "-mdc")) {
            *ret = (struct span){ device.data, n - 4 };
            return true;
        }
    }
    return false;
}

/* "UP osc DEVICE UUID REFERENCES [NID]": what follows the number. */
static int device_read(struct lfs_reading *r, struct span rest)
{
    struct span status, type, device, word, nid, name;
    struct health_target *t;
    uint64_t references;
    if (!next_word(&rest, &status) || !next_word(&rest, &type) ||
        !next_word(&rest, &device) || !next_word(&rest, &word) ||
        !next_word(&rest, &word) || number_parse_u64(word, &references) < 0)
        return lfs_refuse(r, "it is not a line of lctl dl");
    if (!span_is(type, "osc") && !span_is(type, "mdc") && !span_is(type, "osp"))
        return 0;
    if (!device_target(device, &name))
        return lfs_refuse(r, "the device names no target");
    int rc = lfs_target(r, name, &t);
    if (rc < 0)
        return rc;
    bool is_up = span_is(status, "UP");
    if ((t->has & HEALTH_SERVER) && (!is_up || !(t->has & HEALTH_SERVER_INACTIVE)))
        return 0;
    if (is_up)
        t->has &= ~(unsigned)HEALTH_SERVER_INACTIVE;
    else
        t->has |= HEALTH_SERVER_INACTIVE;
    if (!next_word(&rest, &nid))
        return 0; /* lctl dl without -t */
    t->server = nid;
    t->server_t_ns = r->t_ns;
    t->has |= HEALTH_SERVER;
    return 0;
}

int lfs_line(struct lfs_reading *reading, struct span line)
{
    struct span word, rest = line;
    if (!next_word(&rest, &word))
        return 0;
    if (span_is(word, "UUID")) {
        struct span unit;
        reading->is_inodes = next_word(&rest, &unit) && span_is(unit, "Inodes");
        return 0;
    }
    if (span_starts(word, "filesystem"))
        return 0; /* the summary: it follows from the targets */
    return span_ends(word, UUID_END) ? df_read(reading, word, rest) : 1;
}

int lfs_device_line(struct lfs_reading *reading, struct span line)
{
    struct span word, rest = line;
    uint64_t number;
    if (!next_word(&rest, &word) || number_parse_u64(word, &number) < 0)
        return 1;
    return device_read(reading, rest);
}
