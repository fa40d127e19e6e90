/* SPDX-License-Identifier: Apache-2.0 */
/* print - an entry as a given Lustre release prints it, byte for byte. */
#include "print.h"

#include "base/number.h"

#include <ctype.h>
#include <string.h>

/* A number, right-aligned; snprintf would be most of the time of a large dump.
 */
static void add_padded(struct strbuf *out, uint64_t value, size_t width)
{
    char digits[NUMBER_DIGITS_MAX];
    size_t n = number_print_u64(digits, value);
    static const char blanks[] = "                    ";
    if (n < width)
        strbuf_add(out, blanks, width - n);
    strbuf_add(out, digits, n);
}

#define ADD(out, literal) strbuf_add(out, literal, sizeof(literal) - 1)

static bool is_plain(enum sim_quoting quoting, unsigned char c)
{
    if (isalnum(c) && c < 0x80)
        return true;
    return strchr(quoting == SIM_QUOTING_LITERAL ? ".@-_:/" : ".@-_", c) && c;
}

static bool wants_quotes(enum sim_quoting quoting, const char *id, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_plain(quoting, (unsigned char)id[i]) ||
            (quoting == SIM_QUOTING_LITERAL && id[i] == ':'))
            return true;
    return quoting == SIM_QUOTING_LITERAL && size && id[0] == '@';
}

void sim_print_id(struct strbuf *out, enum sim_quoting quoting, const char *id,
                  size_t size)
{
    if (quoting == SIM_QUOTING_RAW) {
        strbuf_add(out, id, size);
        return;
    }
    if (quoting == SIM_QUOTING_REPLACED) {
        for (size_t i = 0; i < size; i++)
            strbuf_addc(out, isprint((unsigned char)id[i]) ? id[i] : '?');
        return;
    }
    bool quoted = wants_quotes(quoting, id, size);
    if (quoted)
        strbuf_addc(out, '"');
    for (size_t i = 0; i < size; i++) {
        if (is_plain(quoting, (unsigned char)id[i]))
            strbuf_addc(out, id[i]);
        else
            strbuf_addf(out, "\\x%02X", (unsigned char)id[i]);
    }
    if (quoted)
        strbuf_addc(out, '"');
}

static void add_seconds(struct strbuf *out, const char *name, int64_t ns)
{
    strbuf_addf(out, "%s%lld.%09lld secs.nsecs\n", name, (long long)(ns / NS_PER_S),
                (long long)(ns % NS_PER_S));
}

static void print_header(struct strbuf *out, const struct sim *sim,
                         const struct sim_series *s, const struct sim_life *life)
{
    const struct sim_version *v = life->mount->version;
    ADD(out, "- job_id:          ");
    sim_print_id(out, v->quoting, s->id, s->id_size);
    strbuf_addc(out, '\n');
    /* The server booted some weeks before the file system was made. */
    int64_t boot_ns = sim->conf.epoch_ns - INT64_C(3141592) * NS_PER_S;
    switch (v->header) {
    case SIM_HEADER_SECONDS:
        ADD(out, "  snapshot_time:   ");
        strbuf_add_i64(out, life->last_ns / NS_PER_S);
        strbuf_addc(out, '\n');
        break;
    case SIM_HEADER_BOOT:
        add_seconds(out, "snapshot_time   : ", life->last_ns - boot_ns);
        add_seconds(out, "start_time      : ", life->start_ns - boot_ns);
        add_seconds(out, "elapsed_time    : ", life->last_ns - life->start_ns);
        break;
    case SIM_HEADER_TRIPLE:
    default:
        add_seconds(out, "  snapshot_time:   ", life->last_ns);
        add_seconds(out, "  start_time:      ", life->start_ns);
        add_seconds(out, "  elapsed_time:    ", life->last_ns - life->start_ns);
        break;
    }
}

static void print_name(struct strbuf *out, const struct sim_version *v,
                       enum sim_kind kind, enum sim_op op)
{
    const char *name = sim_op_name(op);
    if (v->plain_rw && kind == SIM_OST && op == SIM_READ_BYTES)
        name = "read";
    if (v->plain_rw && kind == SIM_OST && op == SIM_WRITE_BYTES)
        name = "write";
    static const char blanks[] = "               ";
    size_t n = strlen(name);
    ADD(out, "  ");
    strbuf_add(out, name, n);
    strbuf_addc(out, ':');
    strbuf_add(out, blanks, n < 15 ? 15 - n : 0);
    ADD(out, " { samples: ");
}

/* The bucket an I/O falls into, named as Lustre names it: "4K", "1M". */
static void add_bucket(struct strbuf *out, uint64_t bytes, uint64_t count)
{
    strbuf_add_u64(out, bytes >= 1u << 20 ? bytes >> 20 : bytes >> 10);
    strbuf_adds(out, bytes >= 1u << 20 ? "M: " : "K: ");
    strbuf_add_u64(out, count);
}

static void print_hist(struct strbuf *out, const struct sim_series *s,
                       const struct sim_stat *stat)
{
    ADD(out, ", hist: { ");
    if (stat->small)
        add_bucket(out, 4096, stat->small);
    if (stat->small && stat->samples > stat->small)
        ADD(out, ", ");
    if (stat->samples > stat->small)
        add_bucket(out, s->large_bytes, stat->samples - stat->small);
    ADD(out, " }");
}

static void print_op(struct strbuf *out, const struct sim_series *s,
                     const struct sim_life *life, enum sim_op op)
{
    const struct sim_version *v = life->mount->version;
    struct sim_stat stat;
    sim_series_stat(s, op, life->base, life->count, &stat);
    bool is_bytes = op == SIM_READ_BYTES || op == SIM_WRITE_BYTES;
    print_name(out, v, s->kind, op);
    add_padded(out, stat.samples, 11);
    if (is_bytes)
        strbuf_adds(out, v->mdt_reqs && s->kind == SIM_MDT ? ", unit:  reqs"
                                                           : ", unit: bytes");
    else
        strbuf_adds(out, v->has_usecs ? ", unit: usecs" : ", unit:  reqs");
    if (is_bytes || v->has_usecs) {
        /* A large number sticks to its name before LU-13857. */
        const char *blank = v->is_glued ? "" : " ";
        strbuf_adds(out, ", min:");
        strbuf_adds(out, blank);
        add_padded(out, stat.min, 8);
        strbuf_adds(out, ", max:");
        strbuf_adds(out, blank);
        add_padded(out, stat.max, 8);
        strbuf_adds(out, ", sum:");
        strbuf_adds(out, blank);
        add_padded(out, stat.sum, 16);
    }
    if (v->has_usecs) {
        strbuf_adds(out, ", sumsq: ");
        add_padded(out, stat.sumsq, 18);
    }
    if (is_bytes && v->has_hist)
        print_hist(out, s, &stat);
    ADD(out, " }\n");
}

void sim_print_entry(struct strbuf *out, const struct sim *sim,
                     const struct sim_series *s, const struct sim_life *life)
{
    print_header(out, sim, s, life);
    enum sim_op ops[SIM_OP_COUNT];
    size_t count = sim_version_ops(life->mount->version, s->kind, ops);
    for (size_t i = 0; i < count; i++)
        print_op(out, s, life, ops[i]);
}
