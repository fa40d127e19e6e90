/* SPDX-License-Identifier: Apache-2.0 */
/* finding_rule - the one table of what may be found of a run. */
#include "analysis/job/finding_rule.h"

#include "analysis/job/finding.h"
#include "analysis/job/job_value.h"

#include <math.h>
#include <string.h>

/* ---- values of a context ---- */

static double others_bytes(const struct job_context *c)
{
    return 1 - c->coverage.bw;
}

static double others_requests(const struct job_context *c)
{
    return 1 - c->coverage.ops;
}

static double others_opens(const struct job_context *c)
{
    return 1 - c->coverage.opens;
}

static double others_stats(const struct job_context *c)
{
    return 1 - c->coverage.stats;
}

static double oss_cpu(const struct job_context *c)
{
    return c->weather.oss_cpu.average;
}

static double mds_cpu(const struct job_context *c)
{
    return c->weather.mds_cpu.average;
}

static double fullest_pct(const struct job_context *c)
{
    return c->health.fullest.pct;
}

static double overloaded_servers(const struct job_context *c)
{
    return job_i64_number(c->health.overloaded_servers);
}

static double targets(const struct job_context *c)
{
    return job_i64_number(c->health.ost_count);
}

static double fabric_times(const struct job_context *c)
{
    return c->fabric.times;
}

static double fabric_days(const struct job_context *c)
{
    return job_i64_number(c->fabric.days);
}

static double fabric_as_much(const struct job_context *c)
{
    return job_i64_number(c->fabric.as_much);
}

static const char *fabric_names(const struct job_context *c)
{
    return c->fabric.names;
}

/* ---- which finding explains which ---- */

/* A slow target makes its processes slow, where it cost as much as they. */
static bool is_its_cost(const struct finding *cause, const struct finding *effect)
{
    return cost_middle(&cause->cost) >= cost_middle(&effect->cost) / 2;
}

/* Contention makes its own target slow; a server that is away, or that serves those of
 * another one, too, all of its targets. */
static bool is_its_target(const struct finding *cause, const struct finding *effect)
{
    if (cause->kind == FINDING_FAILOVER)
        return is_its_cost(cause, effect);
    return cause->which >= 0 && cause->which == effect->which;
}

/* ---- the table ---- */

const struct finding_rule finding_rules[] = {
    { .name = "small",
      .advice = "Write and read larger pieces. Through MPI-IO: collective calls, "
                "with the hints romio_cb_write=enable, romio_cb_read=enable and "
                "cb_buffer_size=16777216 (file named by ROMIO_HINTS); otherwise "
                "buffer in the program.",
      .text = "many reads and writes are below 1 MiB",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_SMALL_SHARE,
      .threshold = 0.5 },
    { .name = "unaligned",
      .advice = "Begin accesses at multiples of the stripe size: 'lfs setstripe -S "
                "4M DIR' before files are made, striping_unit in the hints of "
                "MPI-IO, H5Pset_alignment in HDF5.",
      .text = "many accesses begin or end inside a block of the file system",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_UNALIGNED_SHARE,
      .threshold = 0.4,
      .because = { "small" } }, /* small accesses end inside blocks */
    { .name = "random",
      .advice = "Sort accesses by offset, or leave that to collective calls of "
                "MPI-IO (hint romio_cb_read=enable).",
      .text = "many accesses go back in the file",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_RANDOM_SHARE,
      .threshold = 0.2 },
    { .name = "imbalanced",
      .advice = "Give processes equal parts of the data; 'baro job show -o html' "
                "has the bytes of each over time.",
      .text = "the slowest process was much slower than the mean",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_IMBALANCE,
      .threshold = IO_TIME_SLOW_MIN,
      .because = { "failover", "slow-target", "contended-target" },
      .is_explained = is_its_cost },
    { .name = "slow-process",
      .text = "one process was much slower than the others for no more bytes",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_IMBALANCE,
      .is_of_even_work = true,
      .threshold = IO_TIME_SLOW_MIN,
      .because = { "failover", "slow-target", "contended-target", "full-target" },
      .is_explained = is_its_cost },
    { .name = "one-stripe",
      .advice = "Spread the file over more targets: 'lfs setstripe -c 8 DIR' "
                "before it is made, or 'lfs migrate -c 8 FILE'.",
      .text =
          "files that all processes write have one stripe: one target, of collective "
          "writes as a rule with one writer, serves them all",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_ONE_STRIPE,
      .threshold = 0.1 },
    { .name = "metadata-heavy",
      .advice = "Open files once, and make fewer of them: one shared file, or an "
                "archive of small ones; read directories and attributes in one "
                "process and share the result.",
      .text = "much of the time went into opening, closing and looking up",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_META_SHARE,
      .threshold = 0.1,
      .because = { "wide-stripes" } },
    { .name = "metadata-process",
      .advice = "Have more processes share the opening of files, or open fewer.",
      .text = "the slowest process spent most of its I/O in opening, closing and "
              "looking up",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_META_RANK,
      .threshold = 0.5,
      .because = { "metadata-heavy" } },
    { .name = "wide-stripes",
      .advice = "Small files need one target: 'lfs setstripe -c 1 DIR' before they "
                "are made.",
      .text = "many files are striped over many targets: each open and close costs "
              "requests to all of them",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_STRIPES,
      .threshold = 4 },
    { .name = "slow-target",
      .advice = "Name the target to the support. Until it is well, new files can "
                "avoid it: 'lfs setstripe -o LIST DIR' with the others.",
      .text = "all files on one target were slow",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_SLOW_TARGET,
      .threshold = 3,
      .because = { "failover", "contended-target", "full-target" },
      .is_explained = is_its_target },
    { .name = "stdio",
      .advice = "Use a larger buffer (setvbuf) or read() and write() for data.",
      .text = "much went through buffered streams (fopen, fwrite)",
      .kind = FINDING_OF_LOG,
      .measure = PROFILE_STDIO_SHARE,
      .threshold = 0.5 },
    { .name = "contention",
      .text = "others moved much of what the file system moved meanwhile",
      .kind = FINDING_AROUND,
      .evidence = "contention_bw",
      .unit = "",
      .value = others_bytes,
      .threshold = 0.5,
      .n = job_context_steps,
      .n_word = "steps",
      .is_usual = true },
    { .name = "contention-requests",
      .text = "others made most of the file system's requests",
      .kind = FINDING_AROUND,
      .evidence = "contention_ops",
      .unit = "",
      .value = others_requests,
      .threshold = NAN,
      .n = job_context_steps,
      .n_word = "steps",
      .is_usual = true },
    { .name = "contention-opens",
      .text = "others opened most of the files that were opened",
      .kind = FINDING_AROUND,
      .evidence = "contention_opens",
      .unit = "",
      .value = others_opens,
      .threshold = NAN,
      .n = job_context_steps,
      .n_word = "steps",
      .is_usual = true },
    { .name = "contention-stats",
      .text = "others looked up most of what was looked up",
      .kind = FINDING_AROUND,
      .evidence = "contention_stats",
      .unit = "",
      .value = others_stats,
      .threshold = NAN,
      .n = job_context_steps,
      .n_word = "steps",
      .is_usual = true },
    { .name = "busy-servers",
      .text = "the data servers were busy",
      .kind = FINDING_AROUND,
      .evidence = "fs_ave_oss_cpu",
      .unit = "%",
      .value = oss_cpu,
      .threshold = 70,
      .n = job_context_steps,
      .n_word = "steps" },
    { .name = "busy-metadata",
      .text = "the metadata servers were busy",
      .kind = FINDING_AROUND,
      .evidence = "fs_ave_mds_cpu",
      .unit = "%",
      .value = mds_cpu,
      .threshold = 70,
      .n = job_context_steps,
      .n_word = "steps" },
    { .name = "full-target",
      .advice = "New files go elsewhere by 'lfs setstripe -i -1 DIR'; those there "
                "are moved by 'lfs migrate FILE'. Remove what is not needed.",
      .text = "a target was nearly full",
      .kind = FINDING_AROUND,
      .evidence = "fshealth_ost_most_full_pct",
      .unit = "%",
      .value = fullest_pct,
      .threshold = 90,
      .n = targets,
      .n_word = "targets" },
    { .name = "overloaded-server",
      .text = "servers had targets of others when the job began",
      .kind = FINDING_AROUND,
      .evidence = "fshealth_ost_overloaded_oss_count",
      .unit = "",
      .value = overloaded_servers,
      .threshold = 1,
      .n = targets,
      .n_word = "targets" },
    { .name = "contention-fabric",
      .text = "others on its fabric moved more than is usual for them",
      .kind = FINDING_AROUND,
      .evidence = "fabric_times_usual",
      .unit = "x",
      .value = fabric_times,
      .threshold = 2,
      .n = fabric_days,
      .n_word = "other days",
      .as_much = fabric_as_much,
      .who = fabric_names },
    { .name = "contended-target",
      .advice = "Spread files over more targets: 'lfs setstripe -c 4 DIR' before "
                "they are made; the other job's owner may do the same.",
      .text = "others contended for one of its targets",
      .kind = FINDING_CONTENDED,
      .evidence = "times_median",
      .unit = "",
      .threshold = JOB_SERVERS_CONTENDED_MIN,
      .because = { "failover" },
      .is_explained = is_its_cost },
    { .name = "failover",
      .text = "targets of it moved to another server while it ran",
      .kind = FINDING_FAILOVER,
      .evidence = "away_s",
      .unit = "s",
      .threshold = NAN,
      .n_word = "targets" },
    { .name = "small-requests",
      .advice = "Write and read larger pieces; a Darshan log has the interface "
                "through which they are small.",
      .text = "most requests that reached the servers were small",
      .kind = FINDING_REQUESTS,
      .evidence = "request_kib",
      .unit = "KiB",
      .threshold = NAN,
      .n_word = "requests" },
    { .name = "one-target",
      .advice = "Spread files over more targets: 'lfs setstripe -c 8 DIR' before "
                "they are made.",
      .text = "nearly all that it moved was on one target: its file has one stripe",
      .kind = FINDING_REQUESTS,
      .evidence = "one_target_share",
      .unit = "",
      .threshold = NAN,
      .n_word = "OSTs" },
    { .name = "wide-files",
      .advice = "Small files need one target: 'lfs setstripe -c 1 DIR' before they "
                "are made.",
      .text = "its many files came in pieces to all targets: each open and close "
              "costs requests to all of them",
      .kind = FINDING_REQUESTS,
      .evidence = "even_osts",
      .unit = "OSTs",
      .threshold = NAN,
      .n_word = "requests" },
    { .name = "metadata-requests",
      .advice = "Open files once, and make fewer of them.",
      .because = { "wide-files" },
      .text = "it opened, closed, looked up and removed many files each second",
      .kind = FINDING_REQUESTS,
      .evidence = "metadata_per_s",
      .unit = "/s",
      .threshold = NAN,
      .n_word = "requests" },
};

const size_t finding_rule_count = COUNT_OF(finding_rules);

_Static_assert(COUNT_OF(finding_rules) <= FINDINGS_MAX, "fits every rule");

const struct finding_rule *finding_rule_find(const char *name)
{
    for (size_t i = 0; i < finding_rule_count; i++)
        if (strcmp(finding_rules[i].name, name) == 0)
            return &finding_rules[i];
    return NULL;
}
