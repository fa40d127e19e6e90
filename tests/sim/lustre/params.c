/* SPDX-License-Identifier: Apache-2.0 */
/* params - the parameters that a simulated server has, by name. */
#include "params.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *mdt, *ost; /* the folder; NULL: not of this kind */
    const char *name;
} params[SIM_PARAM_COUNT] = {
    [SIM_PARAM_JOB_STATS] = { "mdt", "obdfilter", "job_stats" },
    [SIM_PARAM_CLEANUP] = { "mdt", "obdfilter", "job_cleanup_interval" },
    [SIM_PARAM_STATS] = { NULL, "obdfilter", "stats" },
    [SIM_PARAM_MD_STATS] = { "mdt", NULL, "md_stats" },
    [SIM_PARAM_BRW_STATS] = { NULL, "osd-ldiskfs", "brw_stats" },
    [SIM_PARAM_NUM_EXPORTS] = { "mdt", "obdfilter", "num_exports" },
    [SIM_PARAM_KBYTESTOTAL] = { "osd-ldiskfs", "osd-ldiskfs", "kbytestotal" },
    [SIM_PARAM_KBYTESFREE] = { "osd-ldiskfs", "osd-ldiskfs", "kbytesfree" },
    [SIM_PARAM_KBYTESAVAIL] = { "osd-ldiskfs", "osd-ldiskfs", "kbytesavail" },
    [SIM_PARAM_FILESTOTAL] = { "osd-ldiskfs", "osd-ldiskfs", "filestotal" },
    [SIM_PARAM_FILESFREE] = { "osd-ldiskfs", "osd-ldiskfs", "filesfree" },
    [SIM_PARAM_RECOVERY] = { "mdt", "obdfilter", "recovery_status" },
    [SIM_PARAM_VERSION] = { NULL, NULL, "version" },
    [SIM_PARAM_CHANGELOG] = { "mdd", NULL, "changelog_users" },
    [SIM_PARAM_HEALTH] = { NULL, NULL, "health_check" },
    [SIM_PARAM_JOBID_VAR] = { NULL, NULL, "jobid_var" },
    [SIM_PARAM_JOBID_NAME] = { NULL, NULL, "jobid_name" },
};

/* Any mount of the server, for what it says about itself; NULL: it serves
 * nothing. */
static const struct sim_mount *any_mount(const struct sim *sim, size_t server,
                                         int64_t t_ns)
{
    for (size_t i = 0; i < sim->target_count; i++) {
        const struct sim_mount *m = sim_mount_at(&sim->targets[i], t_ns);
        if (m && m->server == server)
            return m;
    }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    const struct sim_param_ref *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int sim_params_list(const struct sim *sim, size_t server, int64_t t_ns,
                    struct sim_param_ref **ret, size_t *ret_count)
{
    size_t room = (sim->target_count + 1) * SIM_PARAM_COUNT, count = 0;
    struct sim_param_ref *refs = calloc(room, sizeof *refs);
    if (!refs)
        return -ENOMEM;
    for (size_t p = 0; p < SIM_PARAM_COUNT; p++) {
        if (!params[p].mdt && !params[p].ost) {
            struct sim_param_ref *ref = &refs[count++];
            ref->param = (enum sim_param)p;
            ref->mount = any_mount(sim, server, t_ns);
            (void)snprintf(ref->name, sizeof ref->name, "%s", params[p].name);
            continue;
        }
        for (size_t i = 0; i < sim->target_count; i++) {
            const struct sim_target *t = &sim->targets[i];
            const struct sim_mount *m = sim_mount_at(t, t_ns);
            const char *folder = t->kind == SIM_MDT ? params[p].mdt : params[p].ost;
            if (!m || m->server != server || !folder)
                continue;
            struct sim_param_ref *ref = &refs[count++];
            *ref = (struct sim_param_ref){ .param = (enum sim_param)p,
                                           .target = t,
                                           .mount = m };
            (void)snprintf(ref->name, sizeof ref->name, "%s.%s.%s", folder, t->name,
                           params[p].name);
        }
    }
    qsort(refs, count, sizeof *refs, compare_names);
    *ret = refs;
    *ret_count = count;
    return 0;
}

/* A disk that fills over a week and is then cleaned, so that there is something
 * to see.
 */
static uint64_t free_share(const struct sim *sim, const struct sim_param_ref *ref,
                           int64_t t_ns, uint64_t total)
{
    uint64_t week_s = 7 * 86400;
    uint64_t h = sim_mix(sim->conf.seed, ref->target->index + 900);
    uint64_t at_s = ((uint64_t)(t_ns / NS_PER_S) + h % week_s) % week_s;
    return total / 10 + total / 2 / week_s * (week_s - at_s);
}

static void print_space(const struct sim *sim, const struct sim_param_ref *ref,
                        int64_t t_ns, struct strbuf *out)
{
    bool is_files =
        ref->param == SIM_PARAM_FILESTOTAL || ref->param == SIM_PARAM_FILESFREE;
    uint64_t total = is_files ? UINT64_C(400000000) : UINT64_C(96000000000);
    bool is_total =
        ref->param == SIM_PARAM_FILESTOTAL || ref->param == SIM_PARAM_KBYTESTOTAL;
    strbuf_add_u64(out, is_total ? total : free_share(sim, ref, t_ns, total));
    strbuf_addc(out, '\n');
}

/* ---- totals: what all entries counted since the mount, also those that are gone ----
 */

#define SIZES 13 /* 4K .. 16M */

struct server_totals {
    const struct sim_param_ref *ref;
    int64_t t_ns;
    struct sim_stat ops[SIM_OP_COUNT];
    uint64_t sizes[2][SIZES]; /* of reads, of writes */
};

static int add_to_totals(void *arg, const struct sim_series *s)
{
    struct server_totals *t = arg;
    uint64_t base = sim_series_events(s, t->ref->mount->from_ns - 1);
    uint64_t count = sim_series_events(s, t->t_ns);
    size_t size = 0;
    while (size + 1 < SIZES && UINT64_C(4096) << size < s->large_bytes)
        size++;
    for (enum sim_op op = 0; count > base && op < SIM_OP_COUNT; op++) {
        struct sim_stat one;
        sim_series_stat(s, op, base, count, &one);
        if (one.samples == 0)
            continue;
        struct sim_stat *all = &t->ops[op];
        all->min = all->samples == 0 || one.min < all->min ? one.min : all->min;
        all->max = one.max > all->max ? one.max : all->max;
        all->samples += one.samples;
        all->sum += one.sum;
        if (op == SIM_READ_BYTES || op == SIM_WRITE_BYTES) {
            t->sizes[op == SIM_WRITE_BYTES][0] += one.small;
            t->sizes[op == SIM_WRITE_BYTES][size] += one.samples - one.small;
        }
    }
    return 0;
}

static void print_stats(const struct server_totals *t, struct strbuf *out)
{
    static const char *const names[SIM_OP_COUNT] = {
#define X(id, name) [SIM_##id] = name,
        SIM_OP_TABLE(X)
#undef X
    };
    strbuf_addf(out, "snapshot_time             %" PRId64 ".%09" PRId64 " secs.nsecs\n",
                t->t_ns / NS_PER_S, t->t_ns % NS_PER_S);
    for (size_t op = 0; op < SIM_OP_COUNT; op++) {
        const struct sim_stat *s = &t->ops[op];
        bool is_bytes = op == SIM_READ_BYTES || op == SIM_WRITE_BYTES;
        if (s->samples == 0)
            continue;
        strbuf_addf(out, "%-25s %" PRIu64 " samples [%s]", names[op], s->samples,
                    is_bytes ? "bytes" : "reqs");
        if (is_bytes)
            strbuf_addf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, s->min, s->max,
                        s->sum);
        strbuf_addc(out, '\n');
    }
}

static void print_brw_stats(const struct server_totals *t, struct strbuf *out)
{
    uint64_t all[2] = { 0 }, so_far[2] = { 0 };
    for (size_t i = 0; i < SIZES; i++) {
        all[0] += t->sizes[0][i];
        all[1] += t->sizes[1][i];
    }
    strbuf_addf(out,
                "snapshot_time:         %" PRId64 ".%09" PRId64 " (secs.nsecs)\n\n"
                "                           read      |     write\n"
                "disk I/O size          ios   %% cum %% |  ios         %% cum %%\n",
                t->t_ns / NS_PER_S, t->t_ns % NS_PER_S);
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t kib = UINT64_C(4) << i, n[2] = { t->sizes[0][i], t->sizes[1][i] };
        so_far[0] += n[0];
        so_far[1] += n[1];
        uint64_t share[2], cumulated[2];
        for (size_t k = 0; k < 2; k++) {
            share[k] = all[k] ? 100 * n[k] / all[k] : 0;
            cumulated[k] = all[k] ? 100 * so_far[k] / all[k] : 0;
        }
        strbuf_addf(out,
                    "%" PRIu64 "%s:\t\t %6" PRIu64 " %3" PRIu64 " %3" PRIu64
                    "   | %6" PRIu64 " %3" PRIu64 " %3" PRIu64 "\n",
                    kib < 1024 ? kib : kib / 1024, kib < 1024 ? "K" : "M", n[0],
                    share[0], cumulated[0], n[1], share[1], cumulated[1]);
    }
}

static int print_totals(const struct sim *sim, const struct sim_param_ref *ref,
                        int64_t t_ns, struct strbuf *out)
{
    struct server_totals totals = { .ref = ref, .t_ns = t_ns };
    int rc = sim_series_each(sim, ref->target, ref->mount->from_ns, t_ns, add_to_totals,
                             &totals);
    if (rc == 0 && ref->param == SIM_PARAM_BRW_STATS)
        print_brw_stats(&totals, out);
    else if (rc == 0)
        print_stats(&totals, out);
    return rc;
}

static void print_recovery(const struct sim *sim, const struct sim_param_ref *ref,
                           struct strbuf *out)
{
    int64_t start_s = ref->mount->from_ns / NS_PER_S;
    strbuf_addf(out,
                "status: COMPLETE\nrecovery_start: %" PRId64
                "\nrecovery_duration: 30\ncompleted_clients: %" PRIu64 "/%" PRIu64
                "\nreplayed_requests: 0\nlast_transno: 4294967296\nVBR: DISABLED\n"
                "IR: DISABLED\n",
                start_s, sim->conf.nodes, sim->conf.nodes);
}

/* Two users: one that clears everything every minute, and one that came with the mount
 * and has never cleared anything since.  From which release on idle times are told is
 * not known here: the recorded texts are of 2.14 and of one before it. */
static void print_changelog(const struct sim_param_ref *ref, int64_t t_ns,
                            struct strbuf *out)
{
    static const struct {
        const char *name, *index, *heading;
        bool has_idle, is_wide;
    } forms[] = {
        { "2.1", "current index", "ID    index", false, false },
        { "2.12", "current index", "ID    index (idle seconds)", true, false },
        { "2.14", "current_index", "ID                            index (idle) mask",
          true, true },
    };
    const uint64_t a_second = 17 + ref->target->index;
    uint64_t age_s = (uint64_t)((t_ns - ref->mount->from_ns) / NS_PER_S);
    uint64_t idle_s[] = { age_s % 60, age_s };
    size_t form = 0;
    for (size_t i = 1; i < sizeof forms / sizeof forms[0]; i++) {
        const char *name = ref->mount->version->name;
        size_t size = strlen(forms[i].name);
        /* "2.9" is older than "2.12". */
        if (strlen(name) >= size && strncmp(name, forms[i].name, size) >= 0)
            form = i;
    }
    strbuf_addf(out, "%s: %" PRIu64 "\n%s\n", forms[form].index, a_second * age_s,
                forms[form].heading);
    for (size_t i = 0; i < 2; i++) {
        strbuf_addf(out, forms[form].is_wide ? "cl%zu %30" PRIu64 : "cl%zu   %" PRIu64,
                    i + 1, a_second * (age_s - idle_s[i]));
        if (forms[form].has_idle)
            strbuf_addf(out, " (%" PRIu64 ")", idle_s[i]);
        strbuf_addc(out, '\n');
    }
}

int sim_param_value(const struct sim *sim, const struct sim_param_ref *ref,
                    int64_t t_ns, struct strbuf *out, struct sim_dump *counts)
{
    switch (ref->param) {
    case SIM_PARAM_JOB_STATS: {
        AUTO(sim_dump_done) struct sim_dump dump = { 0 };
        int rc = sim_dump_take(sim, ref->target, t_ns, &dump);
        if (rc < 0)
            return rc;
        sim_dump_print(out, sim, ref->mount, &dump);
        if (counts)
            *counts = (struct sim_dump){ .count = dump.count,
                                         .skipped = dump.skipped,
                                         .doubled = dump.doubled };
        break;
    }
    case SIM_PARAM_STATS:
    case SIM_PARAM_MD_STATS:
    case SIM_PARAM_BRW_STATS: {
        int rc = print_totals(sim, ref, t_ns, out);
        if (rc < 0)
            return rc;
        break;
    }
    case SIM_PARAM_CLEANUP:
        strbuf_addf(out, "%" PRId64 "\n", sim->conf.cleanup_ns / NS_PER_S);
        break;
    case SIM_PARAM_NUM_EXPORTS:
        strbuf_addf(out, "%" PRIu64 "\n", sim->conf.nodes + sim->server_count);
        break;
    case SIM_PARAM_RECOVERY:
        print_recovery(sim, ref, out);
        break;
    case SIM_PARAM_CHANGELOG:
        print_changelog(ref, t_ns, out);
        break;
    case SIM_PARAM_HEALTH:
        strbuf_adds(out, "healthy\n");
        break;
    case SIM_PARAM_JOBID_VAR:
        strbuf_adds(out, "disable\n");
        break;
    case SIM_PARAM_JOBID_NAME:
        strbuf_adds(out, "%e.%u\n");
        break;
    case SIM_PARAM_VERSION:
        strbuf_addf(out, "lustre: %s\n",
                    ref->mount ? ref->mount->version->full : sim->conf.version);
        break;
    default:
        print_space(sim, ref, t_ns, out);
        break;
    }
    return strbuf_error(out);
}
