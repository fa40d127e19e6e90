/* SPDX-License-Identifier: Apache-2.0 */
/* test_gpu - readings of a played library, and the lines that carry them. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/gpu/gpu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static char directory[] = "/tmp/baro-gpu.XXXXXX";
static char library[128];

static void truth_put(const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/gpus", directory);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* ---- the library ---- */

static void hear_value(void *arg, const struct gpu_value *value)
{
    assert_true(isfinite(value->value));
    gpu_value_print(value, arg);
}

static void hear_complaint(void *arg, const char *text)
{
    gpu_error_print(text, arg);
}

static int reading(struct gpu_library *l, struct strbuf *ret)
{
    const struct gpu_reader reader = { hear_value, hear_complaint, ret };
    struct err err = { 0 };
    strbuf_clear(ret);
    return gpu_library_read(l, &reader, &err);
}

static void every_number_of_a_gpu_has_its_name(void **state)
{
    AUTO(gpu_library_free) struct gpu_library *l = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    truth_put(
        "0 73 0 util 87 mem_util 12 used_mib 1024 total_mib 40960 power_mw 250500 "
        "limit_mw 400000 temp 61 fan 30 graphics_mhz 1410 sm_mhz 1409 mem_mhz 1215 "
        "video_mhz 1275 corrected 7 uncorrected 18446744073709551615 encoder 5 "
        "processes 3\n");
    assert_int_equal(gpu_library_open(library, &l, &err), 0);
    assert_int_equal(reading(l, &text), 0);
    assert_string_equal(strbuf_text(&text),
                        "acc_utilization 00000000:49:00.0 - 87\n"
                        "nv_mem_util 00000000:49:00.0 - 12\n"
                        "nv_encoder_util 00000000:49:00.0 - 5\n"
                        "nv_compute_processes 00000000:49:00.0 - 3\n"
                        "acc_mem_used 00000000:49:00.0 - 1024\n"
                        "acc_mem_total 00000000:49:00.0 - 40960\n"
                        "acc_power 00000000:49:00.0 - 250.5\n"
                        "nv_power_max_limit 00000000:49:00.0 - 400\n"
                        "nv_temp 00000000:49:00.0 - 61\n"
                        "nv_fan 00000000:49:00.0 - 30\n"
                        "nv_graphics_clock 00000000:49:00.0 - 1410\n"
                        "nv_sm_clock 00000000:49:00.0 - 1409\n"
                        "nv_mem_clock 00000000:49:00.0 - 1215\n"
                        "nv_video_clock 00000000:49:00.0 - 1275\n"
                        "nv_ecc_corrected_error 00000000:49:00.0 - 7\n"
                        "nv_ecc_uncorrected_error 00000000:49:00.0 - "
                        "1.8446744073709552e+19\n");
}

static void what_is_not_supported_is_left_out_and_what_is_lost_is_reported(void **state)
{
    AUTO(gpu_library_free) struct gpu_library *l = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    truth_put("1 255 31 temp 40 slices 3\n0 1 0 temp 50\n");
    assert_int_equal(gpu_library_open(library, &l, &err), 0);
    assert_int_equal(reading(l, &text), 0);
    assert_string_equal(strbuf_text(&text), "nv_temp 00000001:FF:1F.0 - 40\n"
                                            "acc_mem_used 00000001:FF:1F.0 0 100\n"
                                            "acc_mem_total 00000001:FF:1F.0 0 10000\n"
                                            "acc_mem_used 00000001:FF:1F.0 2 300\n"
                                            "acc_mem_total 00000001:FF:1F.0 2 10000\n"
                                            "nv_temp 00000000:01:00.0 - 50\n");
    truth_put("mode lost\n0 1 0 temp 40\n0 2 0 temp 50\n");
    assert_int_equal(reading(l, &text), 0);
    assert_string_equal(strbuf_text(&text), "nv_temp 00000000:01:00.0 - 40\n"
                                            "error 00000000:02:00.0: GPU is lost\n");
    truth_put("mode gone\n");
    assert_int_equal(reading(l, &text), -EIO);
    truth_put("mode ok\n");
    assert_int_equal(reading(l, &text), 0);
    assert_string_equal(strbuf_text(&text), "");
}

static void gpus_are_bounded(void **state)
{
    AUTO(gpu_library_free) struct gpu_library *l = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT, truth = STRBUF_INIT;
    struct err err = { 0 };
    size_t lines = 0;
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        strbuf_addf(&truth, "0 %u 0 used_mib 1 total_mib 2 slices 4000000000\n", i);
    truth_put(strbuf_text(&truth));
    assert_int_equal(gpu_library_open(library, &l, &err), 0);
    assert_int_equal(reading(l, &text), 0);
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    assert_int_equal(lines, GPU_DEVICES_MAX * (2 + 2 * (GPU_SLICES_MAX - 1)));
    assert_true(lines < GPU_LINES_MAX);
}

static void a_library_that_does_not_start_has_a_reason(void **state)
{
    struct gpu_library *l = NULL;
    struct err err = { 0 };
    char path[128];
    (void)state;
    assert_int_equal(gpu_library_open("/nonexistent/libnvidia-ml.so.1", &l, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/libnvidia-ml.so.1"));
    (void)snprintf(path, sizeof path, "%s/gpus", directory);
    (void)remove(path);
    assert_int_equal(gpu_library_open(library, &l, &err), -ENODEV);
    assert_non_null(strstr(err.text, "Driver Not Loaded"));
    assert_int_equal(gpu_library_open("libm.so.6", &l, &err), -ENOSYS);
    assert_non_null(strstr(err.text, "nvmlInit_v2"));
    assert_null(l);
}

/* ---- lines ---- */

static void lines_are_read_as_they_are_printed(void **state)
{
    const struct gpu_value value = { .metric = "acc_mem_used",
                                     .pci = "0000000A:49:1F.0",
                                     .slice = 3,
                                     .value = 1024.25 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct gpu_line line;
    (void)state;
    gpu_value_print(&value, &text);
    assert_int_equal(gpu_line_parse(span_trim(strbuf_span(&text)), &line), 0);
    assert_int_equal(line.kind, GPU_LINE_VALUE);
    assert_string_equal(line.value.metric, "acc_mem_used");
    assert_string_equal(line.value.unit, "MByte");
    assert_string_equal(line.value.pci, "0000000A:49:1F.0");
    assert_int_equal(line.value.slice, 3);
    assert_true(line.value.value == 1024.25);
    assert_int_equal(gpu_line_parse(SPAN("end 18446744073709551615"), &line), 0);
    assert_true(line.kind == GPU_LINE_END && line.request == UINT64_MAX);
    strbuf_clear(&text);
    gpu_error_print("a\nb\033[2J\xff", &text);
    assert_string_equal(strbuf_text(&text), "error a?b?[2J?\n");
    assert_int_equal(gpu_line_parse(span_trim(strbuf_span(&text)), &line), 0);
    assert_true(line.kind == GPU_LINE_ERROR && span_is(line.text, "a?b?[2J?"));
    /* A text that is too long is cut, and still a line. */
    char many[1000];
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    strbuf_clear(&text);
    gpu_error_print(many, &text);
    assert_true(text.size < GPU_LINE_MAX);
    assert_int_equal(gpu_line_parse(span_trim(strbuf_span(&text)), &line), 0);
}

static void what_is_no_line_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "end",
        "end -1",
        "end 18446744073709551616",
        "end 1 2",
        "acc_power",
        "acc_power 00000000:49:00.0",
        "acc_power 00000000:49:00.0 -",
        "acc_power 00000000:49:00.0 - ",
        "acc_power 00000000:49:00.0 - nan",
        "acc_power 00000000:49:00.0 - inf",
        "acc_power 00000000:49:00.0 - 1e999",
        "acc_power 00000000:49:00.0 - 1 2",
        "acc_power 00000000:49:00.0 16 1",
        "acc_power 00000000:49:00.0 -1 1",
        "acc_power 00000000:49:00.1 - 1",
        "acc_power 00000000:49:0.0 - 1",
        "acc_power 0000000a:49:00.0 - 1",
        "acc_power 00000000:49:00.0,x=y - 1",
        "acc_power/x 00000000:49:00.0 - 1",
        "load_one 00000000:49:00.0 - 1",
        "error a\tb",
    };
    struct gpu_line line;
    char many[GPU_LINE_MAX + 1];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (gpu_line_parse(span_of(bad[i]), &line) != -EBADMSG)
            fail_msg("'%s' is accepted", bad[i]);
    memset(many, 'x', sizeof many);
    memcpy(many, "error ", 6);
    assert_int_equal(gpu_line_parse((struct span){ many, GPU_LINE_MAX }, &line),
                     -EBADMSG);
    assert_int_equal(gpu_line_parse((struct span){ many, GPU_LINE_MAX - 1 }, &line), 0);
}

/* The library finds its GPUs beside itself. */
static int player_copy(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    if (!mkdtemp(directory) ||
        file_read(NVML_PLAYER, (size_t)16 << 20, &text, NULL) < 0)
        return -1;
    (void)snprintf(library, sizeof library, "%s/libnvidia-ml.so.1", directory);
    FILE *file = fopen(library, "we");
    if (!file)
        return -1;
    bool is_whole = fwrite(text.data, 1, text.size, file) == text.size;
    return fclose(file) == 0 && is_whole ? 0 : -1;
}

static int player_remove(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_gpu_has_its_name),
        cmocka_unit_test(
            what_is_not_supported_is_left_out_and_what_is_lost_is_reported),
        cmocka_unit_test(gpus_are_bounded),
        cmocka_unit_test(a_library_that_does_not_start_has_a_reason),
        cmocka_unit_test(lines_are_read_as_they_are_printed),
        cmocka_unit_test(what_is_no_line_is_refused),
    };
    return cmocka_run_group_tests_name("gpu", tests, player_copy, player_remove);
}
