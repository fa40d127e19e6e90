/* SPDX-License-Identifier: Apache-2.0 */
/* daemon - barod from its start to its stop. */
#include "daemon/daemon.h"

#include "base/log.h"
#include "daemon/check.h"
#include "daemon/own_metrics.h"
#include "daemon/steps.h"
#include "daemon/tokens.h"
#include "daemon/waiting.h"

#include <signal.h>
#include <systemd/sd-daemon.h>

static struct daemon the_daemon; /* large, and as long-lived as the process */

static int load(struct daemon *d, const struct daemon_args *args, struct err *err)
{
    (void)signal(SIGPIPE, SIG_IGN);
    int rc = daemon_setup_load(args, &d->setup, err);
    if (rc < 0)
        return rc;
    log_set_level(args->is_verbose ? LOG_LEVEL_DEBUG : d->setup.opts.barod.level);
    return daemon_setup_check_clock(&d->setup, err);
}

static void run_loop(struct daemon *d)
{
    struct own_metrics *own = NULL;
    struct err err = { 0 };
    if (own_metrics_start(&d->parts, &d->setup.opts, &d->loop, &own, &err) < 0)
        log_warn("own metrics: %s; none are stored", err.text);
    daemon_tokens_start(d->parts.server, &d->loop);
    /* Also while the database is away: it listens and responds, and that is what others
     * are started after; a start of more than TimeoutStartSec would be ended. */
    (void)sd_notify(0, d->parts.waiting ? "READY=1"
                                        : "READY=1\nSTATUS=" DAEMON_STATUS_READY);
    (void)uv_run(&d->loop, UV_RUN_DEFAULT);
    (void)sd_notify(0, "STOPPING=1");
    own_metrics_stop(own);
    daemon_tokens_stop();
    signals_stop(&d->signals); /* a second one ends what stopping hangs in */
}

static int serve(struct daemon *d, struct err *err)
{
    int rc = uv_loop_init(&d->loop);
    if (rc < 0)
        return err_set(err, -rc, "a loop of events: %s", uv_strerror(rc));
    d->has_loop = true;
    rc = daemon_start(d, err);
    if (rc < 0)
        return rc;
    log_info("net: %s", net_server_describe(d->parts.server));
    if (!d->parts.waiting)
        log_notice("barod %s is ready", BARO_VERSION);
    run_loop(d);
    return daemon_waiting_outcome(d->parts.waiting, err);
}

int daemon_run(const struct daemon_args *args, struct err *err)
{
    struct daemon *d = &the_daemon;
    int rc = load(d, args, err);
    if (rc == 0)
        rc = serve(d, err);
    daemon_stop(d);
    return rc;
}

int daemon_check(const struct daemon_args *args, struct strbuf *out, struct err *err)
{
    struct daemon *d = &the_daemon;
    int rc = load(d, args, err);
    if (rc == 0)
        rc = check_daemon(d, out, err);
    daemon_stop(d);
    return rc;
}
