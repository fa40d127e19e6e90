/* SPDX-License-Identifier: Apache-2.0 */
/* run_clock - when a run is, by two clocks, so that a clock that was set is noticed. */
#include "act/run_clock.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

/* A time server corrects by 0.05 % at most without setting the clock. */
#define CORRECTED_ONE_OF 1000
#define CORRECTED_NS NS_PER_S

static void boot_read(char out[static RUN_CLOCK_BOOT_SIZE])
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)snprintf(out, RUN_CLOCK_BOOT_SIZE, "none");
    if (file_read("/proc/sys/kernel/random/boot_id", 4096, &text, NULL) < 0)
        return;
    struct span id = span_trim(strbuf_span(&text));
    if (id.size == 36)
        (void)snprintf(out, RUN_CLOCK_BOOT_SIZE, SPAN_FMT, SPAN_ARG(id));
}

void run_clock_read(struct run_clock *ret)
{
    *ret = (struct run_clock){ .t_ns = clock_now_ns(), .boot_ns = clock_boot_ns() };
    boot_read(ret->boot);
}

bool run_clock_is_continuous(const struct run_clock *last, const struct run_clock *now)
{
    int64_t passed_ns = now->boot_ns - last->boot_ns;
    int64_t apart_ns = now->t_ns - last->t_ns - passed_ns;
    if (strcmp(last->boot, now->boot) != 0 || passed_ns < 0)
        return false;
    return llabs(apart_ns) <= CORRECTED_NS + passed_ns / CORRECTED_ONE_OF;
}
