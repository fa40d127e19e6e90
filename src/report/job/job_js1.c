/* SPDX-License-Identifier: Apache-2.0 */
/* job_js1 - what a job used, in the form that Princeton's jobstats writes. */
#include "report/job/job_js1.h"

#include "base/json_writer.h"

#include <math.h>
#include <zlib.h>

#define GZIP_WINDOW_BITS (15 + 16) /* zlib's way to request gzip's header */
#define GZIP_MEMORY_LEVEL 9

/* ---- JSON ---- */

static void bytes_write(struct json_writer *w, const char *key, double bytes)
{
    json_key(w, key);
    json_u64(w, (uint64_t)fmax(0, bytes));
}

static double tenths(double value)
{
    return round(value * 10) / 10;
}

/* Of a GPU whose memory is not known there is no zero: readers divide by it. */
static bool has_memory(const struct gpu_use *gpu)
{
    return gpu->memory_bytes > 0 && !isnan(gpu->memory_used_bytes);
}

static void gpus_write(struct json_writer *w, const struct node_use *node)
{
    static const char *const keys[] = { "gpu_total_memory", "gpu_used_memory",
                                        "gpu_utilization" };
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        bool is_begun = false;
        for (size_t i = 0; i < node->gpu_count; i++) {
            const struct gpu_use *gpu = &node->gpus[i];
            if (k < 2 ? !has_memory(gpu) : isnan(gpu->busy_percent))
                continue;
            if (!is_begun) {
                json_key(w, keys[k]);
                json_object(w);
                is_begun = true;
            }
            if (k < 2) {
                bytes_write(w, gpu->id,
                            k == 0 ? gpu->memory_bytes : gpu->memory_used_bytes);
            } else {
                json_key(w, gpu->id);
                json_double(w, tenths(gpu->busy_percent));
            }
        }
        if (is_begun)
            json_object_end(w);
    }
}

static void use_write(const struct job_use *use, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "nodes");
    json_object(&w);
    for (size_t i = 0; i < use->node_count; i++) {
        const struct node_use *node = &use->nodes[i];
        json_key(&w, node->host);
        json_object(&w);
        bytes_write(&w, "total_memory", node->memory_bytes);
        bytes_write(&w, "used_memory", node->memory_used_bytes);
        json_key(&w, "total_time");
        json_double(&w, tenths(node->cpu_s));
        json_key(&w, "cpus");
        json_u64(&w, node->cpus);
        gpus_write(&w, node);
        json_object_end(&w);
    }
    json_object_end(&w);
    json_key(&w, "total_time");
    json_i64(&w, use->elapsed_s);
    json_key(&w, "gpus");
    json_u64(&w, use->gpus);
    json_object_end(&w);
}

/* ---- gzip, base64 ---- */

static int gzip_add(struct strbuf *out, struct span bytes)
{
    z_stream z = { 0 };
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS,
                     GZIP_MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return -ENOMEM;
    size_t bound = deflateBound(&z, bytes.size);
    int rc = strbuf_reserve(out, bound);
    if (rc == 0) {
        z.next_in = (Bytef *)(uintptr_t)bytes.data;
        z.avail_in = (uInt)bytes.size;
        z.next_out = (Bytef *)out->data + out->size;
        z.avail_out = (uInt)bound;
        rc = deflate(&z, Z_FINISH) == Z_STREAM_END ? 0 : -ENOMEM;
        out->size += z.total_out;
    }
    (void)deflateEnd(&z);
    return rc;
}

/* The alphabet with + and /, padded. */
static void base64_add(struct strbuf *out, struct span bytes)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 |
                    (i + j < bytes.size ? (unsigned char)bytes.data[i + j] : 0U);
        for (size_t j = 0; j < 4; j++)
            strbuf_addc(out, i + j > bytes.size ? '='
                                                : alphabet[group >> (18 - 6 * j) & 63]);
    }
}

int job_js1_print(const struct job_use *use, struct strbuf *out, struct err *err)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf packed = STRBUF_INIT;
    bool is_short = use->elapsed_s < JOB_JS1_SHORT_S;
    strbuf_adds(out, "JS1:");
    if (is_short || use->node_count == 0) {
        strbuf_adds(out, is_short ? "Short" : "None");
        return strbuf_error(out);
    }
    use_write(use, &json);
    int rc = strbuf_error(&json);
    if (rc == 0)
        rc = gzip_add(&packed, strbuf_span(&json));
    if (rc < 0)
        return rc;
    if (packed.size > (JOB_JS1_BYTES_MAX - 4) / 4 * 3)
        return err_set(err, E2BIG,
                       "what it used on %zu nodes is more than the %d bytes that Slurm "
                       "stores of a comment",
                       use->node_count, JOB_JS1_BYTES_MAX);
    base64_add(out, strbuf_span(&packed));
    return strbuf_error(out);
}
