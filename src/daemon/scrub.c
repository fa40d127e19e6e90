/* SPDX-License-Identifier: Apache-2.0 */
/* scrub - the thread that reads the whole database for damage. */
#include "daemon/scrub.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define LOOK_EVERY_S 1 /* until the database is there */

struct daemon_scrub {
    struct records *records;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_bool stopping;
};

static int on_watch(void *arg)
{
    const struct daemon_scrub *scrub = arg;
    return scrub->stopping ? -ECANCELED : 0;
}

/* True: it is time to stop. */
static bool rest(struct daemon_scrub *scrub)
{
    int64_t end_ns = clock_monotonic_ns() + LOOK_EVERY_S * NS_PER_S;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&scrub->mutex);
    if (!scrub->stopping)
        (void)pthread_cond_timedwait(&scrub->wake, &scrub->mutex, &until);
    return scrub->stopping;
}

static void *work(void *arg)
{
    struct daemon_scrub *scrub = arg;
    struct err err = { 0 };
    while (!records_is_connected(scrub->records))
        if (rest(scrub))
            return NULL;
    int64_t begin_ns = clock_monotonic_ns();
    int rc = records_check_whole(scrub->records, on_watch, scrub, &err);
    if (rc == -EUCLEAN)
        log_error("records: %s; nothing is stored any more", err.text);
    else if (rc < 0 && rc != -ECANCELED)
        log_warn("records: the check for damage ended early: %s", err.text);
    else if (rc == 0)
        log_debug("records: no damage was found, in %.1f s",
                  (double)(clock_monotonic_ns() - begin_ns) / (double)NS_PER_S);
    return NULL;
}

int daemon_scrub_start(struct records *records, struct daemon_scrub **ret,
                       struct err *err)
{
    pthread_condattr_t attr;
    struct daemon_scrub *scrub = calloc(1, sizeof *scrub);
    if (!scrub)
        return err_set(err, ENOMEM, "out of memory");
    scrub->records = records;
    (void)pthread_mutex_init(&scrub->mutex, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&scrub->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    int rc = pthread_create(&scrub->thread, NULL, work, scrub);
    if (rc) {
        free(scrub);
        return err_set(err, EAGAIN, "start a thread: %s", strerror(rc));
    }
    *ret = scrub;
    return 0;
}

void daemon_scrub_free(struct daemon_scrub *scrub)
{
    if (!scrub)
        return;
    {
        LOCKED(&scrub->mutex);
        scrub->stopping = true;
        (void)pthread_cond_signal(&scrub->wake);
    }
    (void)pthread_join(scrub->thread, NULL);
    (void)pthread_cond_destroy(&scrub->wake);
    (void)pthread_mutex_destroy(&scrub->mutex);
    free(scrub);
}
