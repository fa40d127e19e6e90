/* SPDX-License-Identifier: Apache-2.0 */
/* job_surroundings - what a job met: the weather meanwhile, and the climate of its
 * kind.
 *
 *     log, --series, --health, --jobs ──▶ row ──┬▶ weather, in words
 *     --climate, --map ──────────────────▶ runs ┴▶ what was unusual, in words
 */
#ifndef CMD_JOB_SURROUNDINGS_H
#define CMD_JOB_SURROUNDINGS_H

#include "base/json_writer.h"
#include "cmd/job_maker.h"
#include "cmd/job_operand.h"

struct job_surroundings_args {
    struct job_maker_opts maker;
    struct option_list climate;
    const char *map;
};

/* Of a command whose arguments hold a struct job_surroundings_args. */
/* clang-format off */
#define JOB_SURROUNDINGS_OPTIONS(args, member)                                         \
    { "climate", 'C', OPTION_LIST, offsetof(args, member.climate), "RUNS.csv",         \
      "Hold it against the runs of this table, or of a barod; may be repeated." },     \
    { "map", 'm', OPTION_TEXT, offsetof(args, member.map), "FILE",                     \
      "What its columns mean: see baro climate study." },                              \
    { "series", 'S', OPTION_LIST, offsetof(args, member.maker.series), "FILE",         \
      "What the servers measured meanwhile, see baro series show; may be repeated." }, \
    { "health", 'H', OPTION_LIST, offsetof(args, member.maker.health), "FILE",         \
      "How the file system was: kept lfs df and lctl dl -t; may be repeated." },       \
    { "jobs", 'j', OPTION_LIST, offsetof(args, member.maker.jobs), "FILE",             \
      "What else ran: see baro job list; may be repeated." },                          \
    { "cluster", 0, OPTION_TEXT, offsetof(args, member.maker.cluster), "NAME",         \
      "Of the jobs; default: the job's own." },                                        \
    { "site", 0, OPTION_TEXT, offsetof(args, member.maker.site), "FILE",               \
      "What the site's file systems are called, and their peaks." },                   \
    { "zone", 'z', OPTION_TEXT, offsetof(args, member.maker.way.zone), "ZONE",             \
      "The time zone of LMT databases (America/Los_Angeles); default: UTC." },         \
    CLOCK_LIST_OPTION(offsetof(args, member.maker.clocks))
/* clang-format on */

struct job_surroundings {
    bool is_wanted; /* anything was given that surrounds a job */
    struct job_maker maker;
    struct job_row rows[RUNS_WANTED_MAX];
    size_t count;
    struct mapping mapping;
    struct runs runs;
    bool has_climate;
    struct job_climate climate; /* of the one job, or of the pair */
    bool has_clock; /* of one job: servers' clocks seem to differ from its */
    struct clock_answer clock;
    int64_t clock_step_s;
};

/* One job, or two to be held against each other.  Of one that was found by its id the
 * stored summary is taken, unless something is given that makes it anew; then the
 * climate is that of the same barod, unless another is given.  *ret is to be done with
 * after a failure, too. */
int job_surroundings_make(const struct job_surroundings_args *args,
                          const struct job_operand *jobs, size_t count,
                          struct job_surroundings *ret, struct err *err);
void job_surroundings_done(struct job_surroundings *s);
DEFINE_AUTO_DONE(struct job_surroundings, job_surroundings_done);

/* Paragraphs for a person, of what is known; of one job. */
void job_weather_tell(const struct job_surroundings *s, struct strbuf *out);
void job_climate_tell(const struct job_surroundings *s, struct strbuf *out);
/* Of two: a line that says what climate they are held against, or why there is none
 * (then false); and what is known of the fabrics and clocks of each. */
bool job_pair_begin(const struct job_surroundings *s, struct strbuf *out);
void job_pair_end(const struct job_surroundings *s, struct strbuf *out);

/* Members "summary" (the row) and "climate" of an object that is open. */
void job_surroundings_json(const struct job_surroundings *s, struct json_writer *w);

#endif
