/* SPDX-License-Identifier: Apache-2.0 */
/* test_layers - bytes above and below an interface, each counted once a side. */
#include "analysis/log/layers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static bool lower(struct layers *l, uint64_t id, double read, double written)
{
    bool is_inside = false;
    const struct layer_bytes bytes = { read, written };
    assert_int_equal(layers_add_lower(l, id, bytes, true, &is_inside), 0);
    return is_inside;
}

static void bytes_of_one_interface_are_the_same_on_both_sides(void **state)
{
    (void)state;
    AUTO(layers_done) struct layers l = { 0 };
    struct layer_sums s;
    assert_false(lower(&l, 1, 10, 0));
    assert_false(lower(&l, 2, 0, 30));
    assert_false(lower(&l, 2, 5, 0));
    layers_sum(&l, &s);
    assert_true(s.application.read == 15 && s.application.written == 30);
    assert_true(s.file_system.read == 15 && s.file_system.written == 30);
    assert_true(s.files == 2 && !s.is_layered && isnan(s.amplification));
}

static void what_is_inside_another_interface_is_not_added_to_it(void **state)
{
    (void)state;
    AUTO(layers_done) struct layers l = { 0 };
    struct layer_sums s;
    assert_int_equal(layers_add_upper(&l, 1, (struct layer_bytes){ 0, 60 }), 0);
    assert_int_equal(layers_add_upper(&l, 1, (struct layer_bytes){ 0, 40 }), 0);
    assert_true(lower(&l, 1, 100, 290)); /* read, modified, written */
    assert_false(lower(&l, 2, 7, 0));
    layers_sum(&l, &s);
    assert_true(s.application.read == 7 && s.application.written == 100);
    assert_true(s.file_system.read == 107 && s.file_system.written == 290);
    assert_true(s.files == 2 && s.is_layered);
    assert_true(fabs(s.amplification - 3.9) < 1e-12);
}

static void upper_records_with_nothing_below_went_somewhere(void **state)
{
    (void)state;
    AUTO(layers_done) struct layers l = { 0 };
    struct layer_sums s;
    assert_int_equal(layers_add_upper(&l, 1, (struct layer_bytes){ 8, 0 }), 0);
    layers_sum(&l, &s);
    assert_true(s.application.read == 8 && s.file_system.read == 8);
    assert_true(s.files == 1 && !s.is_layered && isnan(s.amplification));
}

static void standard_streams_are_no_files(void **state)
{
    (void)state;
    AUTO(layers_done) struct layers l = { 0 };
    struct layer_sums s;
    bool is_inside = true;
    const struct layer_bytes bytes = { 0, 3 };
    assert_int_equal(layers_add_lower(&l, 9, bytes, false, &is_inside), 0);
    layers_sum(&l, &s);
    assert_false(is_inside);
    assert_true(s.files == 0 && s.application.written == 3);
}

static void objects_below_mpi_io_are_a_sum_without_files(void **state)
{
    (void)state;
    AUTO(layers_done) struct layers l = { 0 };
    struct layer_sums s;
    assert_false(layers_has_open(&l));
    assert_int_equal(layers_add_upper(&l, 1, (struct layer_bytes){ 0, 0 }), 0);
    assert_false(layers_has_open(&l)); /* it was opened, and moved nothing */
    assert_int_equal(layers_add_upper(&l, 2, (struct layer_bytes){ 0, 100 }), 0);
    assert_true(layers_has_open(&l));
    layers_add_below(&l, (struct layer_bytes){ 50, 200 });
    layers_add_below(&l, (struct layer_bytes){ 0, 100 });
    layers_sum(&l, &s);
    assert_true(s.application.read == 0 && s.application.written == 100);
    assert_true(s.file_system.read == 50 && s.file_system.written == 300);
    assert_true(s.is_layered && s.amplification == 3.5);
    assert_true(lower(&l, 2, 0, 100));
    assert_false(layers_has_open(&l));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_one_interface_are_the_same_on_both_sides),
        cmocka_unit_test(what_is_inside_another_interface_is_not_added_to_it),
        cmocka_unit_test(objects_below_mpi_io_are_a_sum_without_files),
        cmocka_unit_test(upper_records_with_nothing_below_went_somewhere),
        cmocka_unit_test(standard_streams_are_no_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
