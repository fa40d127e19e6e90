/* SPDX-License-Identifier: Apache-2.0 */
/* client - asking and sending over HTTP. */
#include "net/client.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "net/token/token.h"

#include <curl/curl.h>
#include <strings.h>
#include <sys/socket.h>

enum {
    CONNECT_TIMEOUT_MS = 10000,
    TIMEOUT_MS = 60000,
    DETAIL_MAX = 400,
};
#define REPLY_BYTES_MAX ((size_t)64 << 20)
#define UNIX_PREFIX "unix:"

struct net_client {
    CURL *curl;
    char *base;      /* "http://host:8091", without a slash at the end */
    char *shown_url; /* the url as it was given, for messages */
    char *authorization;
    char *header;
    struct token_file *token_file; /* NULL: the token stays */
    size_t reply_bytes_max;
    struct net_response *response; /* while a request runs */
    bool is_too_long;
    char reason[CURL_ERROR_SIZE];
};

void net_response_done(struct net_response *response)
{
    strbuf_done(&response->body);
}

void net_client_free(struct net_client *c)
{
    if (!c)
        return;
    curl_easy_cleanup(c->curl);
    free(c->base);
    free(c->shown_url);
    if (c->authorization)
        explicit_bzero(c->authorization, strlen(c->authorization));
    free(c->authorization);
    free(c->header);
    token_file_free(c->token_file);
    free(c);
}

static size_t take_body(char *data, size_t size, size_t count, void *arg)
{
    struct net_client *c = arg;
    struct strbuf *body = &c->response->body;
    size_t bytes = size * count;
    if (bytes > c->reply_bytes_max - body->size) {
        c->is_too_long = true;
        return 0;
    }
    strbuf_add(body, data, bytes);
    return strbuf_error(body) < 0 ? 0 : bytes;
}

static bool is_header(struct span name, const char *wanted)
{
    name = span_trim(name);
    return name.size == strlen(wanted) &&
           strncasecmp(name.data, wanted, name.size) == 0;
}

static size_t take_header(char *data, size_t size, size_t count, void *arg)
{
    struct net_client *c = arg;
    struct span value = { data, size * count }, name;
    if (!span_cut(&value, ':', &name))
        return size * count;
    value = span_trim(value);
    uint64_t seconds;
    if (is_header(name, "Retry-After") && number_parse_u64(value, &seconds) == 0)
        c->response->retry_after_s = seconds < 86400 ? (int64_t)seconds : 86400;
    if (is_header(name, "Baro-More"))
        c->response->has_more = span_is(value, "yes");
    if (is_header(name, "Content-Type")) {
        size_t room = sizeof c->response->content_type - 1;
        size_t keep = value.size < room ? value.size : room;
        memcpy(c->response->content_type, value.data, keep);
        c->response->content_type[keep] = '\0';
    }
    return size * count;
}

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void start_curl(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* HOST:PORT, as one types it: "control01:8091", "[::1]:8091". */
static bool is_host_port(struct span text)
{
    size_t digits = 0;
    while (digits < text.size && text.data[text.size - 1 - digits] >= '0' &&
           text.data[text.size - 1 - digits] <= '9')
        digits++;
    return digits > 0 && digits + 1 < text.size &&
           text.data[text.size - 1 - digits] == ':' &&
           !memchr(text.data, '/', text.size);
}

/* What follows the host's ':' is empty or a port. */
static bool is_port_good(struct span url)
{
    struct span rest = url, part;
    uint64_t port;
    const char *host = memmem(url.data, url.size, "://", 3);
    if (host)
        rest = span_skip(rest, (size_t)(host - url.data) + 3);
    (void)span_cut(&rest, '/', &part);
    const char *at = memrchr(part.data, '@', part.size);
    if (at)
        part = span_skip(part, (size_t)(at - part.data) + 1);
    const char *colon = memrchr(part.data, ':', part.size);
    if (!colon || memchr(colon, ']', (size_t)(part.data + part.size - colon)))
        return true;
    part = span_skip(part, (size_t)(colon - part.data) + 1);
    return part.size == 0 ||
           (number_parse_u64(part, &port) == 0 && port > 0 && port <= UINT16_MAX);
}

/* A URL may have a password in it; what is printed has none. */
static int set_shown_url(struct net_client *c, const char *url)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    secret_print(&text, span_of(url));
    c->shown_url = strbuf_error(&text) < 0 ? NULL : span_dup(strbuf_span(&text));
    return c->shown_url ? 0 : -ENOMEM;
}

static int set_url(struct net_client *c, const char *url, struct err *err)
{
    struct span text = span_of(url);
    if (set_shown_url(c, url) < 0)
        return -ENOMEM;
    if (span_starts(text, UNIX_PREFIX)) {
        const char *path = url + strlen(UNIX_PREFIX);
        if (path[0] != '/' ||
            curl_easy_setopt(c->curl, CURLOPT_UNIX_SOCKET_PATH, path) != CURLE_OK)
            return err_set(err, EINVAL, "'%s': unix: wants an absolute path", url);
        text = SPAN("http://localhost");
    }
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    if (is_host_port(text)) {
        strbuf_addf(&whole, "http://" SPAN_FMT, SPAN_ARG(text));
        text = strbuf_span(&whole);
    }
    if (!span_starts(text, "http://") && !span_starts(text, "https://"))
        return err_set(
            err, EINVAL,
            "'%s' is not one of http://HOST:PORT, https://HOST:PORT, HOST:PORT, "
            "unix:PATH",
            c->shown_url);
    if (!is_port_good(text))
        return err_set(err, EINVAL, "'%s': its port is not a number from 1 to 65535",
                       c->shown_url);
    while (span_ends(text, "/"))
        text.size--;
    c->base = span_dup(text);
    return c->base ? 0 : -ENOMEM;
}

/* The library's own sockets stay open in every process that is started meanwhile: one
 * that hangs in the kernel would hold the connection for as long. */
static curl_socket_t open_socket(void *arg, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    (void)arg;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Never 0, which would be no limit at all. */
static long timeout_of(int64_t timeout_ns, long usual_ms)
{
    return timeout_ns > 0 ? (long)((timeout_ns - 1) / NS_PER_MS + 1) : usual_ms;
}

static void set_options(struct net_client *c, const struct net_client_opts *opts)
{
    CURL *curl = c->curl;
    long connect_ms = timeout_of(opts->connect_timeout_ns, CONNECT_TIMEOUT_MS);
    long timeout_ms = timeout_of(opts->timeout_ns, TIMEOUT_MS);
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, c->reason);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, opts->is_closing ? 1L : 0L);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    (void)curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, c);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERDATA, c);
    (void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "barograph/" BARO_VERSION);
    if (opts->ca_file && opts->ca_file[0])
        (void)curl_easy_setopt(curl, CURLOPT_CAINFO, opts->ca_file);
    (void)curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, opts->is_unverified ? 0L : 1L);
    (void)curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, opts->is_unverified ? 0L : 2L);
}

void net_client_set_timeout(struct net_client *c, int64_t timeout_ns)
{
    (void)curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS,
                           timeout_of(timeout_ns, TIMEOUT_MS));
}

static int set_user(struct net_client *c, const struct net_client_opts *opts)
{
    if (!opts->user || !opts->user[0])
        return 0;
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    bool is_set = curl_easy_setopt(c->curl, CURLOPT_USERNAME, opts->user) == CURLE_OK &&
                  curl_easy_setopt(c->curl, CURLOPT_PASSWORD,
                                   opts->password ? opts->password : "") == CURLE_OK;
    return is_set ? 0 : -ENOMEM;
}

static int set_header(struct net_client *c, const char *header)
{
    if (!header || !header[0])
        return 0;
    c->header = span_dup(span_of(header));
    return c->header ? 0 : -ENOMEM;
}

static int set_token(struct net_client *c, struct span token, struct err *err)
{
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    if (memchr(token.data, '\n', token.size) || memchr(token.data, '\r', token.size))
        return err_set(err, EINVAL, "a token is one line");
    strbuf_adds(&header, "Authorization: Bearer ");
    strbuf_add_span(&header, token);
    char *authorization = token.size ? span_dup(strbuf_span(&header)) : NULL;
    if (header.data)
        explicit_bzero(header.data, header.capacity);
    if (token.size && !authorization)
        return err_set(err, ENOMEM, "out of memory");
    if (c->authorization)
        explicit_bzero(c->authorization, strlen(c->authorization));
    free(c->authorization);
    c->authorization = authorization;
    return 0;
}

/* Errors are of the file, and leave the old token: the server says what it is worth. */
static void refresh_token(struct net_client *c)
{
    if (c->token_file && token_file_refresh(c->token_file, NULL) == 1)
        (void)set_token(c, token_file_text(c->token_file), NULL);
}

int net_client_new(const struct net_client_opts *opts, struct net_client **ret,
                   struct err *err)
{
    (void)pthread_once(&curl_once, start_curl);
    AUTO(net_client_free) struct net_client *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, ENOMEM, "out of memory");
    c->curl = curl_easy_init();
    if (!c->curl)
        return err_set(err, ENOMEM, "out of memory");
    c->reply_bytes_max =
        opts->reply_bytes_max ? opts->reply_bytes_max : REPLY_BYTES_MAX;
    int rc = set_url(c, opts->url, err);
    if (rc < 0)
        return rc;
    set_options(c, opts);
    if (set_user(c, opts) < 0 || set_header(c, opts->header) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (opts->token && opts->token[0])
        rc = set_token(c, span_trim(span_of(opts->token)), err);
    if (opts->token_file && opts->token_file[0]) {
        rc = token_file_open(opts->token_file, &c->token_file, err);
        if (rc < 0)
            return err_prefix(err, rc, "token_file");
        rc = set_token(c, token_file_text(c->token_file), err);
    }
    if (rc == 0)
        *ret = TAKE(c);
    return rc;
}

static int errnum_of(const struct net_client *c, CURLcode code)
{
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return ETIMEDOUT;
    case CURLE_WRITE_ERROR:
        return c->is_too_long ? EMSGSIZE : ENOMEM;
    case CURLE_OUT_OF_MEMORY:
        return ENOMEM;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return EACCES;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_SSL_CONNECT_ERROR:
        return ENOTCONN;
    default:
        return EIO;
    }
}

/* Time was over before its name was an address: that is a fault of name servers. */
static bool is_unresolved(const struct net_client *c, CURLcode code)
{
    curl_off_t resolved_us = 0;
    const char *address = NULL;
    (void)curl_easy_getinfo(c->curl, CURLINFO_NAMELOOKUP_TIME_T, &resolved_us);
    (void)curl_easy_getinfo(c->curl, CURLINFO_PRIMARY_IP, &address);
    return code == CURLE_OPERATION_TIMEDOUT && resolved_us == 0 &&
           (!address || !address[0]) &&
           !span_starts(span_of(c->shown_url), UNIX_PREFIX);
}

/* Why there was no response.  Of a unix socket curl knows no more than that it could
 * not connect to a port of localhost; the system's word says what it was. */
static const char *reason_of(const struct net_client *c, CURLcode code)
{
    if (c->is_too_long)
        return "the response is too long";
    long system_errno = 0;
    (void)curl_easy_getinfo(c->curl, CURLINFO_OS_ERRNO, &system_errno);
    if (code == CURLE_SSL_CONNECT_ERROR && strstr(c->reason, "wrong version number"))
        return "the server there speaks no TLS: write http:// instead of https://, or "
               "give it a certificate";
    if (code == CURLE_COULDNT_CONNECT && system_errno == ECONNREFUSED)
        return "no server listens there";
    if (code == CURLE_COULDNT_CONNECT &&
        span_starts(span_of(c->shown_url), UNIX_PREFIX)) {
        if (system_errno == ENOENT)
            return "there is no such socket";
        if (system_errno == EACCES)
            return "permission denied: the socket, or a directory above it, is closed "
                   "to this user";
        return system_errno ? strerror((int)system_errno) : "no server listens there";
    }
    if (is_unresolved(c, code))
        return "its name is not resolved: no name server responded in time";
    return c->reason[0] ? c->reason : curl_easy_strerror(code);
}

/* An error of our own, as no descriptor or no network, is not one of the server; nor is
 * one of the server's name. */
static bool is_away(const struct net_client *c, CURLcode code)
{
    long status = 0, system_errno = 0;
    if (is_unresolved(c, code))
        return false;
    (void)curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(c->curl, CURLINFO_OS_ERRNO, &system_errno);
    if (code == CURLE_COULDNT_CONNECT)
        return system_errno == ECONNREFUSED || system_errno == EHOSTUNREACH ||
               system_errno == ETIMEDOUT;
    return code == CURLE_OPERATION_TIMEDOUT && status == 0;
}

/* Do what the handle is set to, with these headers. */
static int perform(struct net_client *c, const char *path, struct curl_slist *headers,
                   struct net_response *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf url = STRBUF_INIT;
    strbuf_addf(&url, "%s%s", c->base, path);
    if (strbuf_error(&url) < 0)
        return err_set(err, ENOMEM, "out of memory");
    strbuf_clear(&ret->body);
    ret->status = 0;
    ret->retry_after_s = -1;
    ret->has_more = ret->is_away = false;
    ret->content_type[0] = '\0';
    c->response = ret;
    c->is_too_long = false;
    c->reason[0] = '\0';
    (void)curl_easy_setopt(c->curl, CURLOPT_URL, strbuf_text(&url));
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
    CURLcode code = curl_easy_perform(c->curl);
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, NULL);
    c->response = NULL;
    ret->is_away = is_away(c, code);
    if (code != CURLE_OK)
        return err_set(err, errnum_of(c, code), "%s: %s", c->shown_url,
                       reason_of(c, code));
    long status = 0;
    (void)curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
    ret->status = (unsigned)status;
    if (status == 401 && c->token_file)
        token_file_doubt(c->token_file);
    return 0;
}

static void add_header(struct curl_slist **list, int *rc, const char *line)
{
    struct curl_slist *grown = curl_slist_append(*list, line);
    if (grown)
        *list = grown;
    else
        *rc = -ENOMEM;
}

static void add_header_value(struct curl_slist **list, int *rc, const char *name,
                             const char *value)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s: %s", name, value);
    add_header(list, rc, strbuf_text(&line));
}

static void add_own_headers(const struct net_client *c, struct curl_slist **list,
                            int *rc)
{
    if (c->authorization)
        add_header(list, rc, c->authorization);
    if (c->header)
        add_header(list, rc, c->header);
}

int net_client_get(struct net_client *c, const char *path, struct net_response *ret,
                   struct err *err)
{
    struct curl_slist *headers = NULL;
    int rc = 0;
    refresh_token(c);
    add_own_headers(c, &headers, &rc);
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTPGET, 1L);
    if (rc == 0)
        rc = perform(c, path, headers, ret, err);
    curl_slist_free_all(headers);
    return rc;
}

int net_client_post(struct net_client *c, const char *path, const char *content_type,
                    const char *content_encoding, struct span body,
                    struct net_response *ret, struct err *err)
{
    struct curl_slist *headers = NULL;
    int rc = 0;
    refresh_token(c);
    add_own_headers(c, &headers, &rc);
    add_header_value(&headers, &rc, "Content-Type", content_type);
    if (content_encoding)
        add_header_value(&headers, &rc, "Content-Encoding", content_encoding);
    (void)curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
    (void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body.size ? body.data : "");
    (void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size);
    if (rc == 0)
        rc = perform(c, path, headers, ret, err);
    (void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, NULL);
    curl_slist_free_all(headers);
    return rc;
}

int net_client_get_with(struct net_client *c, const char *path,
                        const char *content_type, struct span body,
                        struct net_response *ret, struct err *err)
{
    (void)curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, "GET");
    int rc = net_client_post(c, path, content_type, NULL, body, ret, err);
    (void)curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, NULL);
    return rc;
}

/* ---- what a response means ---- */

struct detail {
    bool is_next;
    char text[DETAIL_MAX];
};

static int take_detail(void *arg, enum json_event event, struct span text,
                       unsigned depth)
{
    struct detail *d = arg;
    if (event == JSON_KEY)
        d->is_next = depth == 0 && span_is(text, "detail");
    if (event == JSON_STRING && d->is_next) {
        size_t keep = text.size < sizeof d->text - 1 ? text.size : sizeof d->text - 1;
        memcpy(d->text, text.data, keep);
        d->text[keep] = '\0';
        d->is_next = false;
    }
    return 0;
}

int net_response_check(const struct net_response *response, struct err *err)
{
    static const struct {
        unsigned status;
        int errnum;
    } statuses[] = {
        { 400, EBADMSG }, { 401, EPERM },           { 403, EACCES }, { 404, ENOENT },
        { 409, EEXIST },  { 413, EMSGSIZE },        { 422, ERANGE }, { 503, EAGAIN },
        { 408, EAGAIN },  { 415, EPROTONOSUPPORT }, { 429, EAGAIN }, { 504, ETIMEDOUT },
        { 405, ENOENT },
    };
    if (response->status >= 200 && response->status < 300)
        return 0;
    struct detail detail = { 0 };
    if (strstr(response->content_type, "json"))
        (void)json_read(strbuf_span(&response->body), take_detail, &detail, NULL);
    int errnum = EIO;
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == response->status)
            errnum = statuses[i].errnum;
    return err_set(err, errnum, "the server responds with %u%s%s", response->status,
                   detail.text[0] ? ": " : "", detail.text);
}
