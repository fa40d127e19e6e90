/* SPDX-License-Identifier: Apache-2.0 */
/* mmpmon - what `mmpmon -p` answers to fs_io_s: the sums of one node, by file system.
 */
#include "source/gpfs/mmpmon.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#define ANSWER "_fs_io_s_"

enum {
    HAS_NODE = 1 << _GPFS_COUNT_COUNT,
    HAS_CLUSTER = HAS_NODE << 1,
    HAS_FS = HAS_NODE << 2,
    HAS_TIME = HAS_NODE << 3,
    HAS_ALL = (HAS_NODE << 4) - 1,
};

static const struct {
    const char *key;
    const char *name;
} counts[_GPFS_COUNT_COUNT] = {
    [GPFS_READ_BYTES] = { "_br_", "read_bytes" },
    [GPFS_WRITE_BYTES] = { "_bw_", "write_bytes" },
    [GPFS_OPENS] = { "_oc_", "opens" },
    [GPFS_CLOSES] = { "_cc_", "closes" },
    [GPFS_READS] = { "_rdc_", "reads" },
    [GPFS_WRITES] = { "_wc_", "writes" },
    [GPFS_READDIRS] = { "_dir_", "readdirs" },
    [GPFS_INODE_UPDATES] = { "_iu_", "inode_updates" },
};

const char *gpfs_count_name(enum gpfs_count count)
{
    return counts[count].name;
}

static bool word_cut(struct span *rest, struct span *ret)
{
    *rest = span_trim(*rest);
    if (rest->size == 0)
        return false;
    (void)span_cut(rest, ' ', ret);
    return true;
}

/* Take one pair; false with a reason: it cannot be. */
static bool pair_take(struct span key, struct span value, struct gpfs_io *io,
                      unsigned *has, const char **ret_reason)
{
    uint64_t n = 0;
    const struct {
        const char *key;
        unsigned has;
        struct span *text;
    } texts[] = { { "_nn_", HAS_NODE, &io->node },
                  { "_cl_", HAS_CLUSTER, &io->cluster },
                  { "_fs_", HAS_FS, &io->fs } };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (span_is(key, texts[i].key)) {
            *texts[i].text = value;
            *has |= texts[i].has;
            return true;
        }
    for (unsigned i = 0; i < _GPFS_COUNT_COUNT; i++)
        if (span_is(key, counts[i].key)) {
            *ret_reason = "a count is none";
            *has |= 1U << i;
            return number_parse_u64(value, &io->counts[i]) == 0;
        }
    if (span_is(key, "_t_")) {
        *ret_reason = "its time is none";
        if (number_parse_u64(value, &n) < 0 || n > INT64_MAX / 4)
            return false;
        io->t_s = (int64_t)n;
        *has |= HAS_TIME;
    }
    if (span_is(key, "_rc_")) {
        *ret_reason = "the request failed";
        return span_is(value, "0");
    }
    return true; /* others are none of ours */
}

/* NULL: it is understood. */
static const char *answer_parse(struct span rest, struct gpfs_io *ret)
{
    struct gpfs_io io = { 0 };
    struct span key, value;
    unsigned has = 0;
    const char *reason = NULL;
    while (word_cut(&rest, &key)) {
        if (!word_cut(&rest, &value))
            return "a value is missing";
        if (!pair_take(key, value, &io, &has, &reason))
            return reason;
    }
    if (has != HAS_ALL)
        return "a part of it is missing";
    *ret = io;
    return NULL;
}

bool mmpmon_is(struct span text)
{
    struct span line, word;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        if (!word_cut(&line, &word))
            continue;
        /* "_ver_", "_response_" and so on may come before. */
        return word.size > 2 && word.data[0] == '_' && word.data[word.size - 1] == '_';
    }
    return false;
}

int mmpmon_read(struct span text, const struct mmpmon_opts *opts)
{
    uint64_t number = 0;
    int rc = 0;
    while (rc == 0 && text.size > 0) {
        struct span line, word;
        bool is_whole = span_cut(&text, '\n', &line);
        struct span rest = line;
        struct gpfs_io io;
        number++;
        if (!word_cut(&rest, &word) || !span_is(word, ANSWER))
            continue;
        const char *reason = is_whole ? answer_parse(rest, &io) : "the line is cut";
        if (!reason)
            rc = opts->on_io(opts->arg, &io);
        else if (opts->on_fault)
            opts->on_fault(opts->arg, number, line, reason);
    }
    return rc;
}
