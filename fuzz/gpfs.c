/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_gpfs - what GPFS's monitors print, also in an archive: spans lie in the text,
 * and sums are no more than what was said.
 */
#include "source/gpfs/gpfs.h"
#include "fuzz/fuzz.h"

#include <math.h>

struct hearing {
    struct span text;
    struct io_sums sums;
};

static void check_inside(const struct hearing *h, struct span s)
{
    if (s.size > 0)
        fuzz_check(s.data >= h->text.data &&
                   s.data + s.size <= h->text.data + h->text.size);
}

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    fuzz_check(line > 0 && reason != NULL);
    check_inside(arg, text);
}

static int hear_cell(void *arg, const struct mmperfmon_cell *cell)
{
    check_inside(arg, cell->host);
    check_inside(arg, cell->device);
    check_inside(arg, cell->metric);
    check_inside(arg, cell->time);
    fuzz_check(cell->host.size > 0 && cell->metric.size > 0 && !isnan(cell->value));
    return 0;
}

static int hear_io(void *arg, const struct gpfs_io *io)
{
    struct hearing *h = arg;
    check_inside(h, io->node);
    check_inside(h, io->fs);
    int rc = io_sums_add(&h->sums, io);
    fuzz_check(rc == 0 || rc == -EFBIG);
    return 0;
}

static void read_text(struct hearing *h)
{
    const struct mmperfmon_opts mmperfmon = { hear_cell, hear_fault, h };
    const struct mmpmon_opts mmpmon = { hear_io, hear_fault, h };
    fuzz_check(mmperfmon_read(h->text, &mmperfmon) == 0);
    for (int round = 0; round < 2; round++) {
        io_sums_begin(&h->sums);
        fuzz_check(mmpmon_read(h->text, &mmpmon) == 0);
        io_sums_end(&h->sums);
    }
    (void)mmperfmon_is(h->text);
    (void)mmpmon_is(h->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hearing h = { .text = { (const char *)data, size } };
    struct span name, text, all = h.text;
    size_t cursor = 0;
    io_sums_init(&h.sums);
    read_text(&h);
    while (tarball_is(all) && tarball_next(all, &cursor, &name, &text) > 0) {
        check_inside(&h, name);
        check_inside(&h, text);
    }
    io_sums_done(&h.sums);
    return 0;
}
