/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lmt - a file of any bytes that says it is HDF5 or SQLite: what is read of it
 * fits into its grid, and an error has words.
 *
 * The readers open paths, so that the bytes go through a file in memory.
 */
#include "source/lmt/lmt.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

/* A day: what damaged times say must not make rows without end. */
#define WINDOW_S 86400

static char path[64];

static void path_remove(void)
{
    (void)unlink(path);
}

static int file_write(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        struct stat st;
        const char *dir = stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
        (void)snprintf(path, sizeof path, "%s/fuzz-lmt.%ld", dir, (long)getpid());
        fuzz_check(atexit(path_remove) == 0);
    }
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd < 0 || write(fd, data, size) != (ssize_t)size ? -1 : 0;
}

static void grid_check(const struct lmt_grid *grid)
{
    fuzz_check(grid->row_count * grid->column_count <= LMT_CELLS_MAX);
    for (size_t i = 0; i < grid->column_count; i++)
        fuzz_check(grid->columns[i] != NULL);
    for (size_t i = 0; i < grid->row_count * grid->column_count; i += 7)
        fuzz_check(!isinf(grid->values[i]));
}

static void measure_read(struct lmt_series *series, enum lmt_measure measure)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct err err = { 0 };
    int64_t from_s = 0, to_s = 0;
    int rc = lmt_series_times(series, measure, &from_s, &to_s, &err);
    fuzz_check(rc == 0 || rc == -ENOENT || err.text[0] != '\0');
    if (rc < 0)
        return;
    fuzz_check(to_s > from_s);
    lmt_grid_init(&grid, from_s, to_s - from_s > WINDOW_S ? from_s + WINDOW_S : to_s);
    err = (struct err){ 0 };
    rc = lmt_series_read(series, measure, &grid, &err);
    fuzz_check(rc == 0 || rc == -ENOENT || err.text[0] != '\0');
    if (rc == 0)
        grid_check(&grid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    const struct lmt_opts opts = { .clock_offset_s = size % 2 ? 3600 : 0 };
    struct err err = { 0 };
    if (file_write(data, size) < 0)
        return 0;
    if (lmt_series_open(path, &opts, &series, &err) < 0) {
        fuzz_check(err.text[0] != '\0' && series == NULL);
        return 0;
    }
    for (unsigned measure = 0; measure < LMT_MEASURES; measure++)
        measure_read(series, measure);
    return 0;
}
