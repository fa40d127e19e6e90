/* SPDX-License-Identifier: Apache-2.0 */
/* cleanup - things that end with their scope, so that a function has one kind of exit.
 *
 *     AUTO_CLOSE int fd = open(...);
 *     AUTO(shard_free) struct shard *s = NULL;    after DEFINE_AUTO(struct shard, ...)
 *     *ret = TAKE(s);                             s is handed over, nothing is freed
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void auto_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static inline void auto_free(void *p)
{
    free(*(void **)p);
}

static inline void auto_fclose(FILE **f)
{
    if (*f)
        (void)fclose(*f);
}

static inline void auto_closedir(DIR **d)
{
    if (*d)
        (void)closedir(*d);
}

static inline void auto_unlock(pthread_mutex_t **m)
{
    (void)pthread_mutex_unlock(*m);
}

static inline pthread_mutex_t *cleanup_lock(pthread_mutex_t *m)
{
    (void)pthread_mutex_lock(m);
    return m;
}

#define AUTO_CLOSE __attribute__((cleanup(auto_close), unused))
#define AUTO_FREE __attribute__((cleanup(auto_free), unused))
#define AUTO_FCLOSE __attribute__((cleanup(auto_fclose), unused))
#define AUTO_CLOSEDIR __attribute__((cleanup(auto_closedir), unused))

/* Make AUTO(free_fn) usable for pointers to type. */
#define DEFINE_AUTO(type, free_fn)              \
    static inline void auto_##free_fn(type **p) \
    {                                           \
        free_fn(*p);                            \
    }                                           \
    struct auto_##free_fn##_defined

/* The same for a thing that is not a pointer, with a function that empties it. */
#define DEFINE_AUTO_DONE(type, done_fn)        \
    static inline void auto_##done_fn(type *p) \
    {                                          \
        done_fn(p);                            \
    }                                          \
    struct auto_##done_fn##_defined

#define AUTO(name) __attribute__((cleanup(auto_##name), unused))

#define TAKE(p)                     \
    ({                              \
        __typeof__(p) taken_ = (p); \
        (p) = NULL;                 \
        taken_;                     \
    })

#define TAKE_FD(fd)        \
    ({                     \
        int taken_ = (fd); \
        (fd) = -1;         \
        taken_;            \
    })

#define LOCKED_NAME_(line) locked_##line
#define LOCKED_(m, line)                                                         \
    __attribute__((cleanup(auto_unlock), unused)) pthread_mutex_t *LOCKED_NAME_( \
        line) = cleanup_lock(m)
/* Hold the mutex until the end of this scope. */
#define LOCKED(m) LOCKED_(m, __LINE__)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
