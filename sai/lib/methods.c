/* SPDX-License-Identifier: Apache-2.0
 * Calls on objects, and the method tables of those that move frames.
 */
#include <stdlib.h>

#include "methods.h"

sai_status_t not_implemented() { return ready() ? SAI_STATUS_NOT_IMPLEMENTED : SAI_STATUS_UNINITIALIZED; }

/* create makes an object, and sets the object id in t, except for a route. */
static sai_status_t create(struct target *t, uint32_t n, const sai_attribute_t *list)
{
	sai_status_t status;
	json_t *attrs, *answer, *body;

	if (n > ATTRS_MAX || (n && !list))
		return SAI_STATUS_INVALID_PARAMETER;
	status = attributes_to_json(t->type, SAI_NULL_OBJECT_ID, n, list, &attrs);
	if (status != SAI_STATUS_SUCCESS)
		return status;
	body = json_pack("{sIsosb}", "type", (json_int_t)t->type, "attributes", attrs, "exact_timers", exact_timers());
	if (t->type == SAI_OBJECT_TYPE_ROUTE_ENTRY)
		json_object_set_new(body, "entry", route_to_json(t->route));
	status = call("/v1/sai/create", body, &answer);
	if (status == SAI_STATUS_SUCCESS)
		t->oid = oid_of(json_object_get(answer, "oid"));
	json_decref(answer);
	return status;
}

/* create_on makes an object of a switch, which is the daemon. */
sai_status_t create_on(sai_object_type_t type, sai_object_id_t *oid, sai_object_id_t switch_id, uint32_t n,
	const sai_attribute_t *list)
{
	struct target t = {.type = type};
	sai_status_t status = attached();

	if (status == SAI_STATUS_SUCCESS && !oid)
		status = SAI_STATUS_INVALID_PARAMETER;
	if (status == SAI_STATUS_SUCCESS && switch_id != SWITCH_OID)
		status = SAI_STATUS_INVALID_OBJECT_ID;
	if (status == SAI_STATUS_SUCCESS)
		status = create(&t, n, list);
	if (status == SAI_STATUS_SUCCESS)
		*oid = t.oid;
	return status;
}

/* of_client adds the name of this client to a call to which it matters: to detach, and for a queue, whose values last
 * while their client lives. */
static json_t *of_client(sai_object_type_t type, json_t *body)
{
	if (type == SAI_OBJECT_TYPE_SWITCH || type == SAI_OBJECT_TYPE_QUEUE)
		json_object_set_new(body, "client", json_string(client_name()));
	return body;
}

sai_status_t create_route(const sai_route_entry_t *route, uint32_t n, const sai_attribute_t *list)
{
	struct target t = {.type = SAI_OBJECT_TYPE_ROUTE_ENTRY, .route = route};
	sai_status_t status = check_target(&t);

	return status == SAI_STATUS_SUCCESS ? create(&t, n, list) : status;
}

sai_status_t remove_object(struct target t)
{
	sai_status_t status = check_target(&t);
	json_t *answer;

	if (status != SAI_STATUS_SUCCESS)
		return status;
	status = call("/v1/sai/remove", of_client(t.type, target_to_json(&t)), &answer);
	json_decref(answer);
	return status;
}

sai_status_t set_attribute(struct target t, const sai_attribute_t *attr)
{
	sai_status_t status = check_target(&t);
	json_t *attrs, *answer, *body;

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (!attr)
		return SAI_STATUS_INVALID_PARAMETER;
	status = attributes_to_json(t.type, t.oid, 1, attr, &attrs);
	if (status != SAI_STATUS_SUCCESS)
		return status;
	body = of_client(t.type, target_to_json(&t));
	json_object_set(body, "attribute", json_array_get(attrs, 0));
	status = call("/v1/sai/set", body, &answer);
	json_decref(attrs);
	json_decref(answer);
	return status;
}

static sai_status_t object_stats(sai_object_type_t type, sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids,
	sai_stats_mode_t mode, uint64_t *counters)
{
	sai_status_t status = check_target(&(struct target){.type = type, .oid = oid});

	if (status == SAI_STATUS_SUCCESS && !counters)
		status = SAI_STATUS_INVALID_PARAMETER;
	return status == SAI_STATUS_SUCCESS ? read_stats(oid, n, ids, mode, counters) : status;
}

static sai_status_t clear_object_stats(sai_object_type_t type, sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids)
{
	sai_status_t status = check_target(&(struct target){.type = type, .oid = oid});

	return status == SAI_STATUS_SUCCESS ? clear_stats(oid, n, ids) : status;
}

#define STATS(name, type) \
	static sai_status_t stats_##name(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, uint64_t *counters) \
	{ \
		return object_stats(type, oid, n, ids, SAI_STATS_MODE_READ, counters); \
	} \
	static sai_status_t stats_ext_##name(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, \
		uint64_t *counters) \
	{ \
		return object_stats(type, oid, n, ids, mode, counters); \
	} \
	static sai_status_t clear_##name(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids) \
	{ \
		return clear_object_stats(type, oid, n, ids); \
	}

OBJECT(switch_object, SAI_OBJECT_TYPE_SWITCH)
STATS(switch_object, SAI_OBJECT_TYPE_SWITCH)
CREATE(port, SAI_OBJECT_TYPE_PORT)
OBJECT(port, SAI_OBJECT_TYPE_PORT)
STATS(port, SAI_OBJECT_TYPE_PORT)
CREATE(llr_profile, SAI_OBJECT_TYPE_PORT_LLR_PROFILE)
OBJECT(llr_profile, SAI_OBJECT_TYPE_PORT_LLR_PROFILE)
CREATE(channel, SAI_OBJECT_TYPE_VIRTUAL_CHANNEL)
OBJECT(channel, SAI_OBJECT_TYPE_VIRTUAL_CHANNEL)
STATS(channel, SAI_OBJECT_TYPE_VIRTUAL_CHANNEL)
CREATE(pool, SAI_OBJECT_TYPE_CBFC_CREDIT_POOL)
OBJECT(pool, SAI_OBJECT_TYPE_CBFC_CREDIT_POOL)
CREATE(credit_profile, SAI_OBJECT_TYPE_CBFC_CREDIT_PROFILE)
OBJECT(credit_profile, SAI_OBJECT_TYPE_CBFC_CREDIT_PROFILE)
CREATE(queue, SAI_OBJECT_TYPE_QUEUE)
OBJECT(queue, SAI_OBJECT_TYPE_QUEUE)
STATS(queue, SAI_OBJECT_TYPE_QUEUE)
CREATE(map, SAI_OBJECT_TYPE_QOS_MAP)
OBJECT(map, SAI_OBJECT_TYPE_QOS_MAP)

/* create_switch attaches this process to the daemon, once until remove_switch. */
static sai_status_t create_switch(sai_object_id_t *oid, uint32_t n, const sai_attribute_t *list)
{
	struct target t = {.type = SAI_OBJECT_TYPE_SWITCH};
	sai_status_t status;

	if (!ready())
		return SAI_STATUS_UNINITIALIZED;
	if (!attach())
		return SAI_STATUS_ITEM_ALREADY_EXISTS;
	status = oid ? create(&t, n, list) : SAI_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < n && status == SAI_STATUS_SUCCESS; i++)
		keep_of_switch(&list[i]);
	if (status == SAI_STATUS_SUCCESS)
		status = start_notifications();
	if (status == SAI_STATUS_SUCCESS)
		*oid = t.oid;
	else
		detach();
	return status;
}

static sai_status_t remove_switch(sai_object_id_t oid)
{
	sai_status_t status = remove_switch_object(oid);

	if (status == SAI_STATUS_SUCCESS) {
		stop_notifications();
		detach();
	}
	return status;
}

/* of_sairedis reports whether a switch attribute is for libsairedis, which stands in for this library in SONiC: its mode,
 * pipeline and recordings. A program linked with this library sets them, too, some before there is a switch. */
static bool of_sairedis(sai_attr_id_t id)
{
	return id >= SAI_SWITCH_ATTR_CUSTOM_RANGE_START && id < SAI_SWITCH_ATTR_CUSTOM_RANGE_START + 16;
}

static sai_status_t set_switch(sai_object_id_t oid, const sai_attribute_t *attr)
{
	sai_status_t status;

	if (attr && of_sairedis(attr->id) && oid == SAI_NULL_OBJECT_ID)
		return ready() ? SAI_STATUS_SUCCESS : SAI_STATUS_UNINITIALIZED;
	status = set_switch_object(oid, attr);
	if (status == SAI_STATUS_SUCCESS)
		keep_of_switch(attr);
	return status;
}

static sai_status_t clear_port_all(sai_object_id_t oid)
{
	sai_status_t status = check_target(&(struct target){.type = SAI_OBJECT_TYPE_PORT, .oid = oid});

	return status == SAI_STATUS_SUCCESS ? clear_all_stats(oid) : status;
}

/* check_bulk refuses a bulk call without memory for its answers, and marks each object as not executed yet. */
static sai_status_t check_bulk(uint32_t count, const sai_object_id_t *oids, const void *lists, sai_status_t *statuses)
{
	sai_status_t status = attached();

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (!count || count > OBJECTS_MAX || !oids || !lists || !statuses)
		return SAI_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < count; i++)
		statuses[i] = SAI_STATUS_NOT_EXECUTED;
	return SAI_STATUS_SUCCESS;
}

/* goes_on keeps the status of one object of a bulk call, and reports whether the next is to follow. */
static bool goes_on(sai_status_t one, sai_bulk_op_error_mode_t mode, sai_status_t *status)
{
	if (one == SAI_STATUS_SUCCESS)
		return true;
	*status = SAI_STATUS_FAILURE;
	return mode == SAI_BULK_OP_ERROR_MODE_IGNORE_ERROR;
}

/* set_each sets an attribute of each object of a bulk call. */
static sai_status_t set_each(sai_set_fn set, uint32_t count, const sai_object_id_t *oids, const sai_attribute_t *list,
	sai_bulk_op_error_mode_t mode, sai_status_t *statuses)
{
	sai_status_t status = check_bulk(count, oids, list, statuses), refused = status;

	for (uint32_t i = 0; i < count && refused == SAI_STATUS_SUCCESS; i++) {
		statuses[i] = set(oids[i], &list[i]);
		if (!goes_on(statuses[i], mode, &status))
			break;
	}
	return status;
}

/* get_each reads attributes of each object of a bulk call. */
static sai_status_t get_each(sai_get_fn get, uint32_t count, const sai_object_id_t *oids, const uint32_t *n,
	sai_attribute_t **lists, sai_bulk_op_error_mode_t mode, sai_status_t *statuses)
{
	sai_status_t status = check_bulk(count, oids, n ? lists : NULL, statuses), refused = status;

	for (uint32_t i = 0; i < count && refused == SAI_STATUS_SUCCESS; i++) {
		statuses[i] = get(oids[i], n[i], lists[i]);
		if (!goes_on(statuses[i], mode, &status))
			break;
	}
	return status;
}

/* The bulk methods of an object type. */
#define BULK(name) \
	static sai_status_t set_##name##s(uint32_t count, const sai_object_id_t *oids, const sai_attribute_t *list, \
		sai_bulk_op_error_mode_t mode, sai_status_t *statuses) \
	{ \
		return set_each(set_##name, count, oids, list, mode, statuses); \
	} \
	static sai_status_t get_##name##s(uint32_t count, const sai_object_id_t *oids, const uint32_t *n, \
		sai_attribute_t **lists, sai_bulk_op_error_mode_t mode, sai_status_t *statuses) \
	{ \
		return get_each(get_##name, count, oids, n, lists, mode, statuses); \
	}

BULK(port)
BULK(queue)

static const sai_switch_api_t switch_api = {
	create_switch, remove_switch, set_switch, get_switch_object, stats_switch_object, stats_ext_switch_object,
	clear_switch_object, {[0 ... 7] = not_implemented},
};

static const sai_port_api_t port_api = {
	create_port, remove_port, set_port, get_port, stats_port, stats_ext_port, clear_port, clear_port_all,
	{[0 ... 14] = not_implemented}, not_implemented, not_implemented, set_ports, get_ports, {[0 ... 3] = not_implemented},
	create_llr_profile, remove_llr_profile, set_llr_profile, get_llr_profile,
};

static const sai_virtual_channel_api_t channel_api = {
	create_channel, remove_channel, set_channel, get_channel, stats_channel, stats_ext_channel, clear_channel,
	create_pool, remove_pool, set_pool, get_pool,
	create_credit_profile, remove_credit_profile, set_credit_profile, get_credit_profile,
};

static const sai_queue_api_t queue_api = {
	create_queue, remove_queue, set_queue, get_queue, stats_queue, stats_ext_queue, clear_queue, set_queues, get_queues,
};

static const sai_qos_map_api_t map_api = {create_map, remove_map, set_map, get_map};

/* frames_api returns the method table of an API whose objects move frames; NULL: the objects of the API do not. */
const void *frames_api(sai_api_t api)
{
	switch (api) {
	case SAI_API_SWITCH:
		return &switch_api;
	case SAI_API_PORT:
		return &port_api;
	case SAI_API_VIRTUAL_CHANNEL:
		return &channel_api;
	case SAI_API_QOS_MAP:
		return &map_api;
	case SAI_API_QUEUE:
		return &queue_api;
	}
	return NULL;
}
