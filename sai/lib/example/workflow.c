/* The workflow of SAI's LLR on one port: a profile, the two modes, the status, the statistics.
 * usage: SAI_UELINK_SOCKET=/run/uelink/uelink.sock workflow LANE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sai.h"

#define MUST(call) must(call, #call)

static const char *no_profile_key(sai_switch_profile_id_t id, const char *key) { return NULL; }

static const sai_service_method_table_t services = {.profile_get_value = no_profile_key};

static void must(sai_status_t status, const char *call)
{
	if (status == SAI_STATUS_SUCCESS)
		return;
	printf("%s: status %d\n", call, status);
	exit(1);
}

/* find_port returns the port whose hardware lane is lane. */
static sai_object_id_t find_port(const sai_switch_api_t *sw, const sai_port_api_t *port, sai_object_id_t switch_id,
	uint32_t lane)
{
	sai_object_id_t ports[256];
	sai_attribute_t attr = {.id = SAI_SWITCH_ATTR_PORT_LIST, .value.objlist = {256, ports}};

	MUST(sw->get_switch_attribute(switch_id, 1, &attr));
	for (uint32_t i = 0, n = attr.value.objlist.count; i < n; i++) {
		uint32_t is = 0;
		sai_attribute_t lanes = {.id = SAI_PORT_ATTR_HW_LANE_LIST, .value.u32list = {1, &is}};

		MUST(port->get_port_attribute(ports[i], 1, &lanes));
		if (is == lane)
			return ports[i];
	}
	printf("no port has lane %u\n", lane);
	exit(1);
}

int main(int argc, char **argv)
{
	sai_switch_api_t *sw;
	sai_port_api_t *port;
	sai_object_id_t switch_id, port_id, profile_id;
	sai_attribute_t attrs[6];
	sai_attr_capability_t capability;

	MUST(sai_api_initialize(0, &services));
	MUST(sai_api_query(SAI_API_SWITCH, (void **)&sw));
	MUST(sai_api_query(SAI_API_PORT, (void **)&port));
	attrs[0].id = SAI_SWITCH_ATTR_INIT_SWITCH;
	attrs[0].value.booldata = true;
	MUST(sw->create_switch(&switch_id, 1, attrs));
	port_id = find_port(sw, port, switch_id, argc > 1 ? (uint32_t)atoi(argv[1]) : 0);

	/* The port can LLR. */
	MUST(sai_query_attribute_capability(switch_id, SAI_OBJECT_TYPE_PORT, SAI_PORT_ATTR_LLR_PROFILE, &capability));
	if (!capability.set_implemented || !capability.get_implemented)
		return 1;

	/* 1) Create an LLR profile. Times are nanoseconds. */
	attrs[0].id = SAI_PORT_LLR_PROFILE_ATTR_OUTSTANDING_FRAMES_MAX;
	attrs[0].value.u32 = 100;
	attrs[1].id = SAI_PORT_LLR_PROFILE_ATTR_OUTSTANDING_BYTES_MAX;
	attrs[1].value.u32 = 102400;
	attrs[2].id = SAI_PORT_LLR_PROFILE_ATTR_REPLAY_TIMER_MAX;
	attrs[2].value.u32 = 10000;
	attrs[3].id = SAI_PORT_LLR_PROFILE_ATTR_REPLAY_COUNT_MAX;
	attrs[3].value.u8 = 255;
	attrs[4].id = SAI_PORT_LLR_PROFILE_ATTR_PCS_LOST_TIMEOUT;
	attrs[4].value.u32 = 500;
	attrs[5].id = SAI_PORT_LLR_PROFILE_ATTR_DATA_AGE_TIMEOUT;
	attrs[5].value.u32 = 100000;
	MUST(port->create_port_llr_profile(&profile_id, switch_id, 6, attrs));

	/* 2) Enable LLR on the port. */
	attrs[0].id = SAI_PORT_ATTR_LLR_PROFILE;
	attrs[0].value.oid = profile_id;
	MUST(port->set_port_attribute(port_id, attrs));
	attrs[0].id = SAI_PORT_ATTR_LLR_MODE_LOCAL;
	attrs[0].value.booldata = true;
	MUST(port->set_port_attribute(port_id, attrs));
	attrs[0].id = SAI_PORT_ATTR_LLR_MODE_REMOTE;
	attrs[0].value.booldata = true;
	MUST(port->set_port_attribute(port_id, attrs));

	/* 3) The status, until LLR runs both ways. */
	attrs[0].id = SAI_PORT_ATTR_LLR_RX_STATUS;
	attrs[1].id = SAI_PORT_ATTR_LLR_TX_STATUS;
	do {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		MUST(port->get_port_attribute(port_id, 2, attrs));
	} while (attrs[0].value.s32 != SAI_PORT_LLR_RX_STATUS_SEND_ACKS ||
		attrs[1].value.s32 != SAI_PORT_LLR_TX_STATUS_ADVANCE);
	printf("LLR runs: tx status %d, rx status %d\n", attrs[1].value.s32, attrs[0].value.s32);
	fflush(stdout);
	getchar(); /* traffic */

	/* 4) The statistics that the port has. */
	static sai_stat_capability_t stats[SAI_PORT_STAT_END];
	sai_stat_capability_list_t list = {SAI_PORT_STAT_END, stats};
	sai_stat_id_t ids[SAI_PORT_STAT_LLR_RX_REPLAY - SAI_PORT_STAT_LLR_TX_INIT_CTL_OS + 1];
	uint64_t counters[sizeof ids / sizeof *ids];
	uint32_t n = 0;

	MUST(sai_query_stats_capability(switch_id, SAI_OBJECT_TYPE_PORT, &list));
	for (uint32_t i = 0; i < list.count; i++)
		if (stats[i].stat_enum >= SAI_PORT_STAT_LLR_TX_INIT_CTL_OS && stats[i].stat_enum <= SAI_PORT_STAT_LLR_RX_REPLAY &&
			stats[i].stat_modes & SAI_STATS_MODE_READ)
			ids[n++] = stats[i].stat_enum;
	MUST(port->get_port_stats(port_id, n, ids, counters));
	for (uint32_t i = 0; i < n; i++)
		printf("statistic %u: %llu\n", ids[i], (unsigned long long)counters[i]);

	MUST(sw->remove_switch(switch_id)); /* LLR goes on */
	MUST(sai_api_uninitialize());
	return 0;
}
