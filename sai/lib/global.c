/* SPDX-License-Identifier: Apache-2.0
 * The global functions.
 */
#include <pthread.h>
#include <stdio.h>

#include "internal.h"

/* after_fork resets the child of a client after fork(2): threads, connections and locks are the parent's. */
static void after_fork(void)
{
	settings_after_fork();
	stats_after_fork();
	notifications_after_fork();
}

static void at_fork(void) { pthread_atfork(NULL, NULL, after_fork); }

sai_status_t sai_api_initialize(uint64_t flags, const sai_service_method_table_t *services)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	sai_status_t status;

	if (flags || !services)
		return SAI_STATUS_INVALID_PARAMETER;
	pthread_once(&once, at_fork);
	status = settings_begin(services);
	if (status == SAI_STATUS_SUCCESS)
		requests_begin();
	return status;
}

sai_status_t sai_api_uninitialize(void)
{
	if (!settings_end())
		return SAI_STATUS_UNINITIALIZED;
	stop_notifications();
	detach();
	forget_stats();
	close_own_connection();
	return SAI_STATUS_SUCCESS;
}

sai_status_t sai_api_query(sai_api_t api, void **table)
{
	if (!ready())
		return SAI_STATUS_UNINITIALIZED;
	if (!table || !api || api >= SAI_API_MAX)
		return SAI_STATUS_INVALID_PARAMETER;
	*table = (void *)(frames_api(api) ?: kept_api(api)); /* never NULL: some callers ignore the status */
	return SAI_STATUS_SUCCESS;
}

sai_status_t sai_log_set(sai_api_t api, sai_log_level_t level)
{
	if (!ready())
		return SAI_STATUS_UNINITIALIZED;
	if (!api || api >= SAI_API_MAX || level > SAI_LOG_LEVEL_CRITICAL)
		return SAI_STATUS_INVALID_PARAMETER;
	set_log_level(level);
	return SAI_STATUS_SUCCESS;
}

sai_object_type_t sai_object_type_query(sai_object_id_t oid)
{
	return ready() && count_attributes(type_of(oid)) ? type_of(oid) : SAI_OBJECT_TYPE_NULL;
}

sai_object_id_t sai_switch_id_query(sai_object_id_t oid)
{
	return sai_object_type_query(oid) ? SWITCH_OID : SAI_NULL_OBJECT_ID;
}

sai_status_t sai_query_api_version(sai_api_version_t *version)
{
	if (!version)
		return SAI_STATUS_INVALID_PARAMETER;
	*version = SAI_API_VERSION;
	return SAI_STATUS_SUCCESS;
}

sai_status_t sai_dbg_generate_dump(const char *file)
{
	json_t *objects;
	sai_status_t status;

	if (!ready())
		return SAI_STATUS_UNINITIALIZED;
	if (!file)
		return SAI_STATUS_INVALID_PARAMETER;
	status = request("/v1/sai/objects", NULL, &objects);
	if (status == SAI_STATUS_SUCCESS && json_dump_file(objects, file, JSON_INDENT(2)))
		status = SAI_STATUS_FAILURE;
	json_decref(objects);
	return status;
}

/* check_query refuses another switch, and an object type that SAI does not have. */
static sai_status_t check_query(sai_object_id_t switch_id, sai_object_type_t type, const void *out)
{
	sai_status_t status = attached();

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (!out)
		return SAI_STATUS_INVALID_PARAMETER;
	if (switch_id != SWITCH_OID)
		return SAI_STATUS_INVALID_OBJECT_ID;
	if (!type || type >= SAI_OBJECT_TYPE_MAX)
		return SAI_STATUS_INVALID_OBJECT_TYPE;
	return SAI_STATUS_SUCCESS;
}

/* check_type refuses what check_query refuses, and an object type of which the daemon has no objects. */
static sai_status_t check_type(sai_object_id_t switch_id, sai_object_type_t type, const void *out)
{
	sai_status_t status = check_query(switch_id, type, out);

	if (status == SAI_STATUS_SUCCESS && !count_attributes(type))
		status = SAI_STATUS_NOT_SUPPORTED;
	return status;
}

/* ask asks the daemon about a type. The caller owns the answer. */
static sai_status_t ask(const char *what, sai_object_type_t type, json_t **answer)
{
	char path[64];

	snprintf(path, sizeof path, "/v1/sai/%s?type=%u", what, type);
	return request(path, NULL, answer);
}

sai_status_t sai_object_type_get_availability(sai_object_id_t switch_id, sai_object_type_t type, uint32_t n,
	const sai_attribute_t *list, uint64_t *count)
{
	sai_status_t status = check_type(switch_id, type, count);
	json_t *answer;

	if (status == SAI_STATUS_SUCCESS && (n > ATTRS_MAX || (n && !list)))
		status = SAI_STATUS_INVALID_PARAMETER;
	if (status != SAI_STATUS_SUCCESS || (status = ask("oids", type, &answer)) != SAI_STATUS_SUCCESS)
		return status;
	*count = (uint64_t)json_integer_value(json_object_get(answer, "room"));
	json_decref(answer);
	return status;
}

sai_status_t sai_get_maximum_attribute_count(sai_object_id_t switch_id, sai_object_type_t type, uint32_t *count)
{
	sai_status_t status = check_type(switch_id, type, count);

	if (status == SAI_STATUS_SUCCESS)
		*count = (uint32_t)count_attributes(type);
	return status;
}

sai_status_t sai_get_object_count(sai_object_id_t switch_id, sai_object_type_t type, uint32_t *count)
{
	sai_status_t status = check_type(switch_id, type, count);
	json_t *answer;

	if (status != SAI_STATUS_SUCCESS || (status = ask("oids", type, &answer)) != SAI_STATUS_SUCCESS)
		return status;
	*count = (uint32_t)json_array_size(json_object_get(answer, "oids"));
	json_decref(answer);
	return status;
}

sai_status_t sai_get_object_key(sai_object_id_t switch_id, sai_object_type_t type, uint32_t *count, sai_object_key_t *list)
{
	sai_status_t status = check_type(switch_id, type, count);
	json_t *answer, *oids;
	uint32_t room;

	if (status != SAI_STATUS_SUCCESS || (status = ask("oids", type, &answer)) != SAI_STATUS_SUCCESS)
		return status;
	oids = json_object_get(answer, "oids");
	room = *count;
	*count = (uint32_t)json_array_size(oids);
	if (*count > room || (*count && !list))
		status = SAI_STATUS_BUFFER_OVERFLOW;
	for (uint32_t i = 0; i < *count && status == SAI_STATUS_SUCCESS; i++) {
		if (type != SAI_OBJECT_TYPE_ROUTE_ENTRY)
			list[i].key.object_id = oid_of(json_array_get(oids, i));
		else if (!route_from_json(json_array_get(json_object_get(answer, "entries"), i), &list[i].key.route_entry))
			status = SAI_STATUS_FAILURE;
	}
	json_decref(answer);
	return status;
}

sai_status_t sai_bulk_get_attribute(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t *attr_counts, sai_attribute_t **attr_lists, sai_status_t *statuses)
{
	sai_status_t status = check_type(switch_id, type, keys);

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (!count || count > OBJECTS_MAX || !attr_counts || !attr_lists || !statuses)
		return SAI_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < count; i++) {
		statuses[i] = get_attributes((struct target){type, keys[i].key.object_id, &keys[i].key.route_entry}, attr_counts[i],
			attr_lists[i]);
		if (statuses[i] != SAI_STATUS_SUCCESS)
			status = SAI_STATUS_FAILURE;
	}
	return status;
}

/* capability asks the daemon about an attribute of SAI, built or not. The caller owns the answer. */
static sai_status_t capability(sai_object_id_t switch_id, sai_object_type_t type, sai_attr_id_t id, const void *out,
	json_t **answer)
{
	char path[96];
	sai_status_t status = check_query(switch_id, type, out);

	*answer = NULL;
	if (status != SAI_STATUS_SUCCESS)
		return status;
	snprintf(path, sizeof path, "/v1/sai/capability?type=%u&id=%u", type, id);
	status = request(path, NULL, answer);
	if (status == SAI_STATUS_SUCCESS && !json_is_true(json_object_get(*answer, "known")))
		status = SAI_STATUS_UNKNOWN_ATTRIBUTE_0;
	return status;
}

sai_status_t sai_query_attribute_capability(sai_object_id_t switch_id, sai_object_type_t type, sai_attr_id_t id,
	sai_attr_capability_t *out)
{
	json_t *answer;
	sai_status_t status = capability(switch_id, type, id, out, &answer);

	if (status == SAI_STATUS_SUCCESS)
		*out = (sai_attr_capability_t){
			json_is_true(json_object_get(answer, "create")), json_is_true(json_object_get(answer, "set")),
			json_is_true(json_object_get(answer, "get")),
		};
	json_decref(answer);
	return status;
}

sai_status_t sai_query_attribute_enum_values_capability(sai_object_id_t switch_id, sai_object_type_t type, sai_attr_id_t id,
	sai_s32_list_t *values)
{
	json_t *answer, *list;
	sai_status_t status = capability(switch_id, type, id, values, &answer);
	uint32_t room;

	if (status != SAI_STATUS_SUCCESS) {
		json_decref(answer);
		return status;
	}
	list = json_object_get(answer, "enum");
	room = values->count;
	values->count = (uint32_t)json_array_size(list);
	if (!values->count)
		status = SAI_STATUS_NOT_SUPPORTED;
	else if (values->count > room || !values->list)
		status = SAI_STATUS_BUFFER_OVERFLOW;
	for (uint32_t i = 0; i < values->count && status == SAI_STATUS_SUCCESS; i++)
		values->list[i] = (int32_t)json_integer_value(json_array_get(list, i));
	json_decref(answer);
	return status;
}

sai_status_t sai_query_stats_capability(sai_object_id_t switch_id, sai_object_type_t type, sai_stat_capability_list_t *out)
{
	sai_status_t status = check_type(switch_id, type, out);
	json_t *answer;
	uint32_t room;

	if (status != SAI_STATUS_SUCCESS || (status = ask("statistics", type, &answer)) != SAI_STATUS_SUCCESS)
		return status;
	room = out->count;
	out->count = (uint32_t)json_array_size(answer);
	if (!out->count)
		status = SAI_STATUS_NOT_SUPPORTED;
	else if (out->count > room || !out->list)
		status = SAI_STATUS_BUFFER_OVERFLOW;
	for (uint32_t i = 0; i < out->count && status == SAI_STATUS_SUCCESS; i++) {
		json_t *s = json_array_get(answer, i);

		out->list[i].stat_enum = (sai_stat_id_t)json_integer_value(json_object_get(s, "id"));
		out->list[i].stat_modes = (uint32_t)json_integer_value(json_object_get(s, "modes"));
	}
	json_decref(answer);
	return status;
}

/* bulk_mode returns the mode for one object; 0 for an unknown mode. */
static sai_stats_mode_t bulk_mode(sai_stats_mode_t mode)
{
	switch (mode) {
	case SAI_STATS_MODE_READ:
	case SAI_STATS_MODE_BULK_READ:
		return SAI_STATS_MODE_READ;
	case SAI_STATS_MODE_READ_AND_CLEAR:
	case SAI_STATS_MODE_BULK_READ_AND_CLEAR:
	case SAI_STATS_MODE_BULK_CLEAR:
		return SAI_STATS_MODE_READ_AND_CLEAR;
	}
	return 0;
}

/* bulk_stats reads or clears statistics of objects; counters is NULL to clear. */
static sai_status_t bulk_stats(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, sai_status_t *statuses,
	uint64_t *counters)
{
	sai_status_t status = check_type(switch_id, type, keys);

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (!count || count > OBJECTS_MAX || !n || n > STATS_MAX || !ids || !statuses || !mode)
		return SAI_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < count; i++) {
		sai_object_id_t oid = keys[i].key.object_id;

		statuses[i] = type_of(oid) != type ? SAI_STATUS_INVALID_OBJECT_ID
			: read_stats(oid, n, ids, mode, counters ? counters + (size_t)i * n : NULL);
		if (statuses[i] != SAI_STATUS_SUCCESS)
			status = SAI_STATUS_FAILURE;
	}
	return status;
}

sai_status_t sai_bulk_object_get_stats(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, sai_status_t *statuses,
	uint64_t *counters)
{
	if (!ready())
		return SAI_STATUS_UNINITIALIZED;
	if (!counters)
		return SAI_STATUS_INVALID_PARAMETER;
	return bulk_stats(switch_id, type, count, keys, n, ids, bulk_mode(mode), statuses, counters);
}

sai_status_t sai_bulk_object_clear_stats(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, sai_status_t *statuses)
{
	return bulk_stats(switch_id, type, count, keys, n, ids, bulk_mode(mode) ? SAI_STATS_MODE_READ_AND_CLEAR : 0, statuses,
		NULL);
}

sai_status_t sai_query_stats_st_capability(sai_object_id_t switch_id, sai_object_type_t type, void *list)
{
	(void)switch_id, (void)type, (void)list;
	return ready() ? SAI_STATUS_NOT_IMPLEMENTED : SAI_STATUS_UNINITIALIZED;
}

sai_status_t sai_query_object_stage(sai_object_id_t switch_id, sai_object_type_t type, uint32_t n,
	const sai_attribute_t *list, void *stage)
{
	(void)switch_id, (void)type, (void)n, (void)list, (void)stage;
	return ready() ? SAI_STATUS_NOT_IMPLEMENTED : SAI_STATUS_UNINITIALIZED;
}

sai_status_t sai_tam_telemetry_get_data(sai_object_id_t switch_id, sai_object_list_t objects, bool clear_on_read,
	uint64_t *size, void *buffer)
{
	(void)switch_id, (void)objects, (void)clear_on_read, (void)size, (void)buffer;
	return ready() ? SAI_STATUS_NOT_IMPLEMENTED : SAI_STATUS_UNINITIALIZED;
}
