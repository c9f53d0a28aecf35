/* SPDX-License-Identifier: Apache-2.0
 * What sai_api_initialize has set, whether this process has its switch, and the log.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define DEFAULT_SOCKET "/run/uelink/uelink.sock"

static struct {
	pthread_mutex_t mutex;
	char socket[108]; /* of a sockaddr_un */
	bool exact;
	char client[33];
} settings = {.mutex = PTHREAD_MUTEX_INITIALIZER, .socket = DEFAULT_SOCKET};

static atomic_bool initialized;
static atomic_bool has_switch; /* from create_switch to remove_switch */
static atomic_uint log_level = SAI_LOG_LEVEL_WARN;

bool ready(void) { return atomic_load(&initialized); }

/* attach begins the time of this process's switch; false if it has one. */
bool attach(void) { return !atomic_exchange(&has_switch, true); }

void detach(void) { atomic_store(&has_switch, false); }

/* attached refuses a call on an object before create_switch and after remove_switch. */
sai_status_t attached(void)
{
	if (!ready())
		return SAI_STATUS_UNINITIALIZED;
	return atomic_load(&has_switch) ? SAI_STATUS_SUCCESS : SAI_STATUS_INVALID_OBJECT_ID;
}

/* name_client draws the name by which the daemon knows this process while it lives. */
static void name_client(void)
{
	uint8_t octets[16];

	if (getrandom(octets, sizeof octets, 0) != (ssize_t)sizeof octets)
		memcpy(octets, &(struct timespec){time(NULL), getpid()}, sizeof octets);
	for (size_t i = 0; i < sizeof octets; i++)
		snprintf(settings.client + 2 * i, 3, "%02x", octets[i]);
}

const char *client_name(void) { return settings.client; }

bool exact_timers(void) { return settings.exact; }

const char *socket_path(void) { return settings.socket; }

void say(sai_log_level_t level, const char *format, ...)
{
	char text[512];
	va_list args;

	if (level < atomic_load(&log_level))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "libsai: %s\n", text);
}

void set_log_level(sai_log_level_t level) { atomic_store(&log_level, level); }

/* key_value returns the value of a key of the profile, else of the environment; NULL: it is in neither. */
static const char *key_value(const sai_service_method_table_t *services, const char *key)
{
	const char *value = services->profile_get_value ? services->profile_get_value(0, key) : NULL;

	return value ? value : getenv(key);
}

/* settings_begin reads the settings of a client, and draws its name. */
sai_status_t settings_begin(const sai_service_method_table_t *services)
{
	const char *path = key_value(services, "SAI_UELINK_SOCKET");
	const char *exact = key_value(services, "SAI_UELINK_EXACT_TIMERS");
	sai_status_t status = SAI_STATUS_SUCCESS;

	if (path && strlen(path) >= sizeof settings.socket)
		return SAI_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&settings.mutex);
	if (ready()) {
		status = SAI_STATUS_FAILURE;
	} else {
		snprintf(settings.socket, sizeof settings.socket, "%s", path ? path : DEFAULT_SOCKET);
		settings.exact = exact && !strcmp(exact, "1");
		name_client();
		atomic_store(&initialized, true);
	}
	pthread_mutex_unlock(&settings.mutex);
	return status;
}

/* settings_end ends the time of a client; false if there is none. */
bool settings_end(void) { return atomic_exchange(&initialized, false); }

/* settings_after_fork makes a child of a client begin again. */
void settings_after_fork(void)
{
	atomic_store(&initialized, false);
	detach();
	pthread_mutex_init(&settings.mutex, NULL);
}
