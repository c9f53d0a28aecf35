/* The calls of an orchagent's start, in its order, as it is linked with libsai: with a status that ends it, and with one
 * that it only logs, each. usage: start cold|again|warm. "again" finds what an earlier "cold" has left; "warm" creates
 * nothing. It prints the ids that it finds, and calls whose status it does not expect, and ends with 1 for these. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sai.h"

#define WANT(status, call) want(call, status, #call)
#define MUST(call) want(call, SAI_STATUS_SUCCESS, #call)
/* An attribute of SAI that is not built here: orchagent logs the refusal, and goes on with its own default. */
#define NOT_BUILT SAI_STATUS_ATTR_NOT_IMPLEMENTED_0

enum { PORTS = 64, LANES = 8 };

static int faults;
static sai_switch_api_t *sw;
static sai_port_api_t *port;
static sai_queue_api_t *queue;
static sai_vlan_api_t *vlan;
static sai_bridge_api_t *bridge;
static sai_route_api_t *route;
static sai_router_interface_api_t *router_interface;
static sai_hostif_api_t *hostif;
static sai_object_id_t switch_id, cpu, router, ports[PORTS];
static uint32_t n_ports;
static bool warm;
static sai_status_t created = SAI_STATUS_SUCCESS; /* of what an orchagent creates again after it was killed */

static const char *environment(sai_switch_profile_id_t id, const char *key) { return getenv(key); }

static const sai_service_method_table_t services = {.profile_get_value = environment};

static void want(sai_status_t is, sai_status_t status, const char *call)
{
	if (is == status)
		return;
	printf("%s: status %d, want %d\n", call, is, status);
	faults++;
}

static void show(const char *what, sai_object_id_t oid) { printf("%s 0x%" PRIx64 "\n", what, oid); }

static void never(void) {}

/* get_of_switch reads an attribute of the switch that must not be refused. */
static sai_attribute_t get_of_switch(sai_attr_id_t id)
{
	sai_attribute_t a = {.id = id};

	MUST(sw->get_switch_attribute(switch_id, 1, &a));
	return a;
}

/* asked reads an attribute of the switch without which orchagent goes on. */
static void asked(sai_attr_id_t id)
{
	sai_attribute_t a = {.id = id};
	sai_attr_capability_t can = {true, true, true};

	WANT(NOT_BUILT, sw->get_switch_attribute(switch_id, 1, &a));
	MUST(sai_query_attribute_capability(switch_id, SAI_OBJECT_TYPE_SWITCH, id, &can));
	WANT(false, can.create_implemented || can.set_implemented || can.get_implemented);
}

static void libsairedis(uint32_t first, uint32_t last, sai_object_id_t oid)
{
	for (uint32_t i = first; i <= last; i++) {
		sai_attribute_t a = {.id = SAI_SWITCH_ATTR_CUSTOM_RANGE_START + i};

		MUST(sw->set_switch_attribute(oid, &a));
	}
}

static void create_the_switch(void)
{
	sai_attribute_t a[] = {
		{.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true},
		{.id = SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY, .value.ptr = (void *)never},
		{.id = SAI_SWITCH_ATTR_SWITCH_SHUTDOWN_REQUEST_NOTIFY, .value.ptr = (void *)never},
		{.id = SAI_SWITCH_ATTR_SRC_MAC_ADDRESS},
		{.id = SAI_SWITCH_ATTR_SWITCH_HARDWARE_INFO, .value.s8list = {4, (int8_t *)"uel0"}},
		{.id = SAI_SWITCH_ATTR_CUSTOM_RANGE_START + 0xa},
	};
	int8_t info[8];
	sai_attribute_t kept[] = {
		{.id = SAI_SWITCH_ATTR_SWITCH_HARDWARE_INFO, .value.s8list = {8, info}},
		{.id = SAI_SWITCH_ATTR_SWITCH_SHUTDOWN_REQUEST_NOTIFY},
	};
	sai_attribute_t mac = {.id = SAI_SWITCH_ATTR_SRC_MAC_ADDRESS};

	libsairedis(0, 15, SAI_NULL_OBJECT_ID);
	a[3].id = SAI_SWITCH_ATTR_CUSTOM_RANGE_START + 0xb;
	MUST(sw->create_switch(&switch_id, 6, a));
	mac = get_of_switch(SAI_SWITCH_ATTR_SRC_MAC_ADDRESS);
	MUST(sw->remove_switch(switch_id));
	a[3] = mac; /* orchagent -m */
	a[3].value.mac[5] ^= 1;
	WANT(SAI_STATUS_INVALID_ATTR_VALUE_0 - 3, sw->create_switch(&switch_id, 6, a));
	a[3] = mac;
	MUST(sw->create_switch(&switch_id, 6, a));
	MUST(sw->set_switch_attribute(switch_id, &mac));
	libsairedis(0, 15, switch_id);
	MUST(sw->get_switch_attribute(switch_id, 2, kept));
	want(kept[0].value.s8list.count == 4 && !memcmp(info, "uel0", 4) ? 0 : 1, 0, "SWITCH_HARDWARE_INFO");
	want(kept[1].value.ptr == (void *)never ? 0 : 1, 0, "SWITCH_SHUTDOWN_REQUEST_NOTIFY");
}

/* default_objects reads the ids from which an orchagent begins, and demands that each has its type. */
static void default_objects(void)
{
	static const struct { sai_attr_id_t id; sai_object_type_t type; const char *name; } defaults[] = {
		{SAI_SWITCH_ATTR_DEFAULT_VIRTUAL_ROUTER_ID, SAI_OBJECT_TYPE_VIRTUAL_ROUTER, "virtual router"},
		{SAI_SWITCH_ATTR_CPU_PORT, SAI_OBJECT_TYPE_PORT, "CPU port"},
		{SAI_SWITCH_ATTR_DEFAULT_1Q_BRIDGE_ID, SAI_OBJECT_TYPE_BRIDGE, "bridge"},
		{SAI_SWITCH_ATTR_DEFAULT_VLAN_ID, SAI_OBJECT_TYPE_VLAN, "VLAN"},
		{SAI_SWITCH_ATTR_DEFAULT_TRAP_GROUP, SAI_OBJECT_TYPE_HOSTIF_TRAP_GROUP, "trap group"},
	};
	sai_attribute_t both[2] = {{.id = SAI_SWITCH_ATTR_DEFAULT_1Q_BRIDGE_ID}, {.id = SAI_SWITCH_ATTR_DEFAULT_VLAN_ID}};
	sai_attribute_t type = {.id = SAI_PORT_ATTR_TYPE};

	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
		sai_object_id_t oid = get_of_switch(defaults[i].id).value.oid;
		sai_object_key_t keys[PORTS];
		uint32_t n = PORTS, found = 0, count;

		show(defaults[i].name, oid);
		want((sai_status_t)sai_object_type_query(oid), (sai_status_t)defaults[i].type, defaults[i].name);
		want(sai_switch_id_query(oid) == switch_id ? 0 : 1, 0, defaults[i].name);
		MUST(sai_get_object_key(switch_id, defaults[i].type, &n, keys));
		MUST(sai_get_object_count(switch_id, defaults[i].type, &count));
		for (uint32_t k = 0; k < n; k++)
			found += keys[k].key.object_id == oid;
		want(found == 1 && count == n ? 0 : 1, 0, "a default object is listed once");
	}
	router = get_of_switch(SAI_SWITCH_ATTR_DEFAULT_VIRTUAL_ROUTER_ID).value.oid;
	cpu = get_of_switch(SAI_SWITCH_ATTR_CPU_PORT).value.oid;
	MUST(sw->get_switch_attribute(switch_id, 2, both));
	MUST(port->get_port_attribute(cpu, 1, &type));
	want(type.value.s32, SAI_PORT_TYPE_CPU, "TYPE of the CPU port");
	type.id = SAI_PORT_ATTR_QOS_NUMBER_OF_QUEUES;
	MUST(port->get_port_attribute(cpu, 1, &type));
	want((sai_status_t)type.value.u32, 0, "queues of the CPU port");
}

static void find_ports(void)
{
	sai_attribute_t a = {.id = SAI_SWITCH_ATTR_PORT_LIST, .value.objlist = {PORTS, ports}};

	n_ports = get_of_switch(SAI_SWITCH_ATTR_NUMBER_OF_ACTIVE_PORTS).value.u32;
	MUST(sw->get_switch_attribute(switch_id, 1, &a));
	want((sai_status_t)a.value.objlist.count, (sai_status_t)n_ports, "PORT_LIST");
	for (uint32_t i = 0; i < n_ports; i++) {
		uint32_t lanes[LANES];
		sai_attribute_t lane = {.id = SAI_PORT_ATTR_HW_LANE_LIST, .value.u32list = {LANES, lanes}};

		show("port", ports[i]);
		want(ports[i] == cpu, false, "the CPU port is in PORT_LIST");
		MUST(port->get_port_attribute(ports[i], 1, &lane));
	}
}

/* bridge_and_vlan removes the members of the default VLAN and bridge, of which there are none. */
static void bridge_and_vlan(void)
{
	sai_object_id_t list[PORTS + 1];
	sai_attribute_t a = {.id = SAI_VLAN_ATTR_MEMBER_LIST, .value.objlist = {n_ports, list}};
	sai_object_id_t vlan_id = get_of_switch(SAI_SWITCH_ATTR_DEFAULT_VLAN_ID).value.oid;
	sai_object_id_t bridge_id = get_of_switch(SAI_SWITCH_ATTR_DEFAULT_1Q_BRIDGE_ID).value.oid;

	MUST(vlan->get_vlan_attribute(vlan_id, 1, &a));
	want((sai_status_t)a.value.objlist.count, 0, "members of the default VLAN");
	a = (sai_attribute_t){.id = SAI_VLAN_ATTR_VLAN_ID};
	MUST(vlan->get_vlan_attribute(vlan_id, 1, &a));
	want(a.value.u16, 1, "VLAN_ID");
	a = (sai_attribute_t){.id = SAI_BRIDGE_ATTR_PORT_LIST, .value.objlist = {n_ports + 1, list}};
	MUST(bridge->get_bridge_attribute(bridge_id, 1, &a));
	want((sai_status_t)a.value.objlist.count, 0, "ports of the default bridge");
	WANT(SAI_STATUS_NOT_IMPLEMENTED, vlan->remove_vlan_member(vlan_id));
	WANT(SAI_STATUS_NOT_IMPLEMENTED, bridge->remove_bridge_port(bridge_id));
	WANT(SAI_STATUS_NOT_SUPPORTED, vlan->remove_vlan(vlan_id));
	WANT(SAI_STATUS_NOT_SUPPORTED, bridge->remove_bridge(bridge_id));
}

static sai_route_entry_t entry(int32_t family, const char *address, int length)
{
	sai_route_entry_t e = {.switch_id = switch_id, .vr_id = router, .destination.addr_family = family};

	inet_pton(family == SAI_IP_ADDR_FAMILY_IPV4 ? AF_INET : AF_INET6, address, &e.destination.addr);
	for (int i = 0; i < length; i++)
		e.destination.mask.ip6[i / 8] |= (uint8_t)(0x80 >> i % 8);
	return e;
}

static void routes(void)
{
	sai_route_entry_t all[] = {
		entry(SAI_IP_ADDR_FAMILY_IPV4, "0.0.0.0", 0), entry(SAI_IP_ADDR_FAMILY_IPV6, "::", 0),
		entry(SAI_IP_ADDR_FAMILY_IPV6, "fe80::1", 128), entry(SAI_IP_ADDR_FAMILY_IPV6, "fe80::", 10),
	};
	sai_attribute_t drop = {.id = SAI_ROUTE_ENTRY_ATTR_PACKET_ACTION, .value.s32 = SAI_PACKET_ACTION_DROP};
	sai_attribute_t local[] = {
		{.id = SAI_ROUTE_ENTRY_ATTR_PACKET_ACTION, .value.s32 = SAI_PACKET_ACTION_FORWARD},
		{.id = SAI_ROUTE_ENTRY_ATTR_NEXT_HOP_ID, .value.oid = cpu},
	};
	sai_object_key_t keys[8];
	uint32_t n = 8;

	for (int i = 0; i < 4 && !warm; i++)
		WANT(created, route->create_route_entry(&all[i], i < 2 ? 1 : 2, i < 2 ? &drop : local));
	for (int i = 0; i < 4; i++) {
		sai_attribute_t is[] = {{.id = SAI_ROUTE_ENTRY_ATTR_PACKET_ACTION}, {.id = SAI_ROUTE_ENTRY_ATTR_NEXT_HOP_ID},
			{.id = SAI_ROUTE_ENTRY_ATTR_IP_ADDR_FAMILY}};

		MUST(route->get_route_entry_attribute(&all[i], 3, is));
		want(is[0].value.s32 == (i >= 2) && is[1].value.oid == (i < 2 ? 0 : cpu) && is[2].value.s32 == (i > 0) ? 0 : 1, 0,
			"a route reads as it was created");
	}
	MUST(sai_get_object_key(switch_id, SAI_OBJECT_TYPE_ROUTE_ENTRY, &n, keys));
	want((sai_status_t)n, 4, "routes");
	for (uint32_t i = 0; i < n && i < 4; i++)
		want(memcmp(&keys[i].key.route_entry, &all[i], sizeof all[i]) ? 1 : 0, 0, "a route is listed as it was created");
	drop.value.s32 = SAI_PACKET_ACTION_FORWARD;
	MUST(route->set_route_entry_attribute(&all[0], &drop));
	drop.value.s32 = SAI_PACKET_ACTION_DROP;
	MUST(route->set_route_entry_attribute(&all[0], &drop));
}

/* routes_that_are_none are refused. */
static void routes_that_are_none(void)
{
	sai_route_entry_t e = entry(SAI_IP_ADDR_FAMILY_IPV4, "10.1.0.0", 16);
	sai_attribute_t a = {.id = SAI_ROUTE_ENTRY_ATTR_NEXT_HOP_ID, .value.oid = ports[0]};

	WANT(SAI_STATUS_ITEM_NOT_FOUND, route->remove_route_entry(&e));
	WANT(SAI_STATUS_INVALID_ATTR_VALUE_0, route->create_route_entry(&e, 1, &a));
	MUST(route->create_route_entry(&e, 0, NULL));
	e.destination.addr.ip6[3] = 77; /* below the mask */
	WANT(SAI_STATUS_ITEM_ALREADY_EXISTS, route->create_route_entry(&e, 0, NULL));
	MUST(route->remove_route_entry(&e));
	WANT(SAI_STATUS_ITEM_NOT_FOUND, route->get_route_entry_attribute(&e, 1, &a));
	e.destination.mask.ip6[3] = 1;
	WANT(SAI_STATUS_INVALID_PARAMETER, route->create_route_entry(&e, 0, NULL));
	e.destination.addr_family = 7;
	WANT(SAI_STATUS_INVALID_PARAMETER, route->create_route_entry(&e, 0, NULL));
	e = entry(SAI_IP_ADDR_FAMILY_IPV4, "10.1.0.0", 16);
	e.vr_id = cpu;
	WANT(SAI_STATUS_INVALID_OBJECT_ID, route->create_route_entry(&e, 0, NULL));
	e.switch_id = cpu;
	WANT(SAI_STATUS_INVALID_OBJECT_ID, route->create_route_entry(&e, 0, NULL));
	WANT(SAI_STATUS_INVALID_PARAMETER, route->create_route_entry(NULL, 0, NULL));
}

static void traps(void)
{
	sai_object_id_t group = get_of_switch(SAI_SWITCH_ATTR_DEFAULT_TRAP_GROUP).value.oid, oid;
	sai_attribute_t table[] = {
		{.id = SAI_HOSTIF_TABLE_ENTRY_ATTR_TYPE, .value.s32 = SAI_HOSTIF_TABLE_ENTRY_TYPE_WILDCARD},
		{.id = SAI_HOSTIF_TABLE_ENTRY_ATTR_CHANNEL_TYPE, .value.s32 = SAI_HOSTIF_TABLE_ENTRY_CHANNEL_TYPE_NETDEV_PHYSICAL_PORT},
	};
	sai_attribute_t trap[] = {
		{.id = SAI_HOSTIF_TRAP_ATTR_TRAP_TYPE, .value.s32 = 0x6001 /* TTL_ERROR */},
		{.id = SAI_HOSTIF_TRAP_ATTR_PACKET_ACTION, .value.s32 = SAI_PACKET_ACTION_TRAP},
		{.id = SAI_HOSTIF_TRAP_ATTR_TRAP_GROUP, .value.oid = group},
		{.id = SAI_HOSTIF_TRAP_ATTR_TRAP_PRIORITY, .value.u32 = 1},
	};
	sai_attribute_t priorities[] = {
		{.id = SAI_SWITCH_ATTR_ACL_ENTRY_MINIMUM_PRIORITY}, {.id = SAI_SWITCH_ATTR_ACL_ENTRY_MAXIMUM_PRIORITY},
	};

	if (!warm) {
		WANT(created, hostif->create_hostif_table_entry(&oid, switch_id, 2, table));
		WANT(created, hostif->create_hostif_trap(&oid, switch_id, 4, trap));
	}
	MUST(sw->get_switch_attribute(switch_id, 2, priorities));
	WANT(SAI_STATUS_NOT_SUPPORTED, hostif->remove_hostif_trap_group(group));
}

/* queues_of reads the queues of a port, as many as it says that it has. */
static void queues_of(sai_object_id_t port_id, uint32_t n)
{
	sai_object_id_t list[PORTS];
	sai_attribute_t all = {.id = SAI_PORT_ATTR_QOS_QUEUE_LIST, .value.objlist = {PORTS, list}};
	sai_attribute_t of[] = {{.id = SAI_QUEUE_ATTR_TYPE}, {.id = SAI_QUEUE_ATTR_PORT}, {.id = SAI_QUEUE_ATTR_INDEX}};

	MUST(port->get_port_attribute(port_id, 1, &all));
	want((sai_status_t)all.value.objlist.count, (sai_status_t)n, "queues of a port");
	for (uint32_t i = 0; i < all.value.objlist.count; i++) {
		MUST(queue->get_queue_attribute(list[i], 3, of));
		want(of[0].value.s32 || of[1].value.oid != port_id || of[2].value.u8 != i, 0, "a queue");
		want((sai_status_t)sai_object_type_query(list[i]), SAI_OBJECT_TYPE_QUEUE, "the type of a queue");
	}
}

/* rows carries out what the rows of the ports ask for. */
static void rows(void)
{
	sai_attribute_t attrs[PORTS][4], *lists[PORTS], one;
	sai_object_id_t empty[1], oid;
	sai_status_t statuses[PORTS];
	uint32_t n[PORTS];

	for (uint32_t i = 0; i < n_ports; i++) {
		attrs[i][0].id = SAI_PORT_ATTR_NUMBER_OF_INGRESS_PRIORITY_GROUPS;
		attrs[i][1].id = SAI_PORT_ATTR_QOS_NUMBER_OF_SCHEDULER_GROUPS;
		attrs[i][2].id = SAI_PORT_ATTR_QOS_NUMBER_OF_QUEUES;
		attrs[i][3] = (sai_attribute_t){.id = SAI_PORT_ATTR_QOS_SCHEDULER_GROUP_LIST, .value.objlist = {1, empty}};
		lists[i] = attrs[i];
		n[i] = 4;
	}
	MUST(port->get_ports_attribute(n_ports, ports, n, lists, SAI_BULK_OP_ERROR_MODE_IGNORE_ERROR, statuses));
	for (uint32_t i = 0; i < n_ports; i++) {
		char name[32];
		sai_attribute_t host[] = {
			{.id = SAI_HOSTIF_ATTR_TYPE, .value.s32 = SAI_HOSTIF_TYPE_NETDEV}, {.id = SAI_HOSTIF_ATTR_OBJ_ID, .value.oid = ports[i]},
			{.id = SAI_HOSTIF_ATTR_NAME}, {.id = SAI_HOSTIF_ATTR_OPER_STATUS},
		};

		queues_of(ports[i], attrs[i][2].value.u32);
		want(statuses[i] || attrs[i][0].value.u32 || attrs[i][1].value.u32 || !attrs[i][2].value.u32, 0, "bulk get");
		for (sai_attr_id_t id = SAI_PORT_ATTR_SPEED; id <= SAI_PORT_ATTR_MTU; id++) {
			if (id != SAI_PORT_ATTR_SPEED && id != SAI_PORT_ATTR_ADMIN_STATE && id != SAI_PORT_ATTR_MTU)
				continue;
			one = (sai_attribute_t){.id = id};
			MUST(port->get_port_attribute(ports[i], 1, &one));
			MUST(port->set_port_attribute(ports[i], &one)); /* its own value */
		}
		one = (sai_attribute_t){.id = 0x21 /* AUTO_NEG_MODE */};
		WANT(NOT_BUILT, port->get_port_attribute(ports[i], 1, &one));
		snprintf(name, sizeof name, "Ethernet%u", i * 4);
		strncpy(host[2].value.chardata, name, sizeof host[2].value.chardata);
		if (warm)
			continue;
		WANT(created, hostif->create_hostif(&oid, switch_id, 4, host));
		if (created != SAI_STATUS_SUCCESS)
			continue;
		one = (sai_attribute_t){.id = SAI_HOSTIF_ATTR_OPER_STATUS, .value.booldata = true};
		MUST(hostif->set_hostif_attribute(oid, &one));
		one = (sai_attribute_t){.id = SAI_HOSTIF_ATTR_NAME};
		MUST(hostif->get_hostif_attribute(oid, 1, &one));
		want(strcmp(one.value.chardata, name), 0, "NAME");
	}
}

/* interfaces creates the loopback interface of the start, and one of a port, and removes them in the wrong order. */
static void interfaces(void)
{
	sai_object_id_t loopback, of_port;
	sai_route_entry_t e = entry(SAI_IP_ADDR_FAMILY_IPV4, "10.0.0.0", 24);
	sai_attribute_t a[] = {
		{.id = SAI_ROUTER_INTERFACE_ATTR_VIRTUAL_ROUTER_ID, .value.oid = router},
		{.id = SAI_ROUTER_INTERFACE_ATTR_TYPE, .value.s32 = SAI_ROUTER_INTERFACE_TYPE_LOOPBACK},
		{.id = SAI_ROUTER_INTERFACE_ATTR_MTU, .value.u32 = 9100}, {.id = SAI_ROUTER_INTERFACE_ATTR_PORT_ID},
	};
	sai_attribute_t hop = {.id = SAI_ROUTE_ENTRY_ATTR_NEXT_HOP_ID};

	if (warm)
		return;
	MUST(router_interface->create_router_interface(&loopback, switch_id, 3, a));
	MUST(router_interface->get_router_interface_attribute(loopback, 3, a));
	want(a[2].value.u32 == 9100 && a[0].value.oid == router ? 0 : 1, 0, "the loopback interface");
	a[1].value.s32 = SAI_ROUTER_INTERFACE_TYPE_PORT;
	WANT(SAI_STATUS_MANDATORY_ATTRIBUTE_MISSING, router_interface->create_router_interface(&of_port, switch_id, 3, a));
	a[3].value.oid = ports[0];
	MUST(router_interface->create_router_interface(&of_port, switch_id, 4, a));
	hop.value.oid = of_port;
	MUST(route->create_route_entry(&e, 1, &hop));
	WANT(SAI_STATUS_OBJECT_IN_USE, router_interface->remove_router_interface(of_port));
	MUST(route->remove_route_entry(&e));
	MUST(router_interface->remove_router_interface(of_port));
	WANT(SAI_STATUS_INVALID_OBJECT_ID, router_interface->remove_router_interface(of_port));
	WANT(SAI_STATUS_NOT_SUPPORTED, sw->remove_switch(router) == SAI_STATUS_INVALID_OBJECT_ID ? SAI_STATUS_NOT_SUPPORTED : 0);
}

int main(int argc, char **argv)
{
	static const sai_attr_id_t without[] = {0x3e, 0x45, 0x46, 0x13, 0xb7, 0x25, 0x26, 0xc, 0xd1, 0x30, 0xe3, 0x4c, 0x94, 0xaf};
	sai_attribute_t fdb = {.id = SAI_SWITCH_ATTR_FDB_EVENT_NOTIFY, .value.ptr = (void *)never};

	warm = argc > 1 && !strcmp(argv[1], "warm");
	if (argc > 1 && !strcmp(argv[1], "again"))
		created = SAI_STATUS_ITEM_ALREADY_EXISTS;
	MUST(sai_api_initialize(0, &services));
	MUST(sai_api_query(SAI_API_SWITCH, (void **)&sw));
	MUST(sai_api_query(SAI_API_PORT, (void **)&port));
	MUST(sai_api_query(SAI_API_QUEUE, (void **)&queue));
	MUST(sai_api_query(SAI_API_VLAN, (void **)&vlan));
	MUST(sai_api_query(SAI_API_BRIDGE, (void **)&bridge));
	MUST(sai_api_query(SAI_API_ROUTE, (void **)&route));
	MUST(sai_api_query(SAI_API_ROUTER_INTERFACE, (void **)&router_interface));
	MUST(sai_api_query(SAI_API_HOSTIF, (void **)&hostif));
	create_the_switch();
	default_objects();
	find_ports();
	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		asked(without[i]);
	want(get_of_switch(SAI_SWITCH_ATTR_QOS_MAX_NUMBER_OF_TRAFFIC_CLASSES).value.u8, 32, "traffic classes");
	interfaces();
	bridge_and_vlan();
	MUST(sw->set_switch_attribute(switch_id, &fdb));
	routes();
	if (!warm)
		routes_that_are_none();
	traps();
	rows();
	if (faults)
		return 1;
	printf("orchagent runs\n");
	fflush(stdout);
	pause(); /* until it is killed */
	return 0;
}
