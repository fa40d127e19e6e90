/* SPDX-License-Identifier: Apache-2.0 */
/* bench_line_protocol - how fast lines of ClusterCockpit's form are read.
 *
 *     bench_line_protocol [LINES]
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>

/* Half of the values are short decimals, a quarter integers, a quarter full doubles. */
static void make_lines(struct strbuf *text, uint64_t count)
{
    uint64_t seed = 1;
    for (uint64_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        double value = (double)(seed >> 40);
        strbuf_addf(text, "cpu_load,cluster=alex,hostname=a%04u,type=node value=",
                    (unsigned)(i % 1000));
        if (i % 4 < 2)
            strbuf_addf(text, "%.2f", value / 100);
        else if (i % 4 == 2)
            strbuf_addf(text, "%.0f", value);
        else
            strbuf_addf(text, "%.17g", value / 3);
        strbuf_addf(text, " %" PRIu64 "\n", UINT64_C(1700000000) + i / 1000 * 10);
    }
}

int main(int argc, char **argv)
{
    static struct line_reader reader;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t count = 2000000, points = 0;
    if (argc > 1 && number_parse_u64(span_of(argv[1]), &count) < 0) {
        fprintf(stderr, "bench_line_protocol: '%s' is not a number\n", argv[1]);
        return EXIT_USAGE;
    }
    make_lines(&text, count);
    if (strbuf_error(&text))
        return EXIT_FAILED;
    int64_t begin_ns = clock_cpu_ns();
    struct line_point p;
    double sum = 0;
    line_reader_init(&reader, strbuf_span(&text), NS_PER_S, 0);
    while (line_reader_next(&reader, &p) == LINE_POINT) {
        points++;
        sum += p.fields[0].number;
    }
    double seconds = (double)(clock_cpu_ns() - begin_ns) / 1e9;
    printf("lines %" PRIu64
           ", %.1f bytes each, %.2f M lines/s, %.0f MB/s, %.1f ns a line "
           "(sum %.3g)\n",
           points, (double)text.size / (double)count, (double)points / seconds / 1e6,
           (double)text.size / seconds / 1e6, seconds * 1e9 / (double)points, sum);
    return points == count ? EXIT_OK : EXIT_FAILED;
}
