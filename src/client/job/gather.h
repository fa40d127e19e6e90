/* SPDX-License-Identifier: Apache-2.0 */
/* gather - one job, or a pair, with what was around them and their class: out of
 * what a command names.
 *
 *     log, --series, --health, --jobs ──▶ context ──┬▶ comparison
 *     --climate, --map ──────────────────▶ runs ─────┘
 */
#ifndef CLIENT_JOB_GATHER_H
#define CLIENT_JOB_GATHER_H

#include "client/job/operand.h"
#include "client/job/sources.h"

struct job_gather_args {
    struct job_sources_opts sources;
    struct option_list climate;
    const char *map;
    const char *map_default; /* of what barods have; NULL: none is installed */
};

/* Of a command whose arguments hold a struct job_gather_args. */
/* clang-format off */
#define JOB_GATHER_OPTIONS(args, member)                                         \
    { "climate", 'C', OPTION_LIST, offsetof(args, member.climate), "RUNS.csv",         \
      "Hold it against the runs of this table, or of a barod; may be repeated." },     \
    { "map", 'm', OPTION_TEXT, offsetof(args, member.map), "FILE",                     \
      "What its columns mean: see baro climate study." },                              \
    { "series", 'S', OPTION_LIST, offsetof(args, member.sources.series), "FILE",         \
      "What the servers measured meanwhile, see baro series show; may be repeated." }, \
    { "health", 'H', OPTION_LIST, offsetof(args, member.sources.health), "FILE",         \
      "Stored output of lfs df and lctl dl -t, or barod; may be repeated." },       \
    { "jobs", 'j', OPTION_LIST, offsetof(args, member.sources.jobs), "FILE",             \
      "What else ran: see baro job list; may be repeated." },                          \
    { "cluster", 0, OPTION_TEXT, offsetof(args, member.sources.cluster), "NAME",         \
      "Of the jobs; default: the job's own." },                                        \
    { "site", 0, OPTION_TEXT, offsetof(args, member.sources.site), "FILE",               \
      "What the site's file systems are called, and their peaks." },                   \
    { "zone", 'z', OPTION_TEXT, offsetof(args, member.sources.access.zone), "ZONE",             \
      "The time zone of LMT databases (America/Los_Angeles); default: UTC." },         \
    CLOCK_LIST_OPTION(offsetof(args, member.sources.clocks))
/* clang-format on */

/* Where it comes from, open as long as what was gathered is used. */
struct job_gather {
    bool is_open;
    struct job_sources sources;
    struct job_climate_names climate;
};

/* One job, or two to compare with each other, each read where its log is readable.  Of
 * one that was found by its id the stored summary is used, unless something is named
 * that a context is built from; then the climate is that of the same barod, unless
 * another is named.  Where nothing is named *ret stays empty.  gather and *ret are all
 * zero before, and to be done with after a failure, too: *ret first. Errors: -EINVAL
 * (--climate without --map), -ENOENT (a log that cannot be read here), what a source
 * says. */
int job_gather(const struct job_gather_args *args, const struct job_operand *jobs,
               size_t count, struct job_gather *gather, struct job_comparison *ret,
               struct err *err);
void job_gather_done(struct job_gather *gather);
DEFINE_AUTO_DONE(struct job_gather, job_gather_done);

#endif
