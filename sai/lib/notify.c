/* SPDX-License-Identifier: Apache-2.0
 * Notifications, on a thread of their own: it reads the daemon's stream of port states, and connects again when the
 * daemon is back. The client's functions are called without a lock held, and never from within a call of the client.
 */
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

/* Waits, in milliseconds: between two tries to connect, and of create_switch for the first connection. */
enum { RETRY_MS = 200, FIRST_MS = 3000, LINE_MAX_OCTETS = 4096 };

/* The state of a port that the client was notified of last. */
struct told {
	struct told *next;
	sai_port_oper_status_notification_t port;
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	sai_port_state_change_notification_fn port;
	sai_switch_state_change_notification_fn sw;
	pthread_t thread;
	CURLM *multi;
	unsigned long run; /* number of the thread that runs; a thread of another number ends */
	void *never_called[2]; /* SWITCH_SHUTDOWN_REQUEST_NOTIFY and FDB_EVENT_NOTIFY */
	int8_t info[INFO_MAX]; /* SWITCH_HARDWARE_INFO */
	uint32_t info_count;
	bool running, tried;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The state of the notification thread. */
struct reader {
	unsigned long run;
	CURLM *multi;
	struct told *ports;
	bool up, down_told;
	char line[LINE_MAX_OCTETS];
	size_t n;
};

/* forget forgets everything that the client gave. The caller holds the mutex. */
static void forget(void)
{
	state.port = NULL;
	state.sw = NULL;
	state.never_called[0] = state.never_called[1] = NULL;
	state.info_count = 0;
}

void notifications_after_fork(void)
{
	pthread_mutex_init(&state.mutex, NULL);
	pthread_cond_init(&state.changed, NULL);
	state.running = false;
	state.run++;
	forget();
}

/* keep_of_switch keeps a notification or the hardware info of create_switch or of a set. */
void keep_of_switch(const sai_attribute_t *attr)
{
	pthread_mutex_lock(&state.mutex);
	if (attr->id == SAI_SWITCH_ATTR_SWITCH_SHUTDOWN_REQUEST_NOTIFY)
		state.never_called[0] = attr->value.ptr;
	if (attr->id == SAI_SWITCH_ATTR_FDB_EVENT_NOTIFY)
		state.never_called[1] = attr->value.ptr;
	if (attr->id == SAI_SWITCH_ATTR_SWITCH_HARDWARE_INFO && attr->value.s8list.count <= INFO_MAX) {
		state.info_count = attr->value.s8list.count;
		if (state.info_count)
			memcpy(state.info, attr->value.s8list.list, state.info_count);
	}
	if (attr->id == SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY)
		state.port = (sai_port_state_change_notification_fn)attr->value.ptr;
	if (attr->id == SAI_SWITCH_ATTR_SWITCH_STATE_CHANGE_NOTIFY)
		state.sw = (sai_switch_state_change_notification_fn)attr->value.ptr;
	pthread_mutex_unlock(&state.mutex);
}

void *kept_notification(sai_attr_id_t id)
{
	void *p;

	pthread_mutex_lock(&state.mutex);
	switch (id) {
	case SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY:
		p = (void *)state.port;
		break;
	case SAI_SWITCH_ATTR_SWITCH_STATE_CHANGE_NOTIFY:
		p = (void *)state.sw;
		break;
	default:
		p = state.never_called[id == SAI_SWITCH_ATTR_FDB_EVENT_NOTIFY];
	}
	pthread_mutex_unlock(&state.mutex);
	return p;
}

/* kept_info copies SWITCH_HARDWARE_INFO as create_switch had it. */
sai_status_t kept_info(sai_s8_list_t *out)
{
	sai_status_t status = SAI_STATUS_SUCCESS;

	pthread_mutex_lock(&state.mutex);
	if (out->count < state.info_count || (state.info_count && !out->list))
		status = SAI_STATUS_BUFFER_OVERFLOW;
	else if (state.info_count)
		memcpy(out->list, state.info, state.info_count);
	out->count = state.info_count;
	pthread_mutex_unlock(&state.mutex);
	return status;
}

/* ended reports whether a thread is to end. */
static bool ended(const struct reader *r)
{
	bool end;

	pthread_mutex_lock(&state.mutex);
	end = !state.running || state.run != r->run;
	pthread_mutex_unlock(&state.mutex);
	return end;
}

/* tried tells create_switch that the thread has tried to open the stream, with or without success. */
static void tried(void)
{
	pthread_mutex_lock(&state.mutex);
	state.tried = true;
	pthread_cond_broadcast(&state.changed);
	pthread_mutex_unlock(&state.mutex);
}

static void tell_switch(int32_t status)
{
	sai_switch_state_change_notification_fn f;

	pthread_mutex_lock(&state.mutex);
	f = state.sw;
	pthread_mutex_unlock(&state.mutex);
	if (f)
		f(SWITCH_OID, status);
}

/* same reports whether the client has this state of a port already. A new port counts as known if it has no error. */
static bool same(struct told **list, const sai_port_oper_status_notification_t *now)
{
	struct told *t;
	bool is;

	for (t = *list; t; t = t->next)
		if (t->port.port_id == now->port_id)
			break;
	is = t ? !memcmp(&t->port, now, sizeof *now) : !now->port_error_status;
	if (!t && (t = calloc(1, sizeof *t))) {
		t->next = *list;
		*list = t;
	}
	if (t)
		t->port = *now;
	return is;
}

static void tell_port(struct reader *r, const json_t *line)
{
	sai_port_state_change_notification_fn f;
	sai_port_oper_status_notification_t now = {
		.port_id = oid_of(json_object_get(line, "port")),
		.port_state = (int32_t)json_integer_value(json_object_get(line, "state")),
		.port_error_status = (int32_t)json_integer_value(json_object_get(line, "error")),
	};

	if (!now.port_id || same(&r->ports, &now))
		return;
	pthread_mutex_lock(&state.mutex);
	f = state.port;
	pthread_mutex_unlock(&state.mutex);
	if (f)
		f(1, &now);
}

/* read_line handles a line of the stream. The first one shows that the daemon is there. */
static void read_line(struct reader *r)
{
	json_t *line = json_loadb(r->line, r->n, 0, NULL);

	if (!r->up) {
		r->up = true;
		tried();
		if (r->down_told)
			tell_switch(SAI_SWITCH_OPER_STATUS_UP);
		r->down_told = false;
	}
	if (line)
		tell_port(r, line);
	json_decref(line);
}

static size_t receive(char *data, size_t size, size_t n, void *into)
{
	struct reader *r = into;

	n *= size;
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n') {
			read_line(r);
			r->n = 0;
		} else if (r->n < sizeof r->line) {
			r->line[r->n++] = data[i];
		} else {
			return 0; /* no line of the daemon's is as long */
		}
	}
	return ended(r) ? 0 : n;
}

/* follow reads the stream until it ends. */
static void follow(struct reader *r)
{
	CURL *curl = curl_easy_init();
	char url[128];
	int running = 1;

	if (!curl)
		return;
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket_path());
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	snprintf(url, sizeof url, "http://uelinkd/v1/sai/watch?client=%s", client_name());
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, r);
	r->n = 0;
	curl_multi_add_handle(r->multi, curl);
	while (running && !ended(r)) {
		curl_multi_perform(r->multi, &running);
		if (running)
			curl_multi_poll(r->multi, NULL, 0, 1000, NULL);
	}
	curl_multi_remove_handle(r->multi, curl);
	curl_easy_cleanup(curl);
}

/* rest waits before the next try to connect, or for the end of the thread. */
static void rest(struct reader *r)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += RETRY_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&state.mutex);
	while (state.running && state.run == r->run)
		if (pthread_cond_timedwait(&state.changed, &state.mutex, &until))
			break;
	pthread_mutex_unlock(&state.mutex);
}

static void *notifications(void *p)
{
	struct reader *r = p;

	while (!ended(r)) {
		follow(r);
		tried();
		if (!ended(r) && !r->down_told) {
			r->down_told = true;
			tell_switch(SAI_SWITCH_OPER_STATUS_DOWN);
		}
		r->up = false;
		rest(r);
	}
	for (struct told *t = r->ports, *next; t; t = next) {
		next = t->next;
		free(t);
	}
	curl_multi_cleanup(r->multi);
	free(r);
	return NULL;
}

/* start_notifications starts the thread if it does not run, and waits for its first connection, so that a client misses
 * nothing that happens after create_switch. */
sai_status_t start_notifications(void)
{
	struct reader *r = calloc(1, sizeof *r);
	struct timespec until;
	sai_status_t status = SAI_STATUS_SUCCESS;

	if (!r || !(r->multi = curl_multi_init())) {
		free(r);
		return SAI_STATUS_NO_MEMORY;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += FIRST_MS / 1000;
	pthread_mutex_lock(&state.mutex);
	if (state.running) {
		curl_multi_cleanup(r->multi);
		free(r);
	} else {
		r->run = ++state.run;
		state.running = true;
		state.tried = false;
		state.multi = r->multi;
		if (pthread_create(&state.thread, NULL, notifications, r)) {
			state.running = false;
			curl_multi_cleanup(r->multi);
			free(r);
			status = SAI_STATUS_INSUFFICIENT_RESOURCES;
		}
	}
	while (state.running && !state.tried)
		if (pthread_cond_timedwait(&state.changed, &state.mutex, &until))
			break;
	pthread_mutex_unlock(&state.mutex);
	return status;
}

/* stop_notifications ends the thread; called on the thread itself, by a client's function, it does not wait for the end. */
void stop_notifications(void)
{
	bool was;
	pthread_t thread;

	pthread_mutex_lock(&state.mutex);
	was = state.running;
	thread = state.thread;
	state.running = false;
	forget();
	pthread_cond_broadcast(&state.changed);
	if (was)
		curl_multi_wakeup(state.multi);
	pthread_mutex_unlock(&state.mutex);
	if (!was)
		return;
	if (pthread_equal(thread, pthread_self()))
		pthread_detach(thread);
	else
		pthread_join(thread, NULL);
}
