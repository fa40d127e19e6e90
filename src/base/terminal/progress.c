/* SPDX-License-Identifier: Apache-2.0 */
/* progress - how far long work is, as one line of a terminal that is written over. */
#include "base/terminal/progress.h"

#include "base/number.h"
#include "base/terminal/terminal.h"

#define PROGRESS_NS (NS_PER_S / 4)

void progress_begin(struct progress *progress, const char *unit, int64_t now_ns)
{
    *progress = (struct progress){ .unit = unit, .begun_ns = now_ns };
}

void progress_print(struct progress *progress, size_t done, size_t count,
                    int64_t now_ns, struct strbuf *out)
{
    bool is_end = done == count;
    bool is_early =
        progress->displayed_ns != 0 && now_ns - progress->displayed_ns < PROGRESS_NS;
    if (count < 2 || (!is_end && is_early))
        return;
    progress->displayed_ns = now_ns;
    double elapsed_s = (double)(now_ns - progress->begun_ns) / (double)NS_PER_S;
    double by_s = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    strbuf_addf(out, "%s%zu of %zu %s, %.0f a second",
                terminal_order(TERMINAL_LINE_START), done, count, progress->unit, by_s);
    if (is_end)
        strbuf_adds(out, "          \n");
    else if (by_s > 0)
        strbuf_addf(out, ", %.0f s left  ", (double)(count - done) / by_s);
}

void progress_print_estimate(struct progress *progress, int64_t expected_s,
                             int64_t now_ns, struct strbuf *out)
{
    int64_t elapsed_s = (now_ns - progress->begun_ns) / NS_PER_S;
    progress->displayed_ns = now_ns;
    strbuf_addf(out, "%s%s: %lld s", terminal_order(TERMINAL_LINE_START),
                progress->unit, (long long)elapsed_s);
    if (elapsed_s <= expected_s)
        strbuf_addf(out, ", about %lld s left      ",
                    (long long)(expected_s - elapsed_s));
    else
        strbuf_addf(out, ", estimated were %lld s  ", (long long)expected_s);
}
