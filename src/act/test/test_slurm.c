/* SPDX-License-Identifier: Apache-2.0 */
/* test_slurm - which Slurm its programs are of is read from Slurm, not from the
 * environment. */
#include "act/slurm.h"
#include "base/span.h"
#include "base/test/testing.h"

static void the_cluster_is_that_of_the_configuration(void **state)
{
    (void)state;
    struct span name;
    assert_int_equal(
        slurm_config_cluster(
            SPAN("Configuration data as of 2026-11-28T23:00:00\n"
                 "AccountingStorageHost   = localhost\nCommunicationParameters = "
                 "x=ClusterName=forged\nClusterName             = woody \nX = 1\n"),
            &name),
        0);
    assert_true(span_is(name, "woody"));
    static const char *const texts[] = { "",
                                         "ClusterName",
                                         "ClusterName =\n",
                                         "ClusterName = (null)\n",
                                         "OtherClusterName = woody\n",
                                         "slurm_load_ctl_conf error: refused\n" };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (slurm_config_cluster(span_of(texts[i]), &name) != -EBADMSG)
            fail_msg("%s", texts[i]);
}

static void the_environment_chooses_no_slurm(void **state)
{
    (void)state;
    static const struct {
        const char *variable;
        bool is_dropped;
    } cases[] = {
        { "SLURM_CLUSTERS=woody", true },
        { "SLURM_CONF=/etc/slurm/woody.conf", true },
        { "SLURM_CONF_SERVER=woody", true },
        { "SLURM_FEDERATION=yes", true },
        { "SINFO_FORMAT=%N", true },
        { "SINFO_PARTITION=debug", true },
        { "SQUEUE_FORMAT=%N", true },
        { "SCONTROL_FUTURE=1", true },
        { "SLURM_JWT=token", false },
        { "SLURM_SACK_SOCKET=/run/x", false },
        { "SLURM=x", false },
        { "PATH=/usr/bin", false },
        { "LANG=C", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (slurm_variable_is_dropped(cases[i].variable) != cases[i].is_dropped)
            fail_msg("%s", cases[i].variable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cluster_is_that_of_the_configuration),
        cmocka_unit_test(the_environment_chooses_no_slurm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
