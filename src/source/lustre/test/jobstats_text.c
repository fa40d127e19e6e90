/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_text - prints job_stats as a given Lustre prints it; for tests and benches.
 */
#include "source/lustre/test/jobstats_text.h"

#include <ctype.h>
#include <inttypes.h>

enum id_form {
    ID_RAW,     /* up to 2.7 */
    ID_MARKED,  /* 2.8 to 2.15.1: '?' for what cannot be printed */
    ID_ESCAPED, /* 2.15.2: quoted where anything but [A-Za-z0-9.@_-] stands in it */
    ID_LOOSE, /* 2.16: also .@-_:/ as they are, but quoted for ':' '/' or a first '@' */
};

enum time_form {
    TIME_SECONDS,
    TIME_BOOT, /* column 0, since boot */
    TIME_NSECS,
};

struct form {
    enum id_form id;
    enum time_form time;
    bool all_statistics; /* every operation with min, max, sum, sumsq */
    bool wide;           /* a blank before each number */
    bool hist;
    const char *const *ost_ops, *const *mdt_ops;
};

#define MDT_OPS_2_5                                                                    \
    "open", "close", "mknod", "link", "unlink", "mkdir", "rmdir", "rename", "getattr", \
        "setattr", "getxattr", "setxattr", "statfs", "sync", "samedir_rename",         \
        "crossdir_rename"
#define OST_OPS_2_6                                                                   \
    "getattr", "setattr", "punch", "sync", "destroy", "create", "statfs", "get_info", \
        "set_info", "quotactl"

static const char *const ost_2_5[] = {
    "read", "write", "setattr", "punch", "sync", NULL
};
static const char *const ost_2_6[] = { "read_bytes", "write_bytes", OST_OPS_2_6, NULL };
static const char *const ost_2_14[] = { "read_bytes", "write_bytes", "read", "write",
                                        OST_OPS_2_6,  "prealloc",    NULL };
static const char *const mdt_2_5[] = { MDT_OPS_2_5, NULL };
static const char *const mdt_2_12[] = { MDT_OPS_2_5, "read_bytes", "write_bytes",
                                        "punch", NULL };
static const char *const mdt_2_14[] = { MDT_OPS_2_5, "read_bytes", "write_bytes",
                                        "punch",     "migrate",    NULL };
static const char *const mdt_2_15[] = { MDT_OPS_2_5, "read_bytes", "write_bytes",
                                        "read",      "write",      "punch",
                                        "migrate",   "fallocate",  NULL };
static const char *const mdt_2_16[] = { MDT_OPS_2_5,
                                        "parallel_rename_file",
                                        "parallel_rename_dir",
                                        "read_bytes",
                                        "write_bytes",
                                        "read",
                                        "write",
                                        "punch",
                                        "migrate",
                                        "fallocate",
                                        NULL };
static const char *const mdt_2_17[] = { MDT_OPS_2_5,
                                        "parallel_rename_file",
                                        "parallel_rename_dir",
                                        "rename_trylocks",
                                        "read_bytes",
                                        "write_bytes",
                                        "read",
                                        "write",
                                        "punch",
                                        "migrate",
                                        "fallocate",
                                        NULL };

const char *const jobstats_form_names[JOBSTATS_FORMS] = {
    "2.5", "2.8", "2.12", "2.14", "2.15.0", "2.15.8", "2.16.1", "2.17.0",
};

static const struct form forms[JOBSTATS_FORMS] = {
    { ID_RAW, TIME_SECONDS, false, false, false, ost_2_5, mdt_2_5 },
    { ID_MARKED, TIME_SECONDS, false, false, false, ost_2_6, mdt_2_5 },
    { ID_MARKED, TIME_SECONDS, false, false, false, ost_2_6, mdt_2_12 },
    { ID_MARKED, TIME_SECONDS, true, false, false, ost_2_14, mdt_2_14 },
    { ID_MARKED, TIME_BOOT, true, true, false, ost_2_14, mdt_2_15 },
    { ID_ESCAPED, TIME_NSECS, true, true, false, ost_2_14, mdt_2_15 },
    { ID_LOOSE, TIME_NSECS, true, true, true, ost_2_14, mdt_2_16 },
    { ID_LOOSE, TIME_NSECS, true, true, true, ost_2_14, mdt_2_17 },
};

int jobstats_form_find(const char *name)
{
    for (int i = 0; i < JOBSTATS_FORMS; i++)
        if (strcmp(jobstats_form_names[i], name) == 0)
            return i;
    return -1;
}

/* splitmix64 */
static uint64_t draw(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void jobstats_text_head(struct strbuf *out, enum target_kind kind, unsigned index)
{
    if (kind == TARGET_MDT)
        strbuf_addf(out, "mdt.scratch-MDT%04x.job_stats=\n", index);
    else
        strbuf_addf(out, "obdfilter.scratch-OST%04x.job_stats=\n", index);
    strbuf_adds(out, "job_stats:\n");
}

static bool is_plain(unsigned char c, const char *also)
{
    return c < 0x80 && (isalnum(c) || (c && strchr(also, c)));
}

static void print_escaped(struct strbuf *out, struct span id, const char *printed,
                          const char *unquoted)
{
    bool quote = id.data[0] == '@' && !strchr(unquoted, '^');
    for (size_t i = 0; i < id.size; i++)
        quote = quote || !is_plain((unsigned char)id.data[i], unquoted);
    if (quote)
        strbuf_addc(out, '"');
    for (size_t i = 0; i < id.size; i++) {
        unsigned char c = (unsigned char)id.data[i];
        if (is_plain(c, printed))
            strbuf_addc(out, (char)c);
        else
            strbuf_addf(out, "\\x%02X", c);
    }
    if (quote)
        strbuf_addc(out, '"');
}

void jobstats_text_id(struct strbuf *out, int form, struct span id)
{
    switch (forms[form].id) {
    case ID_RAW:
        strbuf_add_span(out, id);
        break;
    case ID_MARKED:
        for (size_t i = 0; i < id.size; i++)
            strbuf_addc(out, isprint((unsigned char)id.data[i]) ? id.data[i] : '?');
        break;
    case ID_ESCAPED:
        /* '^' stands for: an '@' at the beginning needs no quotes. */
        print_escaped(out, id, ".@_-", ".@_-^");
        break;
    case ID_LOOSE:
        print_escaped(out, id, ".@-_:/", ".@-_");
        break;
    }
}

static void print_times(struct strbuf *out, enum time_form time)
{
    if (time == TIME_BOOT)
        strbuf_adds(out, "snapshot_time   : 3143196.123456789 secs.nsecs\n"
                         "start_time      : 3141676.987654321 secs.nsecs\n"
                         "elapsed_time    : 1519.135802468 secs.nsecs\n");
    else if (time == TIME_NSECS)
        strbuf_adds(out, "  snapshot_time:   1669010520.123456789 secs.nsecs\n"
                         "  start_time:      1669009000.987654321 secs.nsecs\n"
                         "  elapsed_time:    1519.135802468 secs.nsecs\n");
    else
        strbuf_adds(out, "  snapshot_time:   1669010520\n");
}

static void print_key(struct strbuf *out, const struct form *form, const char *key,
                      int width, uint64_t value)
{
    strbuf_addf(out, ", %s:%s%*" PRIu64, key, form->wide ? " " : "", width, value);
}

static void print_op(struct strbuf *out, const struct form *form, const char *name,
                     enum target_kind kind, uint64_t *seed)
{
    uint64_t bits = draw(seed);
    uint64_t samples = bits % 4 ? 0 : bits >> 40;
    uint64_t low = samples ? 1 + (bits >> 8) % 4096 : 0;
    uint64_t high = samples ? low << (bits >> 20) % 13 : 0;
    size_t length = strlen(name);
    bool is_bytes = length > 5 && strcmp(name + length - 6, "_bytes") == 0;
    bool is_old_io =
        form->id == ID_RAW && (strcmp(name, "read") == 0 || strcmp(name, "write") == 0);
    const char *unit = "reqs";
    if (form->all_statistics)
        unit = is_bytes ? "bytes" : "usecs";
    else if (is_old_io || (is_bytes && kind == TARGET_OST))
        unit = "bytes";
    strbuf_addf(out, "  %s:%*s { samples: %11" PRIu64 ", unit: %5s", name,
                length < 15 ? (int)(15 - length) : 0, "", samples, unit);
    if (form->all_statistics || is_bytes || is_old_io) {
        print_key(out, form, "min", 8, low);
        print_key(out, form, "max", 8, high);
        print_key(out, form, "sum", 16, samples * low);
    }
    if (form->all_statistics)
        print_key(out, form, "sumsq", 18, samples * low * low);
    if (form->hist && is_bytes)
        strbuf_adds(out, samples ? ", hist: { 32K: 1, 1M: 5 }" : ", hist: {  }");
    strbuf_adds(out, " }\n");
}

void jobstats_text_entry(struct strbuf *out, int form_index, enum target_kind kind,
                         struct span id, uint64_t *seed)
{
    const struct form *form = &forms[form_index];
    strbuf_adds(out, "- job_id:          ");
    jobstats_text_id(out, form_index, id);
    strbuf_addc(out, '\n');
    print_times(out, form->time);
    const char *const *op = kind == TARGET_MDT ? form->mdt_ops : form->ost_ops;
    for (; *op; op++)
        print_op(out, form, *op, kind, seed);
}
