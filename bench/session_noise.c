/* SPDX-License-Identifier: Apache-2.0 */
/* session_noise - what a burst on each node at each trigger costs a program that waits
 * for all its nodes after each step.
 *
 *     bench_session_noise BURSTS SKEWS PERIOD_MS PERIODS [PICTURE]
 *
 * BURSTS, SKEWS: files with a measured number of microseconds in each line: how long
 * the agent ran for one trigger, and how late it began. A bulk-synchronous program
 * computes for a step and waits for the slowest node; a node computes nothing during
 * its burst, of which it has one in each period: aligned (at the instant, late by a
 * measured skew) or at a phase of its own. What falls into the wait costs nothing.
 * Bursts are drawn from those measured, by a generator that begins the same each time.
 */
#include "base/number.h"
#include "base/span.h"
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>

#define MEASURED_MAX 100000
#define NODES_MAX 100000
#define SIZES 11 /* 1, 3, 10 ... 100000 */
#define STEPS 3

static const double step_us[STEPS] = { 1000, 10000, 100000 };

struct measured {
    double us[MEASURED_MAX];
    size_t count;
};

struct burst {
    double start_us, us;
};

struct noise {
    struct measured bursts, skews;
    double period_us;
    unsigned periods;
    uint64_t random;
    struct burst *now; /* of one period, in order */
    double nodes[SIZES];
    double slower[2][STEPS][SIZES]; /* aligned, at random; a share */
};

static int read_measured(const char *path, struct measured *ret)
{
    char line[64];
    AUTO_FCLOSE FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f) && ret->count < MEASURED_MAX) {
        double us;
        if (number_parse_double(span_trim(span_of(line)), &us) == 0 && us >= 0)
            ret->us[ret->count++] = us;
    }
    return ret->count ? 0 : -1;
}

static uint64_t draw_random(struct noise *n)
{
    n->random ^= n->random << 13;
    n->random ^= n->random >> 7;
    n->random ^= n->random << 17;
    return n->random;
}

static double draw_share(struct noise *n)
{
    return (double)(draw_random(n) >> 11) / (double)(UINT64_C(1) << 53);
}

static double draw_of(struct noise *n, const struct measured *m)
{
    return m->us[draw_random(n) % m->count];
}

static int compare_bursts(const void *a, const void *b)
{
    const struct burst *x = a, *y = b;
    return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

static void draw_bursts(struct noise *n, size_t nodes, bool is_random)
{
    for (size_t i = 0; i < nodes; i++)
        n->now[i] = (struct burst){ is_random ? draw_share(n) * n->period_us
                                              : draw_of(n, &n->skews),
                                    draw_of(n, &n->bursts) };
    qsort(n->now, nodes, sizeof *n->now, compare_bursts);
}

/* How much longer the steps of one period take.  Time is that of the wall; a burst that
 * begins while its node waits delays it only by what is left of it when the others have
 * come. */
static double delay_of_period(const struct noise *n, size_t nodes, double step)
{
    double t_us = 0, delay_us = 0, left_us = 0;
    size_t next = 0;
    while (t_us < n->period_us) {
        double longest_us = left_us;
        for (; next < nodes && n->now[next].start_us < t_us + step; next++)
            longest_us = fmax(longest_us, n->now[next].us);
        double end_us = t_us + step + longest_us;
        left_us = 0;
        for (; next < nodes && n->now[next].start_us < end_us; next++)
            left_us = fmax(left_us, n->now[next].start_us + n->now[next].us - end_us);
        delay_us += longest_us;
        t_us = end_us;
    }
    return delay_us / (t_us - delay_us);
}

static void play_noise(struct noise *n)
{
    for (size_t size = 0; size < SIZES; size++) {
        n->nodes[size] = round(pow(10, (double)size / 2));
        for (int is_random = 0; is_random < 2; is_random++)
            for (unsigned i = 0; i < n->periods; i++) {
                draw_bursts(n, (size_t)n->nodes[size], is_random);
                for (size_t s = 0; s < STEPS; s++)
                    n->slower[is_random][s][size] +=
                        delay_of_period(n, (size_t)n->nodes[size], step_us[s]) /
                        n->periods;
            }
    }
}

static void print_table(const struct noise *n)
{
    printf("| nodes |");
    for (size_t s = 0; s < STEPS; s++)
        printf(" %.0f ms, aligned | random |", step_us[s] / 1000);
    printf("\n|---|---|---|---|---|---|---|\n");
    for (size_t size = 0; size < SIZES; size++) {
        printf("| %.0f |", n->nodes[size]);
        for (size_t s = 0; s < STEPS; s++)
            printf(" %.4f %% | %.4f %% |", 100 * n->slower[0][s][size],
                   100 * n->slower[1][s][size]);
        printf("\n");
    }
}

/* ---- the picture: nodes and percent, both in powers of ten ---- */

#define LEFT 70.0
#define TOP 30.0
#define WIDTH 480.0
#define HEIGHT 280.0
#define LOWEST (-2.0) /* 0.01 % */
#define HIGHEST 3.0

static double x_of(double nodes)
{
    return LEFT + log10(nodes) / 5 * WIDTH;
}

static double y_of(double share)
{
    double power = share > 0 ? log10(share * 100) : LOWEST;
    power = fmin(fmax(power, LOWEST), HIGHEST);
    return TOP + (HIGHEST - power) / (HIGHEST - LOWEST) * HEIGHT;
}

static void add_axes(struct strbuf *out)
{
    char label[32];
    for (int power = 0; power <= 5; power++) {
        double x = x_of(pow(10, power));
        (void)snprintf(label, sizeof label, "%.0f", pow(10, power));
        svg_line(out, x, TOP, x, TOP + HEIGHT, "stroke='#ddd'");
        svg_text(out, x, TOP + HEIGHT + 18, "middle", "font-size='12'", label);
    }
    for (int power = (int)LOWEST; power <= (int)HIGHEST; power++) {
        double y = y_of(pow(10, power) / 100);
        (void)snprintf(label, sizeof label, "%g %%", pow(10, power));
        svg_line(out, LEFT, y, LEFT + WIDTH, y, "stroke='#ddd'");
        svg_text(out, LEFT - 8, y + 4, "end", "font-size='12'", label);
    }
    svg_text(out, LEFT + WIDTH / 2, TOP + HEIGHT + 38, "middle", "font-size='12'",
             "nodes");
    svg_text(out, LEFT, TOP - 12, "start", "font-size='12'",
             "a program that waits for all its nodes after each step is slower by");
}

static void add_line(struct strbuf *out, const struct noise *n, int is_random, size_t s)
{
    static const char *const colours[STEPS] = { "#c02942", "#e08e28", "#2a6fb0" };
    char style[96], label[48];
    (void)snprintf(style, sizeof style, "stroke='%s' stroke-width='2'%s", colours[s],
                   is_random ? "" : " stroke-dasharray='6 4'");
    for (size_t i = 1; i < SIZES; i++)
        svg_line(out, x_of(n->nodes[i - 1]), y_of(n->slower[is_random][s][i - 1]),
                 x_of(n->nodes[i]), y_of(n->slower[is_random][s][i]), style);
    (void)snprintf(label, sizeof label, "%.0f ms, %s", step_us[s] / 1000,
                   is_random ? "random phase" : "aligned");
    double y = TOP + 20 + 18 * (double)(s + (is_random ? 0 : STEPS));
    svg_line(out, LEFT + WIDTH + 12, y - 4, LEFT + WIDTH + 36, y - 4, style);
    svg_text(out, LEFT + WIDTH + 42, y, "start", "font-size='12'", label);
}

static int write_picture(const struct noise *n, const char *path)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO_FCLOSE FILE *f = fopen(path, "we");
    svg_begin(&out, LEFT + WIDTH + 190, TOP + HEIGHT + 50, "noise of a session");
    add_axes(&out);
    for (int is_random = 0; is_random < 2; is_random++)
        for (size_t s = 0; s < STEPS; s++)
            add_line(&out, n, is_random, s);
    svg_end(&out);
    if (!f || strbuf_error(&out) < 0)
        return -1;
    return fwrite(out.data, 1, out.size, f) == out.size ? 0 : -1;
}

int main(int argc, char **argv)
{
    static struct noise noise = { .random = UINT64_C(0x9e3779b97f4a7c15) };
    uint64_t period_ms = 0, periods = 0;
    if (argc < 5 || number_parse_u64(span_of(argv[3]), &period_ms) < 0 ||
        number_parse_u64(span_of(argv[4]), &periods) < 0 || period_ms < 100 ||
        period_ms > 86400000 || periods == 0 || periods > 100000) {
        fprintf(stderr, "usage: bench_session_noise BURSTS SKEWS PERIOD_MS PERIODS "
                        "[PICTURE]\n");
        return 2;
    }
    noise.period_us = (double)period_ms * 1000;
    noise.periods = (unsigned)periods;
    noise.now = calloc(NODES_MAX, sizeof *noise.now);
    if (!noise.now || read_measured(argv[1], &noise.bursts) < 0 ||
        read_measured(argv[2], &noise.skews) < 0) {
        fprintf(stderr, "bench_session_noise: no numbers in '%s' or '%s'\n", argv[1],
                argv[2]);
        return 1;
    }
    play_noise(&noise);
    print_table(&noise);
    return argc > 5 && write_picture(&noise, argv[5]) < 0 ? 1 : 0;
}
