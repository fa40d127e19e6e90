/* SPDX-License-Identifier: Apache-2.0 */
/* program - baro-bmc: options, the check of its configuration, until a signal ends it.
 */
#include "bmc/program.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/options.h"
#include "bmc/ipmi.h"
#include "bmc/poller.h"
#include "bmc/sender.h"

#include <signal.h>
#include <sys/prctl.h>

static int protocols_check(const struct bmc_config *config, struct err *err)
{
    for (size_t i = 0; i < config->section_count; i++)
        if (config->sections[i].protocol == BMC_IPMI)
            return ipmi_check(err);
    return 0;
}

/* What an attacker on the network between can read or forge. */
static void unverified_log(const struct bmc_config *config)
{
    for (size_t i = 0; i < config->section_count; i++) {
        const struct bmc_section *section = &config->sections[i];
        bool is_https =
            section->protocol == BMC_REDFISH || section->protocol == BMC_REST;
        if (is_https && !section->is_verified)
            log_warn("[%s %s] verify = no: any machine at the address of a %s is sent "
                     "its password",
                     section->kind, section->name,
                     section->protocol == BMC_REST ? "box" : "BMC");
        if (section->protocol == BMC_SNMP && strcmp(section->version_name, "2c") == 0)
            log_warn("[%s %s] version = 2c: what its boxes report is neither encrypted "
                     "nor authenticated",
                     section->kind, section->name);
    }
}

static int program_check(const struct bmc_config *config, struct err *err)
{
    int rc = bmc_sender_check(&config->poller, err);
    if (rc < 0)
        return err_prefix(err, rc, "barod");
    printf("the configuration is right: %zu BMCs and boxes\n", config->target_count);
    return 0;
}

/* Counters go to the log once in a while, and at SIGUSR1. */
static void signals_follow(const sigset_t *signals, struct poller *poller,
                           int64_t interval_ns)
{
    for (;;) {
        AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
        const struct timespec pause = { .tv_sec = interval_ns / NS_PER_S,
                                        .tv_nsec = interval_ns % NS_PER_S };
        int number = sigtimedwait(signals, NULL, &pause);
        if (number == SIGTERM || number == SIGINT)
            return;
        poller_print(poller, &line);
        log_info("%s", strbuf_text(&line));
    }
}

static int program_serve(const struct bmc_config *config, struct err *err)
{
    struct poller *poller = NULL;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGUSR1);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
    unverified_log(config);
    int rc = poller_start(config, &poller, err);
    if (rc < 0)
        return rc;
    log_notice("baro-bmc reads %zu BMCs and boxes", config->target_count);
    signals_follow(&signals, poller, config->poller.report_interval_ns);
    poller_print(poller, &line);
    poller_stop(poller);
    log_info("%s", strbuf_text(&line));
    log_notice("baro-bmc has stopped");
    return 0;
}

int bmc_program_run(void *opts, int operand_count, char **operands)
{
    const struct bmc_args *args = opts;
    AUTO(bmc_config_done) struct bmc_config config = { 0 };
    struct err err = { 0 };
    if (operand_count > 0) {
        fprintf(stderr, "baro-bmc: unexpected operand '%s' (see --help)\n",
                operands[0]);
        return EXIT_USAGE;
    }
    if (args->prints_config)
        return options_print_config(bmc_config_sections, bmc_config_section_count);
    (void)signal(SIGPIPE, SIG_IGN);
    /* Before the passwords of BMCs are in its memory: no core has them. */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    int rc = bmc_config_load(args->config ? args->config : BMC_CONFIG_DEFAULT,
                             &args->set, &config, &err);
    if (rc == 0)
        rc = protocols_check(&config, &err);
    if (rc == 0)
        rc = args->is_check ? program_check(&config, &err)
                            : program_serve(&config, &err);
    if (rc == 0)
        return EXIT_OK;
    log_error("%s", err.text[0] ? err.text : strerror(-rc));
    return err_exit_status(rc);
}
