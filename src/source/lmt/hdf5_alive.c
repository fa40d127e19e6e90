/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_alive - how many of the processes that read HDF5 are alive at once. */
#include "source/lmt/hdf5_alive.h"

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hdf5_alive *newest;
static unsigned alive_max = HDF5_ALIVE_MAX;

static void lock_take(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void lock_give(void)
{
    (void)pthread_mutex_unlock(&lock);
}

/* Children of the process that forked this one are not this one's. */
static void forget(void)
{
    newest = NULL;
    alive_max = HDF5_ALIVE_WORKER_MAX;
    lock_give();
}

/* Before main(): a worker may be forked before a file is opened. */
__attribute__((constructor)) static void at_fork(void)
{
    (void)pthread_atfork(lock_take, lock_give, forget);
}

static void take_out(const struct hdf5_alive *child)
{
    struct hdf5_alive **at = &newest;
    while (*at && *at != child)
        at = &(*at)->older;
    if (*at)
        *at = child->older;
}

/* All but the newest ones and those with a request. */
static void end_others(void)
{
    unsigned count = 0;
    for (struct hdf5_alive **at = &newest; *at;) {
        struct hdf5_alive *child = *at;
        if (++count <= alive_max || child->is_busy) {
            at = &child->older;
        } else {
            *at = child->older;
            child->end(child);
        }
    }
}

void hdf5_alive_begin(struct hdf5_alive *child)
{
    lock_take();
    take_out(child);
    child->older = newest;
    child->is_busy = true;
    newest = child;
    end_others();
    lock_give();
}

void hdf5_alive_rest(struct hdf5_alive *child, bool is_alive)
{
    lock_take();
    child->is_busy = false;
    if (!is_alive)
        take_out(child);
    end_others();
    lock_give();
}

void hdf5_alive_leave(struct hdf5_alive *child)
{
    lock_take();
    take_out(child);
    lock_give();
}
