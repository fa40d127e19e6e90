/* SPDX-License-Identifier: Apache-2.0 */
/* test_redfish_sensor - names of parts that repeat. */
#include "base/span.h"
#include "base/test/testing.h"
#include "bmc/redfish_sensor.h"

#define PSU(id, health, watts)                                    \
    "{\"Name\":\"Power Supply\"," id "\"PowerInputWatts\":" watts \
    ",\"Status\":{\"Health\":\"" health "\"}}"

static struct bmc_report *report_of(const char *text)
{
    struct bmc_report *report = calloc(1, sizeof *report);
    struct err err = { 0 };
    assert_non_null(report);
    assert_int_equal(redfish_sensors_add(span_of(text), report, &err), 0);
    return report;
}

static void names_that_repeat_have_their_ids(void **state)
{
    struct bmc_report *report =
        report_of("{\"PowerSupplies\":[" PSU("\"MemberId\":\"0\",", "OK", "1") "," PSU(
            "\"MemberId\":\"1\",", "Critical",
            "2") "],\"Fans\":[{\"MemberId\":\"0\","
                 "\"Name\":\"Power Supply\",\"Status\":{\"Health\":\"OK\"}}]}");
    (void)state;
    assert_int_equal(report->part_count, 3);
    assert_string_equal(report->parts[0].id, "Power Supply 0");
    assert_string_equal(report->parts[1].id, "Power Supply 1");
    assert_int_equal(report->parts[0].health, RESOURCE_UP);
    assert_int_equal(report->parts[1].health, RESOURCE_DOWN);
    assert_string_equal(report->parts[2].id, "Power Supply");
    assert_int_equal(report->value_count, 2);
    assert_string_equal(report->values[1].id, "Power Supply 1");
    free(report);
}

static void without_ids_the_worse_health_holds(void **state)
{
    struct bmc_report *report = report_of("{\"PowerSupplies\":[" PSU(
        "", "Warning", "1") "," PSU("", "Critical", "2") "," PSU("", "OK", "3") "]}");
    (void)state;
    assert_int_equal(report->part_count, 1);
    assert_int_equal(report->parts[0].health, RESOURCE_DOWN);
    assert_non_null(strstr(report->parts[0].reason, "Critical"));
    /* Two samples of one series at one time are one. */
    assert_int_equal(report->value_count, 1);
    assert_int_equal(report->lost, 2);
    free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_repeat_have_their_ids),
        cmocka_unit_test(without_ids_the_worse_health_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
