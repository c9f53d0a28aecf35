/* SPDX-License-Identifier: Apache-2.0
 * Requests on the daemon's unix socket: a connection for each thread.
 */
#define _GNU_SOURCE /* memmem */
#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

/* Bounds of a request, in milliseconds and octets. */
enum { CONNECT_MS = 2000, REQUEST_MS = 15000, FOLLOW_MS = 20, ANSWER_MAX = 16 << 20 };

/* A thread's connection, and the process that made it. */
struct connection {
	CURL *curl;
	pid_t owner;
};

/* The log says once that the daemon is away, and not at each call. */
static atomic_bool away;

void requests_begin(void) { atomic_store(&away, false); }

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void close_connection(void *p)
{
	struct connection *c = p;

	curl_easy_cleanup(c->curl);
	free(c);
}

static void make_key(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
	pthread_key_create(&key, close_connection);
}

/* connection returns the connection of this thread; NULL without memory. One that a parent process made is closed
 * unused: its socket is the parent's. */
static CURL *connection(void)
{
	struct connection *c;

	pthread_once(&once, make_key);
	c = pthread_getspecific(key);
	if (c && c->owner != getpid()) {
		close_connection(c);
		pthread_setspecific(key, NULL);
		c = NULL;
	}
	if (c)
		return c->curl;
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->curl = curl_easy_init();
	c->owner = getpid();
	if (!c->curl || pthread_setspecific(key, c)) {
		close_connection(c);
		return NULL;
	}
	return c->curl;
}

/* close_own_connection closes the connection of this thread; those of others end with their threads. */
void close_own_connection(void)
{
	struct connection *c;

	pthread_once(&once, make_key);
	c = pthread_getspecific(key);
	if (!c)
		return;
	pthread_setspecific(key, NULL);
	close_connection(c);
}

/* The text of an answer. */
struct text {
	char *octets;
	size_t n;
};

static size_t gather(char *data, size_t size, size_t n, void *into)
{
	struct text *t = into;
	char *more;

	n *= size;
	if (t->n + n > ANSWER_MAX || !(more = realloc(t->octets, t->n + n)))
		return 0;
	memcpy(more + t->n, data, n);
	t->octets = more;
	t->n += n;
	return n;
}

/* send_request sends a request, with body as JSON unless it is NULL; with again, by a new connection. */
static CURLcode send_request(CURL *curl, const char *path, const char *body, bool again, struct text *text)
{
	char url[256];
	struct curl_slist *headers = NULL;
	CURLcode code;

	snprintf(url, sizeof url, "http://uelinkd%s", path);
	curl_easy_reset(curl); /* keeps the connection */
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket_path());
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, (long)again);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)REQUEST_MS);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, gather);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, text);
	if (body) {
		headers = curl_slist_append(NULL, "Content-Type: application/json");
		headers = curl_slist_append(headers, "Expect:");
		curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	}
	code = curl_easy_perform(curl);
	curl_slist_free_all(headers);
	return code;
}

/* handed_over reports whether the daemon has refused the request because another process has taken over: the request
 * must be sent again, to that process. */
static bool handed_over(CURL *curl, const struct text *text)
{
	static const char upgraded[] = "upgraded: another process has taken over";
	long status = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	return status == 503 && text->octets && memmem(text->octets, text->n, upgraded, sizeof upgraded - 1);
}

/* exchange sends a request, and again after a hand-over of the daemon, until a process answers; at most for the time
 * that a request may take. */
static CURLcode exchange(CURL *curl, const char *path, const char *body, struct text *text)
{
	CURLcode code = send_request(curl, path, body, false, text);

	for (int waited = 0; code == CURLE_OK && handed_over(curl, text) && waited < REQUEST_MS; waited += FOLLOW_MS) {
		free(text->octets);
		*text = (struct text){0};
		nanosleep(&(struct timespec){.tv_nsec = FOLLOW_MS * 1000000L}, NULL);
		code = send_request(curl, path, body, true, text);
	}
	return code;
}

/* request sends a request and returns the daemon's JSON, which the caller owns. It takes body over. */
sai_status_t request(const char *path, json_t *body, json_t **answer)
{
	struct text text = {0};
	char *octets = body ? json_dumps(body, JSON_COMPACT) : NULL;
	bool missing = body && !octets;
	long status = 0;
	CURL *curl;
	CURLcode code;

	json_decref(body);
	*answer = NULL;
	if (!ready() || missing || !(curl = connection())) {
		free(octets);
		return ready() ? SAI_STATUS_NO_MEMORY : SAI_STATUS_UNINITIALIZED;
	}
	code = exchange(curl, path, octets, &text);
	free(octets);
	if (code != CURLE_OK) {
		if (!atomic_exchange(&away, true))
			say(SAI_LOG_LEVEL_ERROR, "%s: %s: %s: see whether uelinkd runs; calls fail until it answers", socket_path(),
				path, curl_easy_strerror(code));
		free(text.octets);
		return SAI_STATUS_FAILURE;
	}
	if (atomic_exchange(&away, false))
		say(SAI_LOG_LEVEL_NOTICE, "%s: uelinkd answers again", socket_path());
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	*answer = json_loadb(text.octets ? text.octets : "", text.n, 0, NULL);
	free(text.octets);
	if (status == 200 && *answer)
		return SAI_STATUS_SUCCESS;
	say(SAI_LOG_LEVEL_ERROR, "%s: %s: HTTP %ld: %s", socket_path(), path, status,
		json_string_value(json_object_get(*answer, "error")) ?: "is that uelinkd?");
	json_decref(*answer);
	*answer = NULL;
	return SAI_STATUS_FAILURE;
}

/* call sends a call of SAI and returns its status. The caller owns the answer, which is NULL after a refusal. */
sai_status_t call(const char *path, json_t *body, json_t **answer)
{
	sai_status_t status = request(path, body, answer);

	if (status != SAI_STATUS_SUCCESS)
		return status;
	status = (sai_status_t)json_integer_value(json_object_get(*answer, "status"));
	if (status != SAI_STATUS_SUCCESS) {
		say(SAI_LOG_LEVEL_NOTICE, "%s: status %d: %s", path, status,
			json_string_value(json_object_get(*answer, "reason")) ?: "");
		json_decref(*answer);
		*answer = NULL;
	}
	return status;
}

void oid_text(char text[OID_TEXT], sai_object_id_t oid) { snprintf(text, OID_TEXT, "oid:0x%llx", (unsigned long long)oid); }

sai_object_id_t oid_of(const json_t *text)
{
	const char *s = json_string_value(text);

	return s && !strncmp(s, "oid:0x", 6) ? strtoull(s + 6, NULL, 16) : SAI_NULL_OBJECT_ID;
}
