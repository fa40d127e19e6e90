/* SPDX-License-Identifier: Apache-2.0 */
/* findings - how often a finding about what was around a run is false.
 *
 *     bench_findings SHUFFLES MAP RUNS.csv[.gz]...
 *
 * Each run gets the measures of another run of its class: what was around it then has
 * nothing to do with how it went, and each finding is false.  Done SHUFFLES times, with
 * a fixed seed; beside it the findings of the runs with their own measures.  Both ways:
 * against the climate of the class, and by thresholds.  Prints Markdown.
 */
#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "analysis/weather/weather.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

#define SHUFFLES_MAX 10000
#define NAMES_MAX 16

struct count {
    uint64_t slow;   /* runs asked about */
    uint64_t told;   /* of them with a finding or more */
    uint64_t others; /* runs that were not slow */
};

/* What a row of baro job summarize calls a measure of the mapping. */
static const struct {
    const char *measure, *column;
    bool is_rest; /* the column is 1 - measure */
} columns[] = {
    { "contention_bw", "coverage_factor_bw", true },
    { "contention_ops", "coverage_factor_ops", true },
    { "contention_opens", "coverage_factor_opens", true },
    { "contention_stats", "coverage_factor_stats", true },
    { "fs_ave_oss_cpu", "fs_ave_oss_cpu", false },
    { "fs_ave_mds_cpu", "fs_ave_mds_cpu", false },
    { "fshealth_ost_most_full_pct", "fshealth_ost_most_full_pct", false },
    { "fshealth_ost_overloaded_oss_count", "fshealth_ost_overloaded_oss_count", false },
    { "fabric_times_usual", "fabric_times_usual", false },
    { "fabric_other_days", "fabric_other_days", false },
    { "fabric_other_days_as_much", "fabric_other_days_as_much", false },
};

enum way { BY_CLIMATE, BY_THRESHOLD };

struct tally {
    const char *names[NAMES_MAX];
    uint64_t own[NAMES_MAX], shuffled[NAMES_MAX];
    size_t count;
};

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

static void shuffle(struct runs *runs, uint64_t *random)
{
    for (size_t s = 0; s < runs->set_count; s++) {
        struct run *set = &runs->runs[runs->sets[s].first];
        for (size_t i = runs->sets[s].count; i > 1; i--) {
            size_t other = draw(random, i);
            const double *measures = set[i - 1].measures;
            set[i - 1].measures = set[other].measures;
            set[other].measures = measures;
        }
    }
}

static void tally_add(struct tally *tally, const char *name, uint64_t *to)
{
    size_t i = 0;
    while (i < tally->count && strcmp(tally->names[i], name) != 0)
        i++;
    if (i == NAMES_MAX)
        return;
    if (i == tally->count)
        tally->names[tally->count++] = name;
    to[i]++;
}

/* Slow: as findings have it. */
static bool is_slow(const struct runs *runs, const struct run *run)
{
    const struct run_set *set = &runs->sets[run->set];
    size_t slower = 0;
    for (size_t i = set->first; i < set->first + set->count; i++)
        slower += &runs->runs[i] != run && runs->runs[i].raw <= run->raw;
    return (double)slower < FINDING_SLOW_SHARE * (double)(set->count - 1);
}

static void column_fill(const char *name, double value, struct job_context *context)
{
    const struct job_column *column = job_column_find(name);
    if (isnan(value))
        return;
    job_column_set(column,
                   column->type == SCALAR_I64 ? scalar_i64((int64_t)value)
                                              : scalar_double(value),
                   context);
}

static void context_fill(const struct mapping *mapping, const struct run *run,
                         struct job_context *context)
{
    for (size_t m = 0; m < mapping->measures.count; m++)
        for (size_t c = 0; c < COUNT_OF(columns); c++)
            if (strcmp(mapping->measures.items[m].name, columns[c].measure) == 0)
                column_fill(columns[c].column,
                            columns[c].is_rest ? 1 - run->measures[m]
                                               : run->measures[m],
                            context);
}

static size_t findings_of(enum way way, const struct mapping *mapping,
                          const struct runs *runs, const struct run *run,
                          struct finding *found)
{
    const struct finding_climate climate = { mapping, runs, run };
    AUTO(job_context_done) struct job_context context = { 0 };
    if (way == BY_CLIMATE)
        return findings_make_around(NULL, &climate, found);
    job_context_init(&context);
    context_fill(mapping, run, &context);
    return findings_make_around(&context, NULL, found);
}

static struct count findings_count(enum way way, const struct mapping *mapping,
                                   const struct runs *runs, const bool *slow,
                                   struct tally *tally, uint64_t *to)
{
    struct count ret = { 0 };
    for (size_t i = 0; i < runs->count; i++) {
        struct finding found[FINDINGS_MAX];
        if (!slow[i]) {
            ret.others++;
            continue;
        }
        size_t count = findings_of(way, mapping, runs, &runs->runs[i], found);
        ret.slow++;
        ret.told += count > 0;
        for (size_t f = 0; f < count; f++)
            tally_add(tally, found[f].name, to);
    }
    return ret;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const struct tally *tally, const struct count *own, double *rates,
                  size_t shuffles)
{
    double sum = 0;
    for (size_t i = 0; i < shuffles; i++)
        sum += rates[i];
    qsort(rates, shuffles, sizeof *rates, by_number);
    double low = rates[(size_t)floor(0.025 * (double)(shuffles - 1))];
    double high = rates[(size_t)ceil(0.975 * (double)(shuffles - 1))];
    double slow = (double)own->slow;
    printf("| of the slow runs | with a finding |\n|---|---|\n");
    printf("| each with its own weather | %.1f %% |\n", 100 * (double)own->told / slow);
    printf("| each with that of another run of its class: false | %.1f %% (95 of 100 "
           "shuffles: %.1f to %.1f %%; %zu shuffles) |\n\n",
           100 * sum / (double)shuffles, 100 * low, 100 * high, shuffles);
    printf("| finding | own weather | false | own / false |\n|---|---|---|---|\n");
    for (size_t i = 0; i < tally->count; i++) {
        double own_share = (double)tally->own[i] / slow;
        double false_share = (double)tally->shuffled[i] / slow / (double)shuffles;
        printf("| %s | %.2f %% | %.2f %% | %.1f |\n", tally->names[i], 100 * own_share,
               100 * false_share, own_share / false_share);
    }
}

static int measure(enum way way, const struct mapping *mapping, struct runs *runs,
                   size_t shuffles)
{
    struct tally tally = { 0 };
    uint64_t random = 18;
    AUTO_FREE double *rates = calloc(shuffles, sizeof *rates);
    AUTO_FREE bool *slow = calloc(runs->count + 1, sizeof *slow);
    if (!rates || !slow)
        return -ENOMEM;
    for (size_t i = 0; i < runs->count; i++)
        slow[i] = is_slow(runs, &runs->runs[i]);
    struct count own = findings_count(way, mapping, runs, slow, &tally, tally.own);
    if (own.slow == 0)
        return -ENODATA;
    for (size_t i = 0; i < shuffles; i++) {
        shuffle(runs, &random);
        struct count c =
            findings_count(way, mapping, runs, slow, &tally, tally.shuffled);
        rates[i] = (double)c.told / (double)c.slow;
    }
    if (way == BY_CLIMATE)
        printf("Runs: %zu in %zu classes, %llu of them slower than three quarters of "
               "their class.\n\n## Against the climate of the class\n\n",
               runs->count, runs->set_count, (unsigned long long)own.slow);
    else
        printf("\n## By thresholds, without a climate\n\n");
    print(&tally, &own, rates, shuffles);
    return 0;
}

int main(int argc, char **argv)
{
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    struct err err = { 0 };
    uint64_t shuffles = 0;
    if (argc < 4 || number_parse_u64(span_of(argv[1]), &shuffles) < 0 || shuffles < 1 ||
        shuffles > SHUFFLES_MAX) {
        fprintf(stderr, "bench_findings SHUFFLES MAP RUNS.csv...\n");
        return EXIT_USAGE;
    }
    int rc = mapping_load(argv[2], &mapping, &err);
    if (rc == 0)
        rc = runs_load(&mapping, argv + 3, (size_t)argc - 3, &runs, &err);
    if (rc == 0)
        rc = measure(BY_CLIMATE, &mapping, &runs, shuffles);
    if (rc == 0) /* the runs are shuffled now: read anew */
        runs_done(&runs);
    if (rc == 0)
        rc = runs_load(&mapping, argv + 3, (size_t)argc - 3, &runs, &err);
    if (rc == 0)
        rc = measure(BY_THRESHOLD, &mapping, &runs, shuffles);
    if (rc < 0 && err.text[0] == '\0')
        (void)err_set(&err, -rc, "%s", strerror(-rc));
    if (rc < 0)
        fprintf(stderr, "bench_findings: %s\n", err.text);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
