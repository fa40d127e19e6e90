/* SPDX-License-Identifier: Apache-2.0 */
/* bench_hdf5_child - a file of HDF5 read in this process, and by a process of its own.
 *
 *     bench_hdf5_child FILE [ROUNDS]
 *
 * A round opens the file, reads all of each measure that it has, and closes it.
 */
#include "source/lmt/hdf5_child.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdio.h>
#include <sys/resource.h>

typedef int open_fn(const char *path, const struct lmt_opts *opts, void **ret_state,
                    const struct lmt_format **ret_format, struct err *err);

static int64_t cpu_ns(void)
{
    int64_t sum_us = 0;
    static const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
    for (size_t i = 0; i < COUNT_OF(who); i++) {
        struct rusage used;
        (void)getrusage(who[i], &used);
        sum_us += (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000) +
                  used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    }
    return sum_us * 1000;
}

static int round_do(open_fn *open, const char *path, size_t *cells, struct err *err)
{
    const struct lmt_opts opts = { 0 };
    const struct lmt_format *format;
    void *state;
    int rc = open(path, &opts, &state, &format, err);
    if (rc < 0)
        return rc;
    for (unsigned m = 0; m < LMT_MEASURES && rc == 0; m++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        int64_t from_s, to_s;
        rc = format->times(state, m, &from_s, &to_s, err);
        if (rc == 0) {
            lmt_grid_init(&grid, from_s, to_s);
            rc = format->read(state, m, &grid, err);
        }
        *cells += grid.row_count * grid.column_count;
        rc = rc == -ENOENT ? 0 : rc;
    }
    format->close(state);
    return rc;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        open_fn *open;
    } ways[] = { { "in this process", hdf5_here_open },
                 { "by a process of its own", lmt_hdf5_open } };
    uint64_t rounds = 20;
    struct err err = { 0 };
    if (argc < 2 || argc > 3 ||
        (argc == 3 && number_parse_u64(span_of(argv[2]), &rounds) < 0) || rounds == 0) {
        fprintf(stderr, "usage: bench_hdf5_child FILE [ROUNDS]\n");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        size_t cells = 0;
        int64_t cpu_before_ns = cpu_ns(), before_ns = clock_monotonic_ns();
        for (uint64_t k = 0; k < rounds; k++)
            if (round_do(ways[i].open, argv[1], &cells, &err) < 0) {
                fprintf(stderr, "bench_hdf5_child: %s\n", err.text);
                return EXIT_FAILED;
            }
        printf("%s: %zu cells, %.3f ms CPU, %.3f ms\n", ways[i].name,
               cells / (size_t)rounds,
               (double)(cpu_ns() - cpu_before_ns) / 1e6 / (double)rounds,
               (double)(clock_monotonic_ns() - before_ns) / 1e6 / (double)rounds);
    }
    return EXIT_OK;
}
