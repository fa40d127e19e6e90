/* SPDX-License-Identifier: Apache-2.0 */
/* workers - processes that do one thing together, with a barrier. */
#include "probe/workers.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#ifdef BARO_WITH_MPI
#include <mpi.h>
#endif

#define LOOK_NS \
    20000 /* how often a waiting process looks: short beside any I/O phase */
#define WATCH_NS 2000000

/* In memory that all children see. */
struct board {
    _Atomic unsigned arrived;
    _Atomic unsigned generation;
    _Atomic int is_over; /* no process waits any more */
};

struct workers {
    unsigned rank, count;
    bool is_mpi, ends_whole;
    volatile const int *stop;
    struct board *board; /* children only */
};

bool workers_has_mpi(void)
{
#ifdef BARO_WITH_MPI
    return true;
#else
    return false;
#endif
}

unsigned workers_count(const struct workers *workers)
{
    return workers->count;
}

bool workers_are_ranks(const struct workers *workers)
{
    return workers->is_mpi;
}

bool workers_is_leader(const struct workers *workers)
{
    return workers->rank == 0;
}

static void nap(long ns)
{
    (void)nanosleep(&(struct timespec){ 0, ns }, NULL);
}

/* ---- ranks of MPI ---- */

#ifdef BARO_WITH_MPI

static int mpi_start(struct workers *c, struct err *err)
{
    int rank = 0, count = 0;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &count) != MPI_SUCCESS)
        return err_set(err, EIO, "MPI does not start");
    c->rank = (unsigned)rank;
    c->count = (unsigned)count;
    return 0;
}

static void mpi_end(void)
{
    (void)MPI_Finalize();
}

static void mpi_share(void *data, size_t size)
{
    (void)MPI_Bcast(data, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static int mpi_barrier(void)
{
    return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -ECANCELED;
}

static int mpi_gather(void *own, void *results, size_t result_bytes)
{
    return MPI_Gather(own, (int)result_bytes, MPI_BYTE, results, (int)result_bytes,
                      MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS
               ? 0
               : -EIO;
}

#else

static int mpi_start(struct workers *c, struct err *err)
{
    (void)c;
    return err_set(err, ENOTSUP, "this baro-abc was built without MPI");
}
static void mpi_end(void)
{
}
static void mpi_share(void *data, size_t size)
{
    (void)data;
    (void)size;
}
static int mpi_barrier(void)
{
    return -ECANCELED;
}
static int mpi_gather(void *own, void *results, size_t result_bytes)
{
    (void)own;
    (void)results;
    (void)result_bytes;
    return -ENOTSUP;
}

#endif

/* ---- both ---- */

int workers_new(const struct workers_opts *opts, struct workers **ret, struct err *err)
{
    struct workers *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    c->count = opts->count;
    c->is_mpi = opts->use_mpi;
    c->ends_whole = opts->ends_whole;
    c->stop = opts->stop;
    int rc = 0;
    if (c->is_mpi) {
        rc = mpi_start(c, err);
    } else {
        c->board = mmap(NULL, sizeof *c->board, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (c->board == MAP_FAILED) {
            c->board = NULL;
            rc = -ENOMEM;
        }
    }
    if (rc < 0) {
        c->is_mpi = false; /* it has not begun */
        workers_free(c);
        return rc;
    }
    *ret = c;
    return 0;
}

void workers_free(struct workers *workers)
{
    if (!workers)
        return;
    if (workers->is_mpi)
        mpi_end();
    if (workers->board)
        (void)munmap(workers->board, sizeof *workers->board);
    free(workers);
}

void workers_share(struct workers *workers, void *data, size_t size)
{
    if (workers->is_mpi)
        mpi_share(data, size);
}

int workers_barrier(const struct worker *me)
{
    struct workers *c = me->workers;
    if (c->is_mpi)
        return mpi_barrier();
    struct board *b = c->board;
    unsigned generation = atomic_load(&b->generation);
    if (atomic_fetch_add(&b->arrived, 1) + 1 == c->count) {
        atomic_store(&b->arrived, 0);
        atomic_fetch_add(&b->generation, 1);
        return atomic_load(&b->is_over) ? -ECANCELED : 0;
    }
    while (atomic_load(&b->generation) == generation) {
        if (atomic_load(&b->is_over))
            return -ECANCELED;
        nap(LOOK_NS);
    }
    return 0;
}

/* ---- children ---- */

struct watch {
    pid_t *children;
    unsigned alive;
    int error;
};

static void end_all(struct workers *c, struct watch *w, int error)
{
    atomic_store(&c->board->is_over, 1);
    if (w->error == 0)
        w->error = error;
    for (unsigned i = 0; i < c->count; i++)
        if (w->children[i] > 0)
            (void)kill(w->children[i], SIGKILL);
}

static void child_ended(struct workers *c, struct watch *w, pid_t pid, int status,
                        struct err *err)
{
    unsigned rank = 0;
    while (rank < c->count && w->children[rank] != pid)
        rank++;
    if (rank == c->count)
        return;
    w->children[rank] = 0;
    w->alive--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (w->error == 0) {
        if (WIFSIGNALED(status))
            (void)err_set(err, ECHILD, "process %u was ended by signal %d (%s)", rank,
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
        else
            (void)err_set(err, ECHILD, "process %u ended with status %d", rank,
                          WEXITSTATUS(status));
        end_all(c, w, -ECHILD);
    }
}

static void watch_children(struct workers *c, struct watch *w, int64_t deadline_ns,
                           struct err *err)
{
    while (w->alive > 0) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0) {
            child_ended(c, w, pid, status, err);
            continue;
        }
        if (w->error == 0 && c->stop && *c->stop)
            end_all(c, w, err_set(err, ECANCELED, "stopped"));
        if (w->error == 0 && deadline_ns && clock_monotonic_ns() > deadline_ns)
            end_all(c, w, err_set(err, ETIME, "the time that was given is over"));
        nap(WATCH_NS);
    }
}

static void be_child(struct workers *c, unsigned rank, pid_t parent, worker_fn *work,
                     void *arg, void *result)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* died before that was asked for */
        _exit(1);
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    (void)sigaction(SIGTERM, &by_default, NULL);
    struct sigaction ignored = { .sa_handler =
                                     SIG_IGN }; /* Ctrl-C: the leader ends us */
    (void)sigaction(SIGINT, &ignored, NULL);
    struct worker me = { c, rank, c->count };
    work(&me, arg, result);
    if (c->ends_whole)
        exit(0);
    _exit(0);
}

static int do_in_children(struct workers *c, worker_fn *work, void *arg,
                          int64_t deadline_ns, char *shared, size_t result_bytes,
                          struct err *err)
{
    AUTO_FREE pid_t *children = calloc(c->count, sizeof *children);
    if (!children)
        return -ENOMEM;
    struct watch w = { .children = children };
    pid_t parent = getpid();
    memset(c->board, 0, sizeof *c->board);
    for (unsigned i = 0; i < c->count && w.error == 0; i++) {
        if (c->ends_whole)
            (void)fflush(NULL); /* what waits there would be written twice */
        pid_t pid = fork();
        if (pid == 0)
            be_child(c, i, parent, work, arg, shared + i * result_bytes);
        if (pid < 0) {
            end_all(c, &w, err_set(err, errno, "fork: %s", strerror(errno)));
            break;
        }
        children[i] = pid;
        w.alive++;
    }
    watch_children(c, &w, deadline_ns, err);
    return w.error;
}

int workers_run(struct workers *workers, worker_fn *work, void *arg,
                int64_t deadline_ns, void *results, size_t result_bytes,
                struct err *err)
{
    if (workers->is_mpi) { /* the deadline is the scheduler's there */
        AUTO_FREE void *own = calloc(1, result_bytes);
        if (!own)
            return -ENOMEM;
        struct worker me = { workers, workers->rank, workers->count };
        work(&me, arg, own);
        return mpi_gather(own, results, result_bytes);
    }
    size_t size = workers->count * result_bytes;
    char *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return -ENOMEM;
    int rc = do_in_children(workers, work, arg, deadline_ns, shared, result_bytes, err);
    memcpy(results, shared, size); /* of those that came so far, when it failed */
    (void)munmap(shared, size);
    return rc;
}
