/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_datasets - indexes in memory: what is in use is bounded, and what is not
 * makes way. */
#include "base/span.h"
#include "base/test/testing.h"
#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/index_files.h"

#include <unistd.h>

#define CHUNKS 1000U
#define SEGMENT_BYTES_MAX (UINT64_C(64) << 20)

struct bench {
    uv_loop_t loop;
    struct work_pool *pool;
    struct cache_disk *disk;
    struct datasets *datasets;
    size_t index_bytes;
    char dir[64], line[256];
};

struct search {
    struct dataset_waiter waiter; /* first */
    int rc;
    struct dataset *dataset;
};

static void on_line(void *arg, enum log_level level, enum forwarder_event event,
                    const char *line)
{
    struct bench *bench = arg;
    (void)level;
    (void)event;
    (void)snprintf(bench->line, sizeof bench->line, "%s", line);
}

static void on_found(struct dataset_waiter *waiter, int rc, struct dataset *dataset)
{
    struct search *search = (struct search *)waiter;
    search->rc = rc;
    search->dataset = dataset;
}

/* An index on the disk, of an image that is called so. */
static void index_make(struct bench *bench, uint8_t name)
{
    AUTO(dataset_index_done) struct dataset_index index = { .image = { { name } } };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    for (uint32_t i = 0; i < CHUNKS; i++) {
        struct digest digest = { { name, (uint8_t)i, (uint8_t)(i >> 8) } };
        assert_int_equal(dataset_index_add(&index, 65536, &digest), 0);
    }
    assert_int_equal(dataset_index_encode(&index, &bytes), 0);
    AUTO(payload_unref) struct payload *encoded = payload_new(bytes.size);
    assert_non_null(encoded);
    memcpy(encoded->data, bytes.data, bytes.size);
    index_file_write(bench->dir, &index.image, encoded, UINT64_MAX);
    bench->index_bytes = bytes.size;
}

static int bench_open(void **state)
{
    static struct bench bench;
    static struct forwarder_report report = { on_line, &bench };
    bench = (struct bench){ .dir = "/tmp/baro-datasets-XXXXXX" };
    assert_non_null(mkdtemp(bench.dir));
    const struct cache_disk_opts disk = { bench.dir, SEGMENT_BYTES_MAX,
                                          cache_disk_segments(SEGMENT_BYTES_MAX),
                                          &report };
    assert_int_equal(cache_disk_open(&disk, &bench.disk, NULL), 0);
    for (uint8_t name = 1; name <= 4; name++)
        index_make(&bench, name);
    assert_int_equal(uv_loop_init(&bench.loop), 0);
    assert_int_equal(work_pool_new(&bench.loop, 1, NULL, &bench.pool, NULL), 0);
    const struct datasets_opts opts = { .disk = bench.disk,
                                        .pool = bench.pool,
                                        .patience_ns = INT64_MAX,
                                        .used_bytes_max = 2 * bench.index_bytes,
                                        .report = &report };
    assert_int_equal(datasets_new(&opts, &bench.datasets), 0);
    *state = &bench;
    return 0;
}

static int bench_close(void **state)
{
    struct bench *bench = *state;
    datasets_free(bench->datasets);
    work_pool_free(bench->pool);
    cache_disk_close(bench->disk);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    AUTO(strbuf_done) struct strbuf remove = STRBUF_INIT;
    strbuf_addf(&remove, "rm -rf %s", bench->dir);
    assert_int_equal(system(strbuf_text(&remove)), 0);
    return 0;
}

static int find(struct bench *bench, uint8_t name, struct search *search)
{
    struct digest digest = { { name } };
    char text[DIGEST_TEXT_SIZE];
    digest_print(&digest, text);
    *search = (struct search){ .waiter.done = on_found, .rc = 1 };
    datasets_find(bench->datasets, span_of(text), &search->waiter);
    while (search->rc == 1)
        (void)uv_run(&bench->loop, UV_RUN_ONCE);
    return search->rc;
}

static void what_is_in_use_is_bounded(void **state)
{
    struct bench *bench = *state;
    struct search first, second, third, again;
    assert_int_equal(find(bench, 1, &first), 0);
    assert_int_equal(find(bench, 2, &second), 0);
    assert_int_equal(find(bench, 3, &third), -EBUSY);
    assert_non_null(strstr(bench->line, "in use"));
    assert_int_equal(find(bench, 2, &again), 0); /* it is there already */
    assert_ptr_equal(again.dataset, second.dataset);
    dataset_unref(bench->datasets, again.dataset);
    dataset_unref(bench->datasets, first.dataset);
    assert_int_equal(find(bench, 3, &third), 0);
    dataset_unref(bench->datasets, second.dataset);
    dataset_unref(bench->datasets, third.dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_in_use_is_bounded, bench_open,
                                        bench_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
