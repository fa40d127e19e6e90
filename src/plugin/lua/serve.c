/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the host process's loop: loads and calls in, yields out. */
#include "plugin/lua/serve.h"

#include "base/clock.h"
#include "base/span.h"
#include "plugin/lua/script.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define TICKS_SOFT 2 /* the first may be due at once */
#define TICKS_HARD 5
#define PATH_BYTES_MAX 256
#define INPUTS_MAX 1024

struct serve {
    int fd;
    struct script *scripts[SERVE_SCRIPTS_MAX];
    struct frame out;
    struct frame_reader in; /* of the message that is worked on */
    int files[FRAME_FILES_MAX];
    size_t file_count;
    int error;
    struct script_input inputs[INPUTS_MAX];
    uint8_t message[FRAME_BYTES_MAX];
};

/* What the signal handler sees. */
static struct script *volatile running;
static volatile sig_atomic_t ticks;
static volatile sig_atomic_t running_index;
static int hung_fd;

static void on_tick(int signal)
{
    (void)signal;
    struct script *script = running;
    if (!script)
        return;
    ticks++;
    if (ticks >= TICKS_HARD) {
        const uint8_t record[8] = { FRAME_HUNG, 0, (uint8_t)running_index,
                                    (uint8_t)(running_index >> 8) };
        (void)send(hung_fd, record, sizeof record, MSG_DONTWAIT | MSG_NOSIGNAL);
        _exit(EXIT_FAILED);
    }
    if (ticks >= TICKS_SOFT)
        script_stop(script);
}

int serve_start_timer(unsigned cpu_ms)
{
    struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
    struct itimerval every = { 0 };
    every.it_interval.tv_sec = cpu_ms / 1000;
    every.it_interval.tv_usec = (suseconds_t)(cpu_ms % 1000) * 1000;
    every.it_value = every.it_interval;
    if (sigaction(SIGPROF, &action, NULL) < 0 ||
        setitimer(ITIMER_PROF, &every, NULL) < 0)
        return -errno;
    return 0;
}

/* ---- out ---- */

static void serve_flush(struct serve *s)
{
    if (s->out.size == 0 || s->error)
        return;
    ssize_t n;
    do
        n = send(s->fd, s->out.data, s->out.size, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        s->error = errno;
    s->out.size = 0;
    s->out.is_full = false;
}

static struct frame *frame_for(void *arg, size_t size)
{
    struct serve *s = arg;
    if (sizeof s->out.data - s->out.size < size + 512)
        serve_flush(s);
    return &s->out;
}

static void put_done(struct serve *s, uint16_t index, unsigned function, uint64_t epoch,
                     const struct script_result *result, int64_t cpu_ns,
                     uint32_t dropped)
{
    struct frame *f = frame_for(s, 512);
    size_t begin = frame_begin(f, FRAME_DONE, index);
    frame_put_u8(f, (uint8_t)function);
    frame_put_u8(f, (uint8_t)result->outcome);
    frame_put_u64(f, epoch);
    frame_put_u64(f, (uint64_t)result->instructions);
    frame_put_u64(f, result->memory_peak);
    frame_put_u64(f, (uint64_t)cpu_ns);
    frame_put_u32(f, dropped);
    frame_put_text(f, span_of(result->text));
    (void)frame_end(f, begin);
}

/* ---- in ---- */

static void script_unload(struct serve *s, uint16_t index)
{
    if (index < SERVE_SCRIPTS_MAX) {
        script_free(s->scripts[index]);
        s->scripts[index] = NULL;
    }
}

static void begin_running(struct script *script, uint16_t index)
{
    ticks = 0;
    running_index = index;
    running = script;
}

static void serve_load(struct serve *s, uint16_t index, struct frame_reader *in)
{
    struct script_limits limits = { 0 };
    limits.instructions = (int64_t)frame_get_u64(in);
    limits.memory_bytes = frame_get_u32(in);
    struct span text = frame_get_rest(in);
    const struct script_out out = { frame_for, s };
    struct script_result result = { .outcome = FRAME_FAILED };
    struct plugin_manifest manifest;
    struct err err = { 0 };
    if (index >= SERVE_SCRIPTS_MAX || in->is_bad)
        return;
    script_unload(s, index);
    int64_t begin_ns = clock_cpu_ns();
    int rc = script_new(&limits, index, &out, &s->scripts[index]);
    if (rc == 0) {
        begin_running(s->scripts[index], index);
        rc = script_load(s->scripts[index], text, &manifest, &result, &err);
        running = NULL;
    }
    if (rc == 0) {
        struct frame *f = frame_for(s, 16384);
        size_t begin = frame_begin(f, FRAME_MANIFEST, index);
        plugin_manifest_write(&manifest, f);
        (void)frame_end(f, begin);
    } else {
        if (result.outcome == FRAME_FINE)
            result.outcome = FRAME_FAILED;
        (void)snprintf(result.text, sizeof result.text, "%.*s",
                       (int)sizeof result.text - 1,
                       err.text[0] ? err.text : strerror(-rc));
        script_unload(s, index);
    }
    put_done(s, index, PLUGIN_FUNCTION_COUNT, 0, &result, clock_cpu_ns() - begin_ns, 0);
    serve_flush(s);
}

static void files_forget(struct serve *s)
{
    for (size_t i = 0; i < s->file_count; i++)
        (void)close(s->files[i]);
    s->file_count = 0;
}

static void serve_files(struct serve *s, uint16_t index, struct frame_reader *in)
{
    struct script_file files[FRAME_FILES_MAX];
    char paths[FRAME_FILES_MAX][PATH_BYTES_MAX];
    size_t count = frame_get_u16(in);
    if (count != s->file_count || index >= SERVE_SCRIPTS_MAX || !s->scripts[index])
        return;
    for (size_t i = 0; i < count; i++) {
        struct span path = frame_get_text(in);
        size_t size = path.size < PATH_BYTES_MAX ? path.size : PATH_BYTES_MAX - 1;
        memcpy(paths[i], path.data, size);
        paths[i][size] = '\0';
        files[i] = (struct script_file){ paths[i], s->files[i] };
    }
    script_set_files(s->scripts[index], files, count);
    s->file_count = 0; /* they are the script's */
}

static size_t read_inputs(struct serve *s, struct frame_reader *in)
{
    size_t count = frame_get_u16(in);
    if (count > INPUTS_MAX)
        count = INPUTS_MAX;
    for (size_t i = 0; i < count; i++) {
        struct script_input *input = &s->inputs[i];
        input->name = frame_get_text(in);
        input->from = frame_get_text(in);
        input->is_text = frame_get_u8(in) != 0;
        input->value = frame_get_f64(in);
        input->text = frame_get_text(in);
    }
    return in->is_bad ? 0 : count;
}

static void serve_call(struct serve *s, uint16_t index, struct frame_reader *in)
{
    struct script_call call = { 0 };
    struct script_result result = { 0 };
    call.function = (enum plugin_function)frame_get_u8(in);
    bool is_flushed = frame_get_u8(in) != 0;
    call.epoch = frame_get_u64(in);
    call.t_ns = (int64_t)frame_get_u64(in);
    call.input_count = read_inputs(s, in);
    call.inputs = s->inputs;
    if (in->is_bad || index >= SERVE_SCRIPTS_MAX || !s->scripts[index] ||
        call.function >= PLUGIN_FUNCTION_COUNT)
        return;
    int64_t begin_ns = clock_cpu_ns();
    begin_running(s->scripts[index], index);
    script_call(s->scripts[index], &call, &result);
    running = NULL;
    put_done(s, index, call.function, call.epoch, &result, clock_cpu_ns() - begin_ns,
             script_dropped(s->scripts[index]));
    if (is_flushed)
        serve_flush(s);
}

static void serve_finish(struct serve *s, struct frame_reader *in)
{
    struct frame *f = frame_for(s, 64);
    size_t begin = frame_begin(f, FRAME_END, 0);
    frame_put_u64(f, frame_get_u64(in));
    (void)frame_end(f, begin);
    serve_flush(s);
}

static void serve_record(struct serve *s, struct frame_item *record)
{
    switch ((int)record->type) {
    case FRAME_LOAD:
        serve_load(s, record->plugin, &record->payload);
        break;
    case FRAME_FILES:
        serve_files(s, record->plugin, &record->payload);
        break;
    case FRAME_CALL:
        serve_call(s, record->plugin, &record->payload);
        break;
    case FRAME_UNLOAD:
        script_unload(s, record->plugin);
        break;
    case FRAME_FINISH:
        serve_finish(s, &record->payload);
        break;
    default:
        break;
    }
}

static void files_receive(struct serve *s, struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (s->file_count < FRAME_FILES_MAX)
                s->files[s->file_count++] = fd;
            else
                (void)close(fd);
        }
    }
}

/* One message; false: the agent is gone. */
static bool serve_message(struct serve *s)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FRAME_FILES_MAX * sizeof(int))];
    } control;
    struct iovec part = { s->message, sizeof s->message };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = &control,
                              .msg_controllen = sizeof control };
    ssize_t n = recvmsg(s->fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0) {
        s->error = n < 0 ? errno : 0;
        return false;
    }
    files_receive(s, &message);
    struct frame_reader reader = { s->message, s->message + n, false };
    struct frame_item record;
    while (frame_next(&reader, &record))
        serve_record(s, &record);
    files_forget(s); /* what belongs to no record */
    return s->error == 0;
}

int serve_run(int fd, unsigned walls)
{
    struct serve *s = calloc(1, sizeof *s);
    if (!s)
        return ENOMEM;
    s->fd = hung_fd = fd;
    size_t begin = frame_begin(&s->out, FRAME_HELLO, 0);
    frame_put_u16(&s->out, FRAME_PROTOCOL);
    frame_put_u32(&s->out, walls);
    (void)frame_end(&s->out, begin);
    serve_flush(s);
    while (serve_message(s)) {
    }
    int error = s->error;
    for (uint16_t i = 0; i < SERVE_SCRIPTS_MAX; i++)
        script_unload(s, i);
    free(s);
    return error;
}
