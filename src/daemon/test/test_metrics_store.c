/* SPDX-License-Identifier: Apache-2.0 */
/* test_metrics_store - what the store counts, on the metrics page. */
#include "daemon/metrics/metrics_store.h"

#include "base/number.h"
#include "base/test/testing.h"

#include <string.h>

static void has_line(const struct strbuf *out, const char *line)
{
    if (!strstr(strbuf_text(out), line))
        fail_msg("no '%s'", line);
}

static void every_count_stands_behind_its_own_name(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct metric_store_status s = { .metric_count = 3,
                                     .batches = 4,
                                     .refused_batches = 5,
                                     .block_files = 6,
                                     .damaged_blocks = 7 };
    s.memory.series_count = 8;
    s.memory.used_bytes = 9;
    s.memory.samples.accepted = 10;
    s.memory.samples.too_old = 11;
    metrics_add_store(&s, 0, &out);
    static const char *const lines[] = {
        "\nbaro_store_metrics 3\n",
        "\nbaro_store_batches_total 4\n",
        "\nbaro_store_batches_refused_total 5\n",
        "\nbaro_store_block_files 6\n",
        "\nbaro_store_blocks_damaged_total 7\n",
        "\nbaro_store_series 8\n",
        "\nbaro_store_memory_used_bytes 9\n",
        "\nbaro_store_samples_total 10\n",
        "\nbaro_store_samples_too_old_total 11\n",
        "# TYPE baro_store_series gauge\n",
        "# TYPE baro_store_samples_total counter\n",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        has_line(&out, lines[i]);
}

static void a_worker_that_has_not_run_has_no_age(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct metric_store_status s = { 0 };
    s.workers[0].last_t_ns = 100 * NS_PER_S;
    s.workers[0].last_duration_ns = NS_PER_S / 2;
    s.workers[0].runs = 2;
    metrics_add_store(&s, 107 * NS_PER_S, &out);
    for (size_t i = 0; i < METRIC_WORKER_COUNT; i++) {
        strbuf_clear(&line);
        strbuf_addf(&line, "\nbaro_store_worker_age_seconds{worker=\"%s\"} %d\n",
                    metric_worker_name((enum metric_worker)i), i == 0 ? 7 : 0);
        has_line(&out, strbuf_text(&line));
    }
    strbuf_clear(&line);
    strbuf_addf(&line, "\nbaro_store_worker_last_seconds{worker=\"%s\"} 0.5\n",
                metric_worker_name((enum metric_worker)0));
    has_line(&out, strbuf_text(&line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_stands_behind_its_own_name),
        cmocka_unit_test(a_worker_that_has_not_run_has_no_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
