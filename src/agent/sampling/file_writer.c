/* SPDX-License-Identifier: Apache-2.0 */
/* file_writer - a small file that a thread writes over. */
#include "agent/sampling/file_writer.h"

#include "base/file.h"

#include <pthread.h>
#include <stdbool.h>

struct file_writer {
    const struct agent_report *report;
    const char *after;
    char *path;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct strbuf text; /* the next one */
    bool has_text, is_ending;
    uint64_t failures;
};

static void write_one(struct file_writer *writer, const struct strbuf *text)
{
    struct err err = { 0 };
    if (file_replace(writer->path, text->data, text->size, 0600, &err) == 0)
        return;
    (void)pthread_mutex_lock(&writer->lock);
    bool is_first = writer->failures++ == 0;
    (void)pthread_mutex_unlock(&writer->lock);
    if (is_first)
        agent_report(writer->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE, "%s; %s",
                     err.text, writer->after);
}

static void *writer_run(void *arg)
{
    struct file_writer *writer = arg;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (!writer->has_text && !writer->is_ending)
            (void)pthread_cond_wait(&writer->changed, &writer->lock);
        if (!writer->has_text)
            break;
        strbuf_done(&text);
        text = writer->text;
        writer->text = (struct strbuf)STRBUF_INIT;
        writer->has_text = false;
        (void)pthread_mutex_unlock(&writer->lock);
        write_one(writer, &text);
        (void)pthread_mutex_lock(&writer->lock);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return NULL;
}

int file_writer_start(const char *path, const char *after,
                      const struct agent_report *report, struct file_writer **ret,
                      struct err *err)
{
    struct file_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return -ENOMEM;
    *writer = (struct file_writer){ .report = report,
                                    .after = after,
                                    .path = strdup(path),
                                    .lock = PTHREAD_MUTEX_INITIALIZER,
                                    .changed = PTHREAD_COND_INITIALIZER };
    int rc = writer->path ? 0 : ENOMEM;
    if (rc == 0)
        rc = pthread_create(&writer->thread, NULL, writer_run, writer);
    if (rc != 0) {
        free(writer->path);
        free(writer);
        return err_set(err, rc, "a thread that writes '%s': %s", path, strerror(rc));
    }
    *ret = writer;
    return 0;
}

void file_writer_stop(struct file_writer *writer)
{
    if (!writer)
        return;
    (void)pthread_mutex_lock(&writer->lock);
    writer->is_ending = true;
    (void)pthread_cond_signal(&writer->changed);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->thread, NULL);
    (void)pthread_cond_destroy(&writer->changed);
    (void)pthread_mutex_destroy(&writer->lock);
    strbuf_done(&writer->text);
    free(writer->path);
    free(writer);
}

void file_writer_put(struct file_writer *writer, struct strbuf *text)
{
    (void)pthread_mutex_lock(&writer->lock);
    strbuf_done(&writer->text);
    writer->text = *text;
    writer->has_text = true;
    (void)pthread_cond_signal(&writer->changed);
    (void)pthread_mutex_unlock(&writer->lock);
    *text = (struct strbuf)STRBUF_INIT;
}

uint64_t file_writer_failures(struct file_writer *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    uint64_t failures = writer->failures;
    (void)pthread_mutex_unlock(&writer->lock);
    return failures;
}
