/* SPDX-License-Identifier: Apache-2.0 */
/* sample - the targets of file systems: how full, active or not, served by whom. */
#include "source/health/sample.h"

#include "base/number.h"
#include "source/health/nsd.h"

#include <stdlib.h>

#define DF_FIELDS 5 /* UUID, blocks, used, available, use%; then the mount point */
#define UUID_END "_UUID"

void health_sample_init(struct health_sample *sample)
{
    *sample = (struct health_sample){ 0 };
}

void health_sample_done(struct health_sample *sample)
{
    free(sample->targets);
    hashmap_done(&sample->index);
    hashmap_done(&sample->filesystems);
    health_sample_init(sample);
}

const struct health_target *health_sample_find(const struct health_sample *sample,
                                               struct span name)
{
    const uintptr_t *at = hashmap_get(&sample->index, name);
    return at && *at > 0 ? &sample->targets[*at - 1] : NULL;
}

static int sample_grow(struct health_sample *sample)
{
    size_t capacity = sample->capacity ? 2 * sample->capacity : 64;
    struct health_target *grown =
        reallocarray(sample->targets, capacity, sizeof *sample->targets);
    if (!grown)
        return -ENOMEM;
    sample->targets = grown;
    sample->capacity = capacity;
    return 0;
}

/* Whether fs is a new one, which then is none any more.  Errors: -E2BIG, -ENOMEM. */
static int sample_fs(struct health_sample *sample, struct span fs, bool *ret_is_new)
{
    bool is_new = !hashmap_get(&sample->filesystems, fs);
    if (is_new && sample->filesystems.count >= HEALTH_FILESYSTEMS_MAX)
        return -E2BIG;
    if (is_new && !hashmap_put(&sample->filesystems, fs, NULL))
        return -ENOMEM;
    *ret_is_new = is_new;
    return 0;
}

static int sample_make(struct health_sample *sample, struct span name,
                       const struct target_name *parts, struct health_target **ret)
{
    bool begins_fs = false;
    if (sample->count >= HEALTH_TARGETS_MAX)
        return -E2BIG;
    if (sample->count == sample->capacity && sample_grow(sample) < 0)
        return -ENOMEM;
    int rc = parts->fs.size > 0 ? sample_fs(sample, parts->fs, &begins_fs) : 0;
    if (rc < 0)
        return rc;
    uintptr_t *at = hashmap_put(&sample->index, name, NULL);
    if (!at)
        return -ENOMEM;
    struct health_target *t = &sample->targets[sample->count++];
    *t = (struct health_target){ .name = name,
                                 .parts = *parts,
                                 .begins_fs = begins_fs,
                                 .space_t_ns = -1,
                                 .server_t_ns = -1 };
    *at = sample->count;
    *ret = t;
    return 0;
}

/* The target called name, made when it is new.
 * Errors: -EINVAL (no target's name), -E2BIG, -ENOMEM. */
static int sample_target(struct health_sample *sample, struct span name,
                         struct health_target **ret)
{
    struct target_name parts;
    const uintptr_t *at = hashmap_get(&sample->index, name);
    if (at && *at > 0) {
        *ret = &sample->targets[*at - 1];
        return 0;
    }
    if (target_parse(name, &parts) < 0)
        return -EINVAL;
    return sample_make(sample, name, &parts, ret);
}

int health_sample_disk(struct health_sample *sample, struct span name, struct span fs,
                       struct health_target **ret)
{
    const uintptr_t *at = hashmap_get(&sample->index, name);
    if (!at || *at == 0) {
        const struct target_name parts = { .fs = fs, .kind = TARGET_OST };
        int rc = sample_make(sample, name, &parts, ret);
        if (rc == 0)
            (*ret)->has |= HEALTH_DISK;
        return rc;
    }
    struct health_target *t = &sample->targets[*at - 1];
    if (t->parts.fs.size == 0 && fs.size > 0) { /* first told now */
        bool begins_fs;
        int rc = sample_fs(sample, fs, &begins_fs);
        if (rc < 0)
            return rc;
        t->parts.fs = fs;
        t->begins_fs = begins_fs;
    }
    *ret = t;
    return 0;
}

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

struct reading {
    struct health_sample *sample;
    int64_t t_ns;   /* of the block; -1 */
    bool is_inodes; /* lfs df -i: its numbers are no space */
    struct nsd_reading nsd;
    const char *reason; /* why the line just read could not be */
};

static int refuse(struct reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

static int reading_target(struct reading *r, struct span name,
                          struct health_target **ret)
{
    int rc = sample_target(r->sample, name, ret);
    if (rc == -EINVAL)
        return refuse(r, "it names no target");
    if (rc == -E2BIG)
        return refuse(r, "there are more targets or file systems than are taken in");
    return rc;
}

/* "/scratch2[OST:0] f": the mount point may hold blanks and brackets. */
static int take_mount(struct span rest, struct span *ret_mount, struct span *ret_flags)
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
static int read_without_space(struct reading *r, struct span name, struct span words)
{
    struct health_target *t;
    if (!span_starts(span_trim(words), "inactive"))
        return refuse(r, "no space is told");
    int rc = reading_target(r, name, &t);
    if (rc == 0 && !(t->has & HEALTH_SPACE))
        t->has |= HEALTH_SPACE_INACTIVE;
    return rc;
}

static int read_df_line(struct reading *r, struct span name, struct span rest)
{
    struct span words[DF_FIELDS - 1], mount, flags;
    uint64_t numbers[3];
    struct health_target *t;
    name.size -= sizeof UUID_END - 1;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (!next_word(&rest, &words[i]))
            return refuse(r, "columns are missing");
        if (i == 0 && span_is(words[0], ":"))
            return read_without_space(r, name, rest);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (number_parse_u64(words[i], &numbers[i]) < 0)
            return refuse(r, "a number of KiB is none (lfs df -h cannot be read)");
    if (numbers[1] > numbers[0])
        return refuse(r, "more is used than there is");
    if (!span_ends(words[3], "%") || take_mount(rest, &mount, &flags) < 0)
        return refuse(r, "the end of the line is not 'NN% MOUNT[OST:N]'");
    int rc = r->is_inodes ? 0 : reading_target(r, name, &t);
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

/* "4 UP osc DEVICE UUID REFERENCES [NID]"; number is taken. */
static int read_device_line(struct reading *r, struct span rest)
{
    struct span status, type, device, word, nid, name;
    struct health_target *t;
    uint64_t references;
    if (!next_word(&rest, &status) || !next_word(&rest, &type) ||
        !next_word(&rest, &device) || !next_word(&rest, &word) ||
        !next_word(&rest, &word) || number_parse_u64(word, &references) < 0)
        return refuse(r, "it is no line of lctl dl");
    if (!span_is(type, "osc") && !span_is(type, "mdc") && !span_is(type, "osp"))
        return 0;
    if (!device_target(device, &name))
        return refuse(r, "the device names no target");
    int rc = reading_target(r, name, &t);
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

static int read_line(struct reading *r, struct span line)
{
    struct span word, rest = line;
    uint64_t number;
    if (!next_word(&rest, &word))
        return 0;
    if (span_is(word, "UUID")) {
        struct span unit;
        r->is_inodes = next_word(&rest, &unit) && span_is(unit, "Inodes");
        return 0;
    }
    if (span_starts(word, "filesystem"))
        return 0; /* the summary: it follows from the targets */
    if (span_ends(word, UUID_END))
        return read_df_line(r, word, rest);
    if (r->nsd.table == NSD_NONE && number_parse_u64(word, &number) == 0)
        return read_device_line(r, rest);
    int rc = nsd_line(&r->nsd, line);
    if (rc == 1)
        return refuse(r, "it is of neither lfs df nor lctl dl");
    if (rc == -EINVAL)
        r->reason = r->nsd.reason;
    return rc;
}

int health_sample_add(struct health_sample *sample, const struct health_block *block,
                      health_fault_fn *on_fault, void *arg)
{
    struct reading r = { .sample = sample, .t_ns = block->has_time ? block->t_ns : -1 };
    struct span rest = block->text, line;
    r.nsd = (struct nsd_reading){ .sample = sample, .t_ns = r.t_ns };
    for (uint64_t number = block->line; rest.size > 0; number++) {
        int rc = span_cut(&rest, '\n', &line) ? read_line(&r, line)
                                              : refuse(&r, "the line is cut");
        if (rc == -ENOMEM)
            return rc;
        if (rc == 0)
            continue;
        sample->fault_count++;
        if (on_fault)
            on_fault(arg, number, line, r.reason);
    }
    return 0;
}

bool health_sample_next_fs(const struct health_sample *sample, size_t *cursor,
                           struct span *ret_fs, struct span *ret_mount)
{
    while (*cursor < sample->count) {
        size_t first = (*cursor)++;
        struct span fs = sample->targets[first].parts.fs;
        if (!sample->targets[first].begins_fs)
            continue;
        *ret_fs = fs;
        *ret_mount = (struct span){ "", 0 };
        for (size_t i = first; i < sample->count && ret_mount->size == 0; i++)
            if (span_eq(sample->targets[i].parts.fs, fs) &&
                (sample->targets[i].has & HEALTH_SPACE))
                *ret_mount = sample->targets[i].mount;
        return true;
    }
    return false;
}

int health_sample_fs(const struct health_sample *sample, struct span what,
                     struct span *ret_fs)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct health_target *t = &sample->targets[i];
        bool is_mount =
            (t->has & HEALTH_SPACE) && t->mount.size > 0 &&
            (span_eq(t->mount, what) || span_eq(span_skip(t->mount, 1), what));
        /* Of GPFS no mount is told: its last part is mostly called as the file system.
         */
        bool is_last =
            (t->has & HEALTH_DISK) && what.size > t->parts.fs.size &&
            t->parts.fs.size > 0 &&
            span_eq(span_skip(what, what.size - t->parts.fs.size), t->parts.fs) &&
            what.data[what.size - t->parts.fs.size - 1] == '/';
        if (is_mount || is_last || span_eq(t->parts.fs, what)) {
            *ret_fs = t->parts.fs;
            return 0;
        }
    }
    return -ENOENT;
}
