/* SPDX-License-Identifier: Apache-2.0 */
/* finding_thresholds - hits against false alarms over thresholds, of findings of a log.
 *
 *     bench_finding_thresholds LOGS [FILES]
 *
 * LOGS made logs of each planted kind.  For each rule: of the logs in which it is
 * planted so many are beyond a threshold; of all others so many are, too, which is
 * false.  Then slow targets: files of many shapes, with one target slower by a factor
 * and without, and dealt to the targets anew.  FILES holds lines of "ost bytes seconds"
 * of a real log, which are dealt anew likewise.  At last costs: the same log is made
 * with a thing planted and without, so that it is known what it cost.  Prints Markdown.
 */
#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"
#include "planted.h"

#include <math.h>

#define LOGS_MAX 2000
#define FILES_MAX 4096
#define DRAWS 400
#define ROUNDING 1e-9

/* ---- rules ---- */

struct rule {
    const char *name;
    enum planted kind;
    enum profile_measure measure;
    double thresholds[5];
};

static const struct rule rules[] = {
    { "small", PLANTED_SMALL, PROFILE_SMALL_SHARE, { 0.1, 0.2, 0.3, 0.5, 0.9 } },
    { "unaligned",
      PLANTED_UNALIGNED,
      PROFILE_UNALIGNED_SHARE,
      { 0.1, 0.2, 0.3, 0.4, 0.5 } },
    { "random", PLANTED_RANDOM, PROFILE_RANDOM_SHARE, { 0.05, 0.1, 0.2, 0.3, 0.5 } },
    { "imbalanced", PLANTED_IMBALANCE, PROFILE_IMBALANCE, { 1.2, 1.5, 2, 3, 5 } },
    { "metadata-heavy",
      PLANTED_METADATA,
      PROFILE_META_SHARE,
      { 0.02, 0.05, 0.1, 0.2, 0.3 } },
    { "slow-target", PLANTED_SLOW_TARGET, PROFILE_SLOW_TARGET, { 1.3, 1.5, 2, 3, 5 } },
};

static int values_make(uint64_t logs, float *values)
{
    for (int kind = 0; kind < PLANTED_COUNT; kind++)
        for (uint64_t i = 0; i < logs; i++) {
            AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
            struct profile p;
            struct err err = { 0 };
            planted_make((enum planted)kind, 700000 + 10000 * (uint64_t)kind + i, &log);
            int rc = job_log_profile_memory(log.data, log.size, &p, &err);
            if (rc < 0)
                return rc;
            for (size_t m = 0; m < PROFILE_MEASURE_COUNT; m++)
                values[((uint64_t)kind * logs + i) * PROFILE_MEASURE_COUNT + m] =
                    (float)p.values[m];
        }
    return 0;
}

/* A slow target makes its processes slow: that finding is no false one. */
static bool is_there(const struct rule *rule, int kind)
{
    return kind == (int)rule->kind ||
           (rule->measure == PROFILE_IMBALANCE && kind == PLANTED_SLOW_TARGET);
}

static void rule_print(const struct rule *rule, uint64_t logs, const float *values)
{
    printf("| %s |", rule->name);
    for (size_t t = 0; t < COUNT_OF(rule->thresholds); t++) {
        uint64_t hits = 0;
        uint64_t alarms = 0;
        uint64_t others = 0;
        for (int kind = 0; kind < PLANTED_COUNT; kind++)
            for (uint64_t i = 0; i < logs; i++) {
                uint64_t at = (uint64_t)kind * logs + i;
                bool is_present = values[at * PROFILE_MEASURE_COUNT + rule->measure] >
                                  rule->thresholds[t];
                hits += kind == (int)rule->kind && is_present;
                others += !is_there(rule, kind);
                alarms += !is_there(rule, kind) && is_present;
            }
        printf(" %g: %.1f / %.2f %% |", rule->thresholds[t],
               100 * (double)hits / (double)logs,
               100 * (double)alarms / (double)others);
    }
    printf("\n");
}

static int rules_measure(uint64_t logs)
{
    AUTO_FREE float *values =
        calloc(logs * PLANTED_COUNT * PROFILE_MEASURE_COUNT, sizeof *values);
    if (!values)
        return -ENOMEM;
    int rc = values_make(logs, values);
    if (rc < 0)
        return rc;
    printf("### Thresholds\n\n"
           "Where it is planted, so many of %llu logs are beyond a threshold; of the "
           "logs\n"
           "of the other kinds so many are, which is false.\n\n",
           (unsigned long long)logs);
    printf("| finding | threshold: told where it is planted / told of the other %d "
           "kinds ||||||\n|---|---|---|---|---|---|\n",
           PLANTED_COUNT - 1);
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        rule_print(&rules[i], logs, values);
    return 0;
}

/* ---- costs ---- */

static int profile_make(enum planted kind, uint64_t seed, struct profile *ret)
{
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    struct err err = { 0 };
    planted_make(kind, seed, &log);
    return job_log_profile_memory(log.data, log.size, ret, &err);
}

/* The same numbers are drawn for both logs of a pair: they differ in one thing alone.
 */
static int rule_cost(const struct rule *rule, uint64_t logs)
{
    uint64_t told = 0, inside = 0, below = 0, above = 0;
    double real = 0, low = 0, high = 0, off = 0;
    for (uint64_t i = 0; i < logs; i++) {
        struct profile with, without;
        struct finding found[FINDINGS_MAX];
        int rc = profile_make(rule->kind, 900000 + i, &with);
        if (rc == 0)
            rc = profile_make(PLANTED_NOTHING, 900000 + i, &without);
        if (rc < 0)
            return rc;
        size_t count = findings_make(&with, found);
        double cost = with.io.high_s - without.io.high_s;
        for (size_t f = 0; f < count; f++) {
            const struct cost *c = &found[f].cost;
            if (found[f].measure != rule->measure || !cost_is_known(c))
                continue;
            double outside = fmax(c->low_s - cost, cost - c->high_s) / with.io.high_s;
            told++;
            inside += outside <= ROUNDING;
            below += cost < c->low_s && outside > ROUNDING;
            above += cost > c->high_s && outside > ROUNDING;
            off = fmax(off, outside);
            real += cost / with.io.high_s;
            low += c->low_s / with.io.high_s;
            high += c->high_s / with.io.high_s;
        }
    }
    double n = (double)(told > 0 ? told : 1);
    printf("| %s | %llu | %.0f %% | %.0f to %.0f %% | %llu | %llu | %llu | %.1f %% |\n",
           rule->name, (unsigned long long)told, 100 * real / n, 100 * low / n,
           100 * high / n, (unsigned long long)inside, (unsigned long long)below,
           (unsigned long long)above, 100 * off);
    return 0;
}

static int costs_measure(uint64_t logs)
{
    int rc = 0;
    printf(
        "\n### What it cost, as told and in truth\n\n"
        "The same log is made with a thing planted and without, so that the seconds\n"
        "that it cost are known.  Told is the mean of both ends of the interval.\n");
    printf("\n| finding | told | it cost, of the time of I/O | as told | inside | it "
           "cost less | it cost more | farthest outside "
           "|\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; rc == 0 && i < COUNT_OF(rules); i++)
        rc = rule_cost(&rules[i], logs);
    return rc;
}

/* ---- slow targets ---- */

struct shape {
    uint32_t targets, files; /* files on each */
    double width;            /* of the noise, log-normal */
    double tail;             /* share of files that take 30 times as long */
};

static uint64_t draw_u64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double draw(uint64_t *state)
{
    return (double)(draw_u64(state) >> 11) / 9007199254740992.0;
}

static double noise(uint64_t *state, double width)
{
    double u = 1 - draw(state);
    double v = draw(state);
    return exp(width * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

static size_t files_make(const struct shape *s, double factor, uint64_t *random,
                         struct target_file *files)
{
    for (uint32_t i = 0; i < s->targets * s->files; i++) {
        bool is_slow = i % s->targets == 0;
        double io_s = noise(random, s->width) * (is_slow ? factor : 1);
        files[i] =
            (struct target_file){ 268435456.0, io_s, i, (int32_t)(i % s->targets) };
        if (draw(random) < s->tail)
            files[i].io_s *= 30;
    }
    return s->targets * s->files;
}

/* What may be asked for: of the ratio and of its chance. */
static const struct told {
    double threshold, chance;
} tolds[] = { { 3, 1 }, { 3, 0.1 }, { 3, 0.01 }, { 2, 0.1 }, { 2, 0.01 } };

static bool is_present(const struct slow_target *found, const struct told *told)
{
    return found->ratio > told->threshold && found->p <= told->chance;
}

static void shape_print(const struct shape *s)
{
    static const double factors[] = { 1, 1.5, 2, 3, 5, 10 };
    struct target_file files[FILES_MAX];
    unsigned counts[COUNT_OF(tolds)][COUNT_OF(factors)] = { 0 };
    int draws = s->targets * s->files > 1000 ? DRAWS / 8 : DRAWS;
    for (size_t f = 0; f < COUNT_OF(factors); f++) {
        uint64_t random = 99;
        for (int i = 0; i < draws; i++) {
            struct slow_target found = { .ratio = NAN };
            size_t n = files_make(s, factors[f], &random, files);
            if (slow_target_find(files, n, &found) < 0)
                continue;
            for (size_t r = 0; r < COUNT_OF(tolds); r++)
                counts[r][f] += is_present(&found, &tolds[r]);
        }
    }
    for (size_t r = 0; r < COUNT_OF(tolds); r++) {
        printf("| %u x %u, %g, %g %% | %g x, p ≤ %g |", s->targets, s->files, s->width,
               100 * s->tail, tolds[r].threshold, tolds[r].chance);
        for (size_t f = 0; f < COUNT_OF(factors); f++)
            printf(" %.1f |", 100 * (double)counts[r][f] / draws);
        printf("\n");
    }
}

/* A real log's files, on targets drawn for them: no target is slow any more. */
static int files_shuffle(const char *path)
{
    struct target_file files[FILES_MAX];
    size_t count = 0;
    char line[256];
    uint64_t random = 7;
    unsigned alarms = 0;
    AUTO_FCLOSE FILE *in = fopen(path, "r");
    if (!in)
        return -errno;
    while (count < FILES_MAX && fgets(line, sizeof line, in)) {
        char *words[3] = { line, NULL, NULL };
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 1; i < COUNT_OF(words) && words[i - 1]; i++) {
            words[i] = strchr(words[i - 1], ' ');
            if (words[i])
                *words[i]++ = '\0';
        }
        uint64_t ost = 0;
        struct target_file *file = &files[count];
        if (!words[2] || number_parse_u64(span_of(words[0]), &ost) < 0 ||
            ost >= SLOW_TARGET_OSTS_MAX ||
            number_parse_double(span_of(words[1]), &file->bytes) < 0 ||
            number_parse_double(span_of(words[2]), &file->io_s) < 0 ||
            !(file->bytes > 0 && file->io_s > 0))
            continue;
        file->ost = (int32_t)ost;
        file->process = (uint32_t)count++;
    }
    const struct told rule = { 3, FINDING_TARGET_CHANCE_MAX };
    struct slow_target found;
    int rc = slow_target_find(files, count, &found);
    bool is_own = rc == 0 && is_present(&found, &rule);
    for (int i = 0; rc == 0 && i < DRAWS; i++) {
        for (size_t n = count; n > 1; n--) {
            size_t other = draw_u64(&random) % n;
            int32_t ost = files[n - 1].ost;
            files[n - 1].ost = files[other].ost;
            files[other].ost = ost;
        }
        rc = slow_target_find(files, count, &found);
        alarms += rc == 0 && is_present(&found, &rule);
    }
    printf("\nA real log of %zu files: as they lie %s; on targets drawn for them %u of "
           "%d told.\n",
           count, is_own ? "told" : "not told", alarms, DRAWS);
    return rc;
}

int main(int argc, char **argv)
{
    static const struct shape shapes[] = {
        { 8, 2, 0.1, 0 },  { 8, 2, 0.5, 0 },    { 8, 2, 0.1, 0.1 },
        { 8, 8, 0.1, 0 },  { 8, 8, 0.5, 0 },    { 24, 2, 0.5, 0 },
        { 24, 4, 1.0, 0 }, { 24, 8, 0.1, 0.1 }, { 24, 85, 0.5, 0 },
    };
    uint64_t logs = 0;
    if (argc < 2 || number_parse_u64(span_of(argv[1]), &logs) < 0 || logs < 1 ||
        logs > LOGS_MAX) {
        fprintf(stderr, "bench_finding_thresholds LOGS [FILES]\n");
        return EXIT_USAGE;
    }
    int rc = rules_measure(logs);
    if (rc == 0)
        rc = costs_measure(logs);
    printf(
        "\n### Slow targets\n\n"
        "Files on each of some targets, times with log-normal noise of a width, and a\n"
        "share (tail) of files that take 30 times as long; one target is slower by a\n"
        "factor.  Told is what is slower than the median by a threshold, at a "
        "chance.\n");
    printf("\n| targets x files, noise, tail | told above, and at | %% told, no slower "
           "target: false | 1.5 x | 2 x | 3 x | 5 x | 10 x |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; rc == 0 && i < COUNT_OF(shapes); i++)
        shape_print(&shapes[i]);
    if (rc == 0 && argc > 2)
        rc = files_shuffle(argv[2]);
    if (rc < 0)
        fprintf(stderr, "bench_finding_thresholds: %s\n", strerror(-rc));
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
