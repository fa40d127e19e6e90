/* SPDX-License-Identifier: Apache-2.0 */
/* player_clock - the page that BARO_CLOCK names, from the side that advances
 * it. */
#include "player_clock.h"

#include "base/cleanup.h"
#include "base/number.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

struct page {
    char magic[8];
    _Atomic int64_t t_ns;
};

static void auto_unmap(struct page **p)
{
    if (*p)
        (void)munmap(*p, sizeof **p);
}

static int page_map(const char *path, int flags, struct page **ret, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0644);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_set(err, errno, "stat '%s': %s", path, strerror(errno));
    if (st.st_size < (off_t)sizeof(struct page) &&
        (!(flags & O_CREAT) || ftruncate(fd, sizeof(struct page)) < 0))
        return err_set(err, EBADMSG, "'%s' is not a clock page", path);
    struct page *page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return err_set(err, errno, "map '%s': %s", path, strerror(errno));
    *ret = page;
    return 0;
}

int player_clock_set(const char *path, int64_t t_ns, struct err *err)
{
    __attribute__((cleanup(auto_unmap))) struct page *page = NULL;
    int rc = page_map(path, O_CREAT, &page, err);
    if (rc < 0)
        return rc;
    atomic_store(&page->t_ns, t_ns);
    memcpy(page->magic, "baroclk1", sizeof page->magic);
    return 0;
}

int player_clock_get(const char *path, int64_t *ret_ns, struct err *err)
{
    __attribute__((cleanup(auto_unmap))) struct page *page = NULL;
    int rc = page_map(path, 0, &page, err);
    if (rc < 0)
        return rc;
    if (memcmp(page->magic, "baroclk1", sizeof page->magic) != 0)
        return err_set(err, EBADMSG, "'%s' is not a clock page", path);
    *ret_ns = atomic_load(&page->t_ns);
    return 0;
}

int player_clock_run(const char *path, int64_t until_ns, int64_t step_ns,
                     int64_t pause_ms, struct err *err)
{
    __attribute__((cleanup(auto_unmap))) struct page *page = NULL;
    int rc = page_map(path, 0, &page, err);
    if (rc < 0)
        return rc;
    int64_t now_ns = atomic_load(&page->t_ns);
    while (now_ns < until_ns) {
        now_ns = until_ns - now_ns < step_ns ? until_ns : now_ns + step_ns;
        atomic_store(&page->t_ns, now_ns);
        struct timespec wait = { .tv_sec = pause_ms / MS_PER_S,
                                 .tv_nsec = pause_ms % MS_PER_S * NS_PER_MS };
        (void)nanosleep(&wait, NULL);
    }
    return 0;
}
