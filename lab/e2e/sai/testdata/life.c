/* The statuses in the life of a process: before sai_api_initialize, before create_switch, between create_switch and
 * remove_switch, after it, and after sai_api_uninitialize. It prints what differs, and ends with 1 then. Between two
 * lines "away" and "back" on its standard input there is no daemon. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sai.h"

#define WANT(call, status) want(call, status, #call)

static int faults;
static sai_switch_api_t *sw;
static sai_port_api_t *port;
static sai_virtual_channel_api_t *channel;
static sai_qos_map_api_t *map;
static sai_object_id_t switch_id, link_id, made, both[2];
static sai_attribute_t init = {.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true};
static sai_attribute_t attr;

static const char *environment(sai_switch_profile_id_t id, const char *key) { return getenv(key); }

static const sai_service_method_table_t services = {.profile_get_value = environment};

static void want(sai_status_t is, sai_status_t status, const char *call)
{
	if (is == status)
		return;
	printf("%s: status %d, want %d\n", call, is, status);
	faults++;
}

/* everything demands a status of each function but sai_api_initialize, sai_query_api_version and create_switch. */
static void everything(sai_status_t status)
{
	sai_attr_capability_t can;
	sai_s32_list_t values = {0};
	sai_stat_capability_list_t stats = {0};
	sai_object_key_t key = {.key.object_id = link_id};
	sai_object_id_t oid = 0;
	sai_attribute_t *list = &attr;
	uint32_t n = 1;
	uint64_t n64;
	sai_status_t one;
	sai_stat_id_t id = SAI_PORT_STAT_IF_IN_OCTETS;

	WANT(sw->remove_switch(SAI_NULL_OBJECT_ID), status);
	WANT(sw->set_switch_attribute(switch_id, &attr), status);
	WANT(sw->get_switch_attribute(switch_id, 1, &attr), status);
	WANT(sw->get_switch_stats(switch_id, 1, &id, &n64), status);
	WANT(port->create_port(&oid, switch_id, 0, NULL), status);
	WANT(port->remove_port(link_id), status);
	WANT(port->set_port_attribute(link_id, NULL), status);
	WANT(port->get_port_attribute(link_id, 0, NULL), status);
	WANT(port->get_port_stats(link_id, 1, &id, NULL), status);
	WANT(port->clear_port_stats(link_id, 1, &id), status);
	WANT(port->clear_port_all_stats(link_id), status);
	WANT(port->set_ports_attribute(1, &link_id, &attr, SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR, &one), status);
	WANT(port->get_ports_attribute(1, &link_id, &n, &list, SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR, &one), status);
	WANT(port->create_port_llr_profile(&oid, switch_id, 0, NULL), status);
	WANT(channel->create_virtual_channel(NULL, switch_id, 0, NULL), status);
	WANT(map->create_qos_map(NULL, switch_id, 0, NULL), status);
	WANT(sai_object_type_get_availability(switch_id, SAI_OBJECT_TYPE_QOS_MAP, 0, NULL, NULL), status);
	WANT(sai_get_maximum_attribute_count(switch_id, SAI_OBJECT_TYPE_PORT, &n), status);
	WANT(sai_get_object_count(switch_id, SAI_OBJECT_TYPE_PORT, &n), status);
	WANT(sai_get_object_key(switch_id, SAI_OBJECT_TYPE_PORT, &n, &key), status);
	WANT(sai_bulk_get_attribute(switch_id, SAI_OBJECT_TYPE_PORT, 1, &key, &n, &list, &one), status);
	WANT(sai_query_attribute_capability(switch_id, SAI_OBJECT_TYPE_PORT, 0, &can), status);
	WANT(sai_query_attribute_enum_values_capability(switch_id, SAI_OBJECT_TYPE_PORT, 0, &values), status);
	WANT(sai_query_stats_capability(switch_id, SAI_OBJECT_TYPE_PORT, &stats), status);
	WANT(sai_bulk_object_get_stats(switch_id, SAI_OBJECT_TYPE_PORT, 1, &key, 1, &id, SAI_STATS_MODE_READ, &one, &n64), status);
	WANT(sai_bulk_object_clear_stats(switch_id, SAI_OBJECT_TYPE_PORT, 1, &key, 1, &id, SAI_STATS_MODE_READ, &one), status);
	if (sai_object_type_query(link_id) && status == SAI_STATUS_UNINITIALIZED) {
		printf("an object has a type before sai_api_initialize\n");
		faults++;
	}
}

static void uninitialized(void)
{
	void *table;

	WANT(sai_api_query(SAI_API_SWITCH, &table), SAI_STATUS_UNINITIALIZED);
	WANT(sai_log_set(SAI_API_PORT, SAI_LOG_LEVEL_WARN), SAI_STATUS_UNINITIALIZED);
	WANT(sai_dbg_generate_dump("/dev/null"), SAI_STATUS_UNINITIALIZED);
	WANT(sai_query_stats_st_capability(switch_id, SAI_OBJECT_TYPE_PORT, NULL), SAI_STATUS_UNINITIALIZED);
	WANT(sai_query_object_stage(switch_id, SAI_OBJECT_TYPE_PORT, 0, NULL, NULL), SAI_STATUS_UNINITIALIZED);
	WANT(sai_tam_telemetry_get_data(switch_id, (sai_object_list_t){0}, false, NULL, NULL), SAI_STATUS_UNINITIALIZED);
	WANT(sai_api_uninitialize(), SAI_STATUS_UNINITIALIZED);
	if (!sw)
		return;
	attr.id = SAI_SWITCH_ATTR_CUSTOM_RANGE_START + 8;
	WANT(sw->set_switch_attribute(SAI_NULL_OBJECT_ID, &attr), SAI_STATUS_UNINITIALIZED);
	WANT(sw->create_switch(&switch_id, 1, &init), SAI_STATUS_UNINITIALIZED);
	WANT(port->create_ports(), SAI_STATUS_UNINITIALIZED);
	everything(SAI_STATUS_UNINITIALIZED);
}

/* tables demands a table of each API, and no entry of it that is null. */
static void tables(void)
{
	static const uint8_t entries[SAI_API_MAX] = {
		0, 15, 35, 9, 13, 4, 8, 8, 20, 11, 9, 28, 24, 4, 4, 10, 10, 7, 4, 4, 9, 4, 4, 20, 8, 12, 23, 4, 4, 8, 8, 12, 4, 14, 50,
		17, 8, 20, 7, 8, 12, 7, 4, 32, 4, 4, 18, 4, 4, 4, 7, 12, 7, 10, 4, 15, 4,
	};
	sai_not_implemented_fn *table;

	for (sai_api_t api = 1; api < SAI_API_MAX; api++) {
		WANT(sai_api_query(api, (void **)&table), SAI_STATUS_SUCCESS);
		for (int i = 0; i < entries[api]; i++)
			if (!table[i]) {
				printf("entry %d of the table of API %u is null\n", i, api);
				faults++;
			}
	}
	WANT(sai_api_query(SAI_API_TAM, (void **)&table), SAI_STATUS_SUCCESS);
	for (int i = 0; i < entries[SAI_API_TAM]; i++)
		WANT(table[i](), SAI_STATUS_NOT_IMPLEMENTED);
	WANT(sai_api_query(0, (void **)&table), SAI_STATUS_INVALID_PARAMETER);
	WANT(sai_api_query(SAI_API_MAX, (void **)&table), SAI_STATUS_INVALID_PARAMETER);
}

/* bulk reads two ports and a port that there is not, by both modes. */
static void bulk(void)
{
	sai_object_id_t ports[] = {link_id, link_id + 1, link_id};
	sai_attribute_t lists[3] = {{.id = SAI_PORT_ATTR_TYPE}, {.id = SAI_PORT_ATTR_TYPE}, {.id = SAI_PORT_ATTR_OPER_STATUS}};
	sai_attribute_t *of[] = {&lists[0], &lists[1], &lists[2]};
	sai_attribute_t read_only[] = {lists[0], lists[0], lists[0]};
	uint32_t n[] = {1, 1, 1};
	sai_status_t all[3];

	WANT(port->get_ports_attribute(3, ports, n, of, SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR, all), SAI_STATUS_FAILURE);
	WANT(all[0], SAI_STATUS_SUCCESS);
	WANT(all[1], SAI_STATUS_INVALID_OBJECT_ID);
	WANT(all[2], SAI_STATUS_NOT_EXECUTED);
	WANT(port->get_ports_attribute(3, ports, n, of, SAI_BULK_OP_ERROR_MODE_IGNORE_ERROR, all), SAI_STATUS_FAILURE);
	WANT(all[2], SAI_STATUS_SUCCESS);
	WANT(lists[2].value.s32, SAI_PORT_OPER_STATUS_UP);
	WANT(port->get_ports_attribute(1, ports, n, of, SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR, all), SAI_STATUS_SUCCESS);
	WANT(port->set_ports_attribute(2, ports, read_only, SAI_BULK_OP_ERROR_MODE_IGNORE_ERROR, all), SAI_STATUS_FAILURE);
	WANT(all[0], SAI_STATUS_INVALID_ATTRIBUTE_0);
	WANT(port->get_ports_attribute(1, ports, NULL, of, 0, all), SAI_STATUS_INVALID_PARAMETER);
	WANT(port->get_ports_attribute(1, ports, n, of, 0, NULL), SAI_STATUS_INVALID_PARAMETER);
}

/* capabilities asks for attributes that SAI has and are not built, and for one that it has not. */
static void capabilities(void)
{
	static const struct { sai_object_type_t type; sai_attr_id_t id; } not_built[] = {
		{SAI_OBJECT_TYPE_SWITCH, 0x115}, {SAI_OBJECT_TYPE_SWITCH, 0x3e}, {SAI_OBJECT_TYPE_PORT, 0x21}, {SAI_OBJECT_TYPE_PORT, 0xe0},
		{36 /* NEIGHBOR_ENTRY */, 2}, {8 /* ACL_ENTRY */, 0x203d},
	};
	sai_attr_capability_t can;
	sai_s32_list_t values = {0};

	for (size_t i = 0; i < sizeof not_built / sizeof *not_built; i++) {
		can = (sai_attr_capability_t){true, true, true};
		WANT(sai_query_attribute_capability(switch_id, not_built[i].type, not_built[i].id, &can), SAI_STATUS_SUCCESS);
		WANT(can.create_implemented || can.set_implemented || can.get_implemented, false);
		WANT(sai_query_attribute_enum_values_capability(switch_id, not_built[i].type, not_built[i].id, &values),
			SAI_STATUS_NOT_SUPPORTED);
	}
	WANT(sai_query_attribute_capability(switch_id, SAI_OBJECT_TYPE_PORT, 0xe1, &can), SAI_STATUS_UNKNOWN_ATTRIBUTE_0);
	WANT(sai_query_attribute_capability(switch_id, SAI_OBJECT_TYPE_MAX, 0, &can), SAI_STATUS_INVALID_OBJECT_TYPE);
	WANT(sai_query_attribute_capability(switch_id, SAI_OBJECT_TYPE_PORT, 0, NULL), SAI_STATUS_INVALID_PARAMETER);
}

static void wait_for_line(const char *line)
{
	char text[16];

	printf("%s\n", line);
	if (!fgets(text, sizeof text, stdin))
		exit(1);
}

int main(void)
{
	sai_attribute_t ports = {.id = SAI_SWITCH_ATTR_PORT_LIST, .value.objlist = {2, both}};
	sai_attribute_t frames[2] = {
		{.id = SAI_PORT_LLR_PROFILE_ATTR_OUTSTANDING_FRAMES_MAX, .value.u32 = 64},
		{.id = SAI_PORT_LLR_PROFILE_ATTR_OUTSTANDING_BYTES_MAX, .value.u32 = 64000},
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	uninitialized();
	WANT(sai_api_initialize(0, &services), SAI_STATUS_SUCCESS);
	WANT(sai_api_initialize(0, &services), SAI_STATUS_FAILURE);
	tables();
	WANT(sai_api_query(SAI_API_SWITCH, (void **)&sw), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_PORT, (void **)&port), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_VIRTUAL_CHANNEL, (void **)&channel), SAI_STATUS_SUCCESS);
	WANT(sai_api_query(SAI_API_QOS_MAP, (void **)&map), SAI_STATUS_SUCCESS);
	switch_id = (sai_object_id_t)SAI_OBJECT_TYPE_SWITCH << 48;
	everything(SAI_STATUS_INVALID_OBJECT_ID);
	for (uint32_t i = 0; i < 16; i++) {
		attr.id = SAI_SWITCH_ATTR_CUSTOM_RANGE_START + i;
		WANT(sw->set_switch_attribute(SAI_NULL_OBJECT_ID, &attr), SAI_STATUS_SUCCESS);
	}
	WANT(sw->set_switch_attribute(switch_id, &attr), SAI_STATUS_INVALID_OBJECT_ID);
	wait_for_line("daemon away");
	for (int i = 0; i < 5; i++)
		WANT(sw->create_switch(&made, 1, &init), SAI_STATUS_FAILURE);
	wait_for_line("daemon back");
	init.value.booldata = false;
	WANT(sw->create_switch(&switch_id, 1, &init), SAI_STATUS_INVALID_PARAMETER);
	init.value.booldata = true;
	WANT(sw->create_switch(&switch_id, 1, &init), SAI_STATUS_SUCCESS);
	WANT(sw->create_switch(&made, 1, &init), SAI_STATUS_ITEM_ALREADY_EXISTS);
	WANT(sw->set_switch_attribute(switch_id, &attr), SAI_STATUS_SUCCESS);
	WANT(sw->get_switch_attribute(switch_id, 1, &ports), SAI_STATUS_SUCCESS);
	link_id = both[0];
	bulk();
	capabilities();
	WANT(port->create_port_llr_profile(&made, switch_id, 2, frames), SAI_STATUS_SUCCESS);
	wait_for_line("another process");
	WANT(sw->remove_switch(switch_id), SAI_STATUS_SUCCESS);
	WANT(sw->remove_switch(switch_id), SAI_STATUS_INVALID_OBJECT_ID);
	everything(SAI_STATUS_INVALID_OBJECT_ID);
	WANT(port->remove_port_llr_profile(made), SAI_STATUS_INVALID_OBJECT_ID);
	wait_for_line("detached");
	WANT(sw->create_switch(&switch_id, 1, &init), SAI_STATUS_SUCCESS);
	WANT(port->remove_port_llr_profile(made), SAI_STATUS_SUCCESS);
	WANT(sai_api_uninitialize(), SAI_STATUS_SUCCESS);
	uninitialized();
	WANT(sai_api_initialize(0, &services), SAI_STATUS_SUCCESS);
	everything(SAI_STATUS_INVALID_OBJECT_ID);
	WANT(sai_api_uninitialize(), SAI_STATUS_SUCCESS);
	printf("%d faults\n", faults);
	return faults != 0;
}
