/* SPDX-License-Identifier: Apache-2.0 */
/* clock - the only caller of clock_gettime. */
#include "base/clock.h"

#include "base/cleanup.h"
#include "base/number.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

struct played_page {
    char magic[8];
    _Atomic int64_t t_ns;
};

/* A player may leap by minutes; whoever waits looks this often. */
#define PLAYED_WAIT_MS 5

static const struct played_page *played;

/* What clock_steady_ns() has come to under a played clock. */
static struct {
    pthread_mutex_t lock;
    bool has_begun;
    int64_t real_ns, played_ns, steady_ns;
} steady = { .lock = PTHREAD_MUTEX_INITIALIZER };

int clock_start(struct err *err)
{
    const char *path = getenv("BARO_CLOCK");
    if (!path || !*path)
        return 0;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "BARO_CLOCK: open '%s': %s", path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(struct played_page))
        return err_set(err, EBADMSG, "BARO_CLOCK: '%s' is not a clock page", path);
    void *page = mmap(NULL, sizeof(struct played_page), PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return err_set(err, errno, "BARO_CLOCK: map '%s': %s", path, strerror(errno));
    const struct played_page *p = page;
    if (memcmp(p->magic, "baroclk1", sizeof p->magic) != 0) {
        (void)munmap(page, sizeof(struct played_page));
        return err_set(err, EBADMSG, "BARO_CLOCK: '%s' is not a clock page", path);
    }
    played = p;
    return 0;
}

bool clock_is_played(void)
{
    return played != NULL;
}

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    (void)clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_now_ns(void)
{
    return played ? atomic_load(&played->t_ns) : read_clock(CLOCK_REALTIME);
}

int64_t clock_now_ms(void)
{
    return clock_now_ns() / NS_PER_MS;
}

int64_t clock_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_boot_ns(void)
{
    return played ? clock_now_ns() : read_clock(CLOCK_BOOTTIME);
}

int64_t clock_steady_ns(void)
{
    if (!played)
        return clock_monotonic_ns();
    LOCKED(&steady.lock);
    int64_t real_ns = clock_monotonic_ns(), played_ns = clock_now_ns();
    if (!steady.has_begun)
        steady.steady_ns = steady.real_ns = real_ns;
    int64_t passed_ns = real_ns - steady.real_ns;
    int64_t advanced_ns = steady.has_begun ? played_ns - steady.played_ns : 0;
    steady.steady_ns += advanced_ns > passed_ns ? advanced_ns : passed_ns;
    steady.has_begun = true;
    steady.real_ns = real_ns;
    steady.played_ns = played_ns;
    return steady.steady_ns;
}

int64_t clock_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static int64_t wait_ms(int64_t left_ns)
{
    if (left_ns <= 0)
        return 0;
    int64_t left_ms = (left_ns + NS_PER_MS - 1) / NS_PER_MS;
    return played && left_ms > PLAYED_WAIT_MS ? PLAYED_WAIT_MS : left_ms;
}

int64_t clock_wait_ms(int64_t t_ns)
{
    return wait_ms(t_ns - clock_now_ns());
}

int64_t clock_steady_wait_ms(int64_t t_ns)
{
    return wait_ms(t_ns - clock_steady_ns());
}
