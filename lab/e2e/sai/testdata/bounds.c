/* Calls at the bounds of what the library takes: lists with exactly the room that is needed and one less, the longest
 * path and information, masks with holes, and what a process may do again after a refusal. It prints what differs, and
 * ends with 1 then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sai.h"

#define WANT(call, status) want(call, status, #call)

static int faults;
static sai_switch_api_t *sw;
static sai_port_api_t *port;
static sai_qos_map_api_t *map;
static sai_route_api_t *route;
static sai_queue_api_t *queue;
static sai_object_id_t switch_id, ports[2];
static char path[128];

static const char *environment(sai_switch_profile_id_t id, const char *key) { return getenv(key); }

static const char *fixed_path(sai_switch_profile_id_t id, const char *key)
{
	return strcmp(key, "SAI_UELINK_SOCKET") ? NULL : path;
}

static void want(int64_t value, int64_t wanted, const char *call)
{
	if (value == wanted)
		return;
	printf("%s: %lld, want %lld\n", call, (long long)value, (long long)wanted);
	faults++;
}

/* paths demands that the path of the socket fits a sockaddr_un. */
static void paths(void)
{
	const sai_service_method_table_t services = {.profile_get_value = fixed_path};

	memset(path, 'p', 108);
	WANT(sai_api_initialize(0, &services), SAI_STATUS_INVALID_PARAMETER);
	path[107] = 0;
	WANT(sai_api_initialize(0, &services), SAI_STATUS_SUCCESS);
	WANT(sai_api_uninitialize(), SAI_STATUS_SUCCESS);
}

static void notify(uint32_t count, const sai_port_oper_status_notification_t *data) {}

/* created makes the switch with the longest information, after calls that are refused; and again without it. */
static void created(void)
{
	static int8_t info[256], back[256];
	sai_attribute_t list[3] = {
		{.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true},
		{.id = SAI_SWITCH_ATTR_SWITCH_HARDWARE_INFO, .value.s8list = {256, info}},
		{.id = SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY, .value.ptr = (void *)notify},
	};
	sai_attribute_t read[2] = {
		{.id = SAI_SWITCH_ATTR_SWITCH_HARDWARE_INFO, .value.s8list = {254, back}},
		{.id = SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY},
	};

	memset(info, 7, sizeof info);
	WANT(sw->create_switch(NULL, 1, list), SAI_STATUS_INVALID_PARAMETER);
	WANT(sw->create_switch(&switch_id, 3, list), SAI_STATUS_INVALID_ATTR_VALUE_0 - 1);
	list[1].value.s8list.count = 255;
	WANT(sw->create_switch(&switch_id, 3, list), SAI_STATUS_SUCCESS);
	WANT(sw->get_switch_attribute(switch_id, 1, read), SAI_STATUS_BUFFER_OVERFLOW);
	WANT(read[0].value.s8list.count, 255);
	WANT(sw->get_switch_attribute(switch_id, 2, read), SAI_STATUS_SUCCESS);
	WANT(memcmp(info, back, 255) || back[255], 0);
	WANT(read[1].value.ptr == (void *)notify, true);
	WANT(sw->remove_switch(switch_id), SAI_STATUS_SUCCESS);
	WANT(sw->create_switch(&switch_id, 1, list), SAI_STATUS_SUCCESS);
	WANT(sw->get_switch_attribute(switch_id, 2, read), SAI_STATUS_SUCCESS);
	WANT(read[0].value.s8list.count, 0);
	WANT(read[1].value.ptr != NULL, false);
}

/* lists reads lists with the room that is needed, and with less. */
static void lists(void)
{
	sai_object_key_t keys[4];
	sai_attribute_t of_switch = {.id = SAI_SWITCH_ATTR_PORT_LIST, .value.objlist = {1, ports}};
	sai_attribute_t of_port[2] = {{.id = SAI_PORT_ATTR_TYPE}, {.id = SAI_PORT_ATTR_TYPE}};
	sai_attribute_t *attrs[2] = {&of_port[0], &of_port[1]};
	sai_object_key_t two[2];
	uint32_t n = 2, ones[2] = {1, 1};
	sai_status_t statuses[2];

	WANT(sw->get_switch_attribute(switch_id, 1, &of_switch), SAI_STATUS_BUFFER_OVERFLOW);
	WANT(of_switch.value.objlist.count, 2);
	WANT(sw->get_switch_attribute(switch_id, 1, &of_switch), SAI_STATUS_SUCCESS);
	WANT(sai_get_object_key(switch_id, SAI_OBJECT_TYPE_PORT, &n, keys), SAI_STATUS_BUFFER_OVERFLOW);
	WANT(n, 3); /* with the CPU port */
	WANT(sai_get_object_key(switch_id, SAI_OBJECT_TYPE_PORT, &n, keys), SAI_STATUS_SUCCESS);
	two[0].key.object_id = ports[0];
	two[1].key.object_id = ports[0] + 1;
	WANT(sai_bulk_get_attribute(switch_id, SAI_OBJECT_TYPE_PORT, 2, two, ones, attrs, statuses), SAI_STATUS_FAILURE);
	WANT(statuses[0], SAI_STATUS_SUCCESS);
	WANT(statuses[1], SAI_STATUS_INVALID_OBJECT_ID);
	two[1].key.object_id = ports[1];
	WANT(sai_bulk_get_attribute(switch_id, SAI_OBJECT_TYPE_PORT, 2, two, ones, attrs, statuses), SAI_STATUS_SUCCESS);
}

/* levels sets each level of the log, and one that there is not. */
static void levels(void)
{
	WANT(sai_log_set(SAI_API_PORT, SAI_LOG_LEVEL_CRITICAL + 1), SAI_STATUS_INVALID_PARAMETER);
	for (int level = SAI_LOG_LEVEL_CRITICAL; level >= SAI_LOG_LEVEL_DEBUG; level--)
		WANT(sai_log_set(SAI_API_PORT, (sai_log_level_t)level), SAI_STATUS_SUCCESS);
	WANT(sai_log_set(SAI_API_PORT, SAI_LOG_LEVEL_CRITICAL), SAI_STATUS_SUCCESS);
}

/* cleared clears statistics by each mode that may. */
static void cleared(void)
{
	sai_object_key_t key = {.key.object_id = ports[0]};
	sai_stat_id_t id = SAI_PORT_STAT_IF_IN_OCTETS;
	sai_status_t one;

	for (sai_stats_mode_t mode = SAI_STATS_MODE_READ; mode <= SAI_STATS_MODE_BULK_READ_AND_CLEAR; mode <<= 1) {
		WANT(sai_bulk_object_clear_stats(switch_id, SAI_OBJECT_TYPE_PORT, 1, &key, 1, &id, mode, &one), SAI_STATUS_SUCCESS);
		WANT(one, SAI_STATUS_SUCCESS);
	}
	WANT(sai_bulk_object_clear_stats(switch_id, SAI_OBJECT_TYPE_PORT, 1, &key, 1, &id, 0, &one), SAI_STATUS_INVALID_PARAMETER);
	WANT(port->clear_port_all_stats(ports[0]), SAI_STATUS_SUCCESS);
}

/* keys makes maps with a key at its bound, and beyond. */
static void keys(void)
{
	static const struct { uint8_t dot1p, dei; sai_status_t status; } cases[] = {
		{7, 1, SAI_STATUS_SUCCESS}, {8, 0, SAI_STATUS_INVALID_ATTR_VALUE_0 - 1}, {1, 2, SAI_STATUS_INVALID_ATTR_VALUE_0 - 1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sai_qos_map_t entry = {.key = {.dot1p = cases[i].dot1p, .dei = cases[i].dei}, .value.tc = 1};
		sai_attribute_t list[2] = {
			{.id = SAI_QOS_MAP_ATTR_TYPE, .value.s32 = SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC},
			{.id = SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST, .value.qosmap = {1, &entry}},
		};
		sai_object_id_t oid;

		WANT(map->create_qos_map(&oid, switch_id, 2, list), cases[i].status);
	}
}

/* routes makes routes with each length of a mask, reads their keys, and makes one whose mask has a hole. */
static void routes(void)
{
	sai_attribute_t router = {.id = SAI_SWITCH_ATTR_DEFAULT_VIRTUAL_ROUTER_ID};
	sai_attribute_t drop = {.id = SAI_ROUTE_ENTRY_ATTR_PACKET_ACTION};
	sai_route_entry_t entry = {.switch_id = switch_id};
	uint32_t n;
	sai_object_key_t key;

	WANT(sw->get_switch_attribute(switch_id, 1, &router), SAI_STATUS_SUCCESS);
	entry.vr_id = router.value.oid;
	for (int length = 0; length <= 32; length++) {
		for (int i = 0; i < 4; i++) {
			int ones = length - 8 * i;

			ones = ones < 0 ? 0 : ones > 8 ? 8 : ones;
			entry.destination.mask.ip6[i] = (uint8_t)(0xff00 >> ones);
			entry.destination.addr.ip6[i] = entry.destination.mask.ip6[i];
		}
		WANT(route->create_route_entry(&entry, 1, &drop), SAI_STATUS_SUCCESS);
		n = 1;
		WANT(sai_get_object_key(switch_id, SAI_OBJECT_TYPE_ROUTE_ENTRY, &n, &key), SAI_STATUS_SUCCESS);
		WANT(memcmp(&key.key.route_entry.destination, &entry.destination, sizeof entry.destination), 0);
		WANT(route->remove_route_entry(&entry), SAI_STATUS_SUCCESS);
	}
	entry.destination.mask.ip6[1] = 0xfd;
	WANT(route->create_route_entry(&entry, 1, &drop), SAI_STATUS_INVALID_PARAMETER);
}

/* detached stops a queue, and finds it open again after remove_switch. */
static void detached(void)
{
	static sai_object_id_t all[64];
	sai_attribute_t queues = {.id = SAI_PORT_ATTR_QOS_QUEUE_LIST, .value.objlist = {64, all}};
	sai_attribute_t dequeue = {.id = SAI_QUEUE_ATTR_PKT_DEQUEUE_ENABLE};
	sai_attribute_t init = {.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true};

	WANT(port->get_port_attribute(ports[0], 1, &queues), SAI_STATUS_SUCCESS);
	WANT(queue->set_queue_attribute(all[0], &dequeue), SAI_STATUS_SUCCESS);
	WANT(queue->get_queue_attribute(all[0], 1, &dequeue), SAI_STATUS_SUCCESS);
	WANT(dequeue.value.booldata, false);
	WANT(sw->remove_switch(switch_id), SAI_STATUS_SUCCESS);
	WANT(sw->create_switch(&switch_id, 1, &init), SAI_STATUS_SUCCESS);
	WANT(queue->get_queue_attribute(all[0], 1, &dequeue), SAI_STATUS_SUCCESS);
	WANT(dequeue.value.booldata, true);
}

int main(void)
{
	const sai_service_method_table_t services = {.profile_get_value = environment};

	paths();
	WANT(sai_api_initialize(0, &services), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_SWITCH, (void **)&sw), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_PORT, (void **)&port), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_QOS_MAP, (void **)&map), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_ROUTE, (void **)&route), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_QUEUE, (void **)&queue), SAI_STATUS_SUCCESS);
	levels();
	created();
	lists();
	cleared();
	keys();
	routes();
	detached();
	WANT(sai_api_uninitialize(), SAI_STATUS_SUCCESS);
	printf("%d faults\n", faults);
	return faults != 0;
}
