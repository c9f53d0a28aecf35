/* SPDX-License-Identifier: Apache-2.0
 * Statistics. The daemon's counters only grow; what a client has cleared is kept here, as the value to count from. So
 * one client's clear changes nothing for another, nor for the daemon's metrics.
 */
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"
#include "table.h"

#define ROWS(t) (sizeof(t) / sizeof *(t))

/* A statistic that was cleared, and the daemon's value then. */
struct mark {
	sai_object_id_t oid;
	sai_stat_id_t id;
	uint64_t from;
};

static struct {
	pthread_mutex_t mutex;
	struct mark *list;
	size_t n;
} marks = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void stats_after_fork(void) { pthread_mutex_init(&marks.mutex, NULL); }

void forget_stats(void)
{
	pthread_mutex_lock(&marks.mutex);
	free(marks.list);
	marks.list = NULL;
	marks.n = 0;
	pthread_mutex_unlock(&marks.mutex);
}

const struct statistic *find_statistic(sai_object_type_t type, sai_stat_id_t id)
{
	for (size_t i = 0; i < ROWS(statistics); i++)
		if (statistics[i].type == type && statistics[i].id == id)
			return &statistics[i];
	return NULL;
}

/* mark returns the mark of a statistic; NULL: it has none. The caller holds the mutex. */
static struct mark *mark(sai_object_id_t oid, sai_stat_id_t id)
{
	for (size_t i = 0; i < marks.n; i++)
		if (marks.list[i].oid == oid && marks.list[i].id == id)
			return &marks.list[i];
	return NULL;
}

/* set_mark makes a statistic count from a value. The caller holds the mutex. */
static sai_status_t set_mark(sai_object_id_t oid, sai_stat_id_t id, uint64_t from)
{
	struct mark *m = mark(oid, id);

	if (!m) {
		struct mark *more = realloc(marks.list, (marks.n + 1) * sizeof *more);

		if (!more)
			return SAI_STATUS_NO_MEMORY;
		marks.list = more;
		m = &more[marks.n++];
	}
	*m = (struct mark){oid, id, from};
	return SAI_STATUS_SUCCESS;
}

/* since returns a statistic as this client counts it. A value below the mark comes from a restarted daemon. */
static uint64_t since(sai_object_id_t oid, sai_stat_id_t id, uint64_t value)
{
	struct mark *m = mark(oid, id);

	if (m && value < m->from)
		m->from = 0;
	return m ? value - m->from : value;
}

/* check_modes refuses a mode that a statistic does not have. Unknown statistics are the daemon's to refuse. */
static sai_status_t check_modes(sai_object_type_t type, uint32_t n, const sai_stat_id_t *ids, uint32_t mode)
{
	if (mode != SAI_STATS_MODE_READ && mode != SAI_STATS_MODE_READ_AND_CLEAR)
		return SAI_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < n; i++) {
		const struct statistic *s = find_statistic(type, ids[i]);

		if (s && !(s->modes & mode))
			return SAI_STATUS_NOT_SUPPORTED;
	}
	return SAI_STATUS_SUCCESS;
}

static json_t *stats_body(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids)
{
	char text[OID_TEXT];
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(ids[i]));
	oid_text(text, oid);
	return json_pack("{ssso}", "oid", text, "ids", list);
}

/* read_stats reads statistics, and clears them if the mode says so. counters may be NULL. */
sai_status_t read_stats(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, uint64_t *counters)
{
	sai_status_t status;
	json_t *answer, *list;

	if (!n || n > STATS_MAX || !ids)
		return SAI_STATUS_INVALID_PARAMETER;
	status = check_modes(type_of(oid), n, ids, mode);
	if (status != SAI_STATUS_SUCCESS)
		return status;
	status = call("/v1/sai/stats", stats_body(oid, n, ids), &answer);
	if (status != SAI_STATUS_SUCCESS)
		return status;
	list = json_object_get(answer, "stats");
	if (json_array_size(list) != n)
		status = SAI_STATUS_FAILURE;
	pthread_mutex_lock(&marks.mutex);
	for (uint32_t i = 0; i < n && status == SAI_STATUS_SUCCESS; i++) {
		uint64_t value = (uint64_t)json_integer_value(json_array_get(list, i));

		if (counters)
			counters[i] = since(oid, ids[i], value);
		if (mode == SAI_STATS_MODE_READ_AND_CLEAR)
			status = set_mark(oid, ids[i], value);
	}
	pthread_mutex_unlock(&marks.mutex);
	json_decref(answer);
	return status;
}

/* clear_counts makes the daemon clear counts of a virtual channel: both ends of the link use these counts. */
static sai_status_t clear_counts(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids)
{
	sai_status_t status;
	json_t *answer;

	if (!n || n > STATS_MAX || !ids)
		return SAI_STATUS_INVALID_PARAMETER;
	status = call("/v1/sai/clear", stats_body(oid, n, ids), &answer);
	json_decref(answer);
	return status;
}

sai_status_t clear_stats(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids)
{
	if (type_of(oid) == SAI_OBJECT_TYPE_VIRTUAL_CHANNEL)
		return clear_counts(oid, n, ids);
	return read_stats(oid, n, ids, SAI_STATS_MODE_READ_AND_CLEAR, NULL);
}

/* clear_all_stats clears every statistic of an object that can be cleared. */
sai_status_t clear_all_stats(sai_object_id_t oid)
{
	sai_stat_id_t ids[ROWS(statistics)];
	uint32_t n = 0;

	for (size_t i = 0; i < ROWS(statistics); i++)
		if (statistics[i].type == type_of(oid) && statistics[i].modes & SAI_STATS_MODE_READ_AND_CLEAR)
			ids[n++] = statistics[i].id;
	return n ? clear_stats(oid, n, ids) : SAI_STATUS_INVALID_OBJECT_TYPE;
}
