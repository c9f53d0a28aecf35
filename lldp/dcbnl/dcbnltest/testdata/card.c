/* SPDX-License-Identifier: Apache-2.0
 * A NIC with DCB for programs that are started with this library in LD_PRELOAD: it answers their DCBNL messages about
 * interfaces whose names begin with DCBNL_IF, and the kernel sees none of them. All processes share the NIC's state,
 * the file DCBNL_STATE. DCBNL_LOG gets a line for every attribute that is set: the command and the attributes around
 * it, with dots between, and the octets. `20.13.1 00..` is ETS within DCB_ATTR_IEEE of IEEE_SET.
 * DCBNL_MODE is the DCBX mode at the start, by default 9: the host, in its IEEE version.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENTRIES 64
#define TYPE 0x3fff /* the bits of an attribute's type that are no flags */

struct card {
	bool ready;
	unsigned char mode;
	unsigned char octet[256]; /* settings of the CEE form, by command */
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct dcb_app app[ENTRIES];
	int entries;
};

static struct card *nic(void)
{
	static struct card *shared;
	const char *file = getenv("DCBNL_STATE"), *mode = getenv("DCBNL_MODE");
	int fd;

	if (shared)
		return shared;
	fd = file ? open(file, O_RDWR | O_CREAT, 0666) : -1;
	if (fd >= 0 && ftruncate(fd, sizeof *shared) == 0)
		shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (!shared || shared == MAP_FAILED)
		shared = calloc(1, sizeof *shared);
	if (!shared->ready) {
		shared->ready = true;
		shared->mode = mode ? atoi(mode) : DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
		shared->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
		shared->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	}
	return shared;
}

/* answers holds what the program has not read yet, in order; fd is the socket that asked. */
static struct answer {
	int fd;
	union {
		struct nlmsghdr header;
		unsigned char octets[4096];
	};
} answers[64];
static int waiting;

static struct rtattr *put(struct nlmsghdr *n, int type, const void *value, size_t len)
{
	struct rtattr *a = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(a), value, len);
	n->nlmsg_len = NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

static void put_octet(struct nlmsghdr *n, int type, unsigned char value) { put(n, type, &value, 1); }

static void end_nest(struct nlmsghdr *n, struct rtattr *nest) { nest->rta_len = (char *)n + n->nlmsg_len - (char *)nest; }

/* log_attributes writes a line for each attribute without attributes within it; path is where it is. */
static void log_attributes(FILE *f, const char *path, struct rtattr *a, int len)
{
	char name[256];

	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		int type = a->rta_type & TYPE, n = RTA_PAYLOAD(a);
		const unsigned char *value = RTA_DATA(a);

		snprintf(name, sizeof name, "%s.%d", path, type);
		if (!strcmp(strchr(name, '.'), ".13") || !strcmp(strchr(name, '.'), ".13.3")) {
			log_attributes(f, name, RTA_DATA(a), n);
			continue;
		}
		fprintf(f, "%s ", name);
		while (n-- > 0)
			fprintf(f, "%02x", *value++);
		fprintf(f, "\n");
	}
}

static void log_message(const struct nlmsghdr *n, int cmd, struct rtattr *a, int len)
{
	const char *name = getenv("DCBNL_LOG");
	FILE *f = name && n->nlmsg_type == RTM_SETDCB ? fopen(name, "a") : NULL;
	char path[8];

	if (!f)
		return;
	snprintf(path, sizeof path, "%d", cmd);
	log_attributes(f, path, a, len);
	fclose(f);
}

static void set_entries(struct card *c, struct rtattr *a, int len, bool remove)
{
	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		struct dcb_app e;
		int i = 0;

		memcpy(&e, RTA_DATA(a), sizeof e);
		while (i < c->entries && memcmp(&c->app[i], &e, sizeof e))
			i++;
		if (remove && i < c->entries)
			c->app[i] = c->app[--c->entries];
		else if (!remove && i == c->entries && i < ENTRIES)
			c->app[c->entries++] = e;
	}
}

static void set_ieee(struct card *c, struct rtattr *a, int len, bool remove)
{
	unsigned char tcs = c->ets.ets_cap, cap = c->pfc.pfc_cap;

	for (; RTA_OK(a, len); a = RTA_NEXT(a, len))
		switch (a->rta_type & TYPE) {
		case DCB_ATTR_IEEE_ETS:
			memcpy(&c->ets, RTA_DATA(a), sizeof c->ets);
			c->ets.ets_cap = tcs;
			break;
		case DCB_ATTR_IEEE_PFC:
			memcpy(&c->pfc, RTA_DATA(a), sizeof c->pfc);
			c->pfc.pfc_cap = cap;
			break;
		case DCB_ATTR_IEEE_APP_TABLE:
			set_entries(c, RTA_DATA(a), RTA_PAYLOAD(a), remove);
		}
}

static void put_ieee(struct nlmsghdr *n, const struct card *c, const char *ifname)
{
	struct rtattr *nest, *table;

	put(n, DCB_ATTR_IFNAME, ifname, strlen(ifname) + 1);
	nest = put(n, DCB_ATTR_IEEE, NULL, 0);
	put(n, DCB_ATTR_IEEE_ETS, &c->ets, sizeof c->ets);
	put(n, DCB_ATTR_IEEE_PFC, &c->pfc, sizeof c->pfc);
	table = put(n, DCB_ATTR_IEEE_APP_TABLE, NULL, 0);
	for (int i = 0; i < c->entries; i++)
		put(n, DCB_ATTR_IEEE_APP, &c->app[i], sizeof c->app[i]);
	end_nest(n, table);
	end_nest(n, nest);
	put_octet(n, DCB_ATTR_DCBX, c->mode);
}

static void put_capabilities(struct nlmsghdr *n, const struct card *c)
{
	struct rtattr *nest = put(n, DCB_ATTR_CAP, NULL, 0);

	put_octet(n, DCB_CAP_ATTR_PG, 1);
	put_octet(n, DCB_CAP_ATTR_PFC, 1);
	put_octet(n, DCB_CAP_ATTR_UP2TC, 1);
	put_octet(n, DCB_CAP_ATTR_PG_TCS, 0x80); /* eight */
	put_octet(n, DCB_CAP_ATTR_PFC_TCS, 0x80);
	put_octet(n, DCB_CAP_ATTR_GSP, 1);
	put_octet(n, DCB_CAP_ATTR_BCN, 0);
	put_octet(n, DCB_CAP_ATTR_DCBX, c->mode);
	end_nest(n, nest);
}

/* reply appends the answer to a command; type and octet are of the last attribute of the question. */
static void reply(struct nlmsghdr *n, struct card *c, const struct nlmsghdr *question, const char *ifname,
		  struct rtattr *last)
{
	int cmd = ((struct dcbmsg *)NLMSG_DATA(n))->cmd, type = last ? last->rta_type & TYPE : 0;
	unsigned char octet = last ? *(unsigned char *)RTA_DATA(last) : 0, address[32];
	struct rtattr *nest;

	switch (cmd) {
	case DCB_CMD_GDCBX:
		put_octet(n, DCB_ATTR_DCBX, c->mode);
		break;
	case DCB_CMD_SDCBX:
		c->mode = octet;
		put_octet(n, DCB_ATTR_DCBX, 0);
		break;
	case DCB_CMD_IEEE_GET:
		put_ieee(n, c, ifname);
		break;
	case DCB_CMD_IEEE_SET:
	case DCB_CMD_IEEE_DEL:
		if (type == DCB_ATTR_IEEE)
			set_ieee(c, RTA_DATA(last), RTA_PAYLOAD(last), cmd == DCB_CMD_IEEE_DEL);
		put_octet(n, DCB_ATTR_IEEE, 0);
		break;
	case DCB_CMD_GCAP:
		put_capabilities(n, c);
		break;
	case DCB_CMD_GNUMTCS:
		nest = put(n, DCB_ATTR_NUMTCS, NULL, 0);
		put_octet(n, DCB_NUMTCS_ATTR_PG, IEEE_8021QAZ_MAX_TCS);
		put_octet(n, DCB_NUMTCS_ATTR_PFC, IEEE_8021QAZ_MAX_TCS);
		end_nest(n, nest);
		break;
	case DCB_CMD_GPERM_HWADDR:
		memset(address, 0xff, sizeof address);
		put(n, DCB_ATTR_PERM_HWADDR, address, sizeof address);
		break;
	case DCB_CMD_GSTATE:
		put_octet(n, DCB_ATTR_STATE, c->octet[DCB_CMD_SSTATE]);
		break;
	case DCB_CMD_PFC_GSTATE:
		put_octet(n, DCB_ATTR_PFC_STATE, c->octet[DCB_CMD_PFC_SSTATE]);
		break;
	case DCB_CMD_SET_ALL:
		put_octet(n, DCB_ATTR_SET_ALL, 1); /* nothing had to change */
		break;
	default:
		if (question->nlmsg_type == RTM_SETDCB) {
			c->octet[cmd] = octet;
			put_octet(n, type, 0);
			break;
		}
		n->nlmsg_type = NLMSG_ERROR;
		*(struct nlmsgerr *)NLMSG_DATA(n) = (struct nlmsgerr){.error = -EOPNOTSUPP, .msg = *question};
		n->nlmsg_len = NLMSG_LENGTH(sizeof(struct nlmsgerr));
	}
}

/* handle answers a DCBNL message about one of our interfaces, and reports whether the message is such. */
static bool handle(int fd, const void *octets, size_t len)
{
	const char *prefix = getenv("DCBNL_IF"), *ifname = "";
	const struct nlmsghdr *n = octets;
	struct rtattr *all, *a, *last = NULL;
	struct nlmsghdr *answer;
	struct dcbmsg *m;
	int rest;

	if (len < NLMSG_LENGTH(sizeof *m) || (n->nlmsg_type != RTM_GETDCB && n->nlmsg_type != RTM_SETDCB))
		return false;
	m = NLMSG_DATA(n);
	all = (void *)((char *)m + NLMSG_ALIGN(sizeof *m));
	rest = n->nlmsg_len - NLMSG_LENGTH(sizeof *m);
	for (a = all; RTA_OK(a, rest); a = RTA_NEXT(a, rest)) {
		if ((a->rta_type & TYPE) == DCB_ATTR_IFNAME)
			ifname = RTA_DATA(a);
		else
			last = a;
	}
	if (!prefix || strncmp(ifname, prefix, strlen(prefix)) || waiting == sizeof answers / sizeof *answers)
		return false;
	log_message(n, m->cmd, all, n->nlmsg_len - NLMSG_LENGTH(sizeof *m));
	memset(&answers[waiting], 0, sizeof *answers);
	answers[waiting].fd = fd;
	answer = &answers[waiting].header;
	*answer = (struct nlmsghdr){.nlmsg_type = n->nlmsg_type, .nlmsg_seq = n->nlmsg_seq, .nlmsg_pid = n->nlmsg_pid,
				    .nlmsg_len = NLMSG_LENGTH(sizeof *m)};
	*(struct dcbmsg *)NLMSG_DATA(answer) = (struct dcbmsg){.cmd = m->cmd, .dcb_family = m->dcb_family};
	waiting++;
	reply(answer, nic(), n, ifname, last);
	return true;
}

static void drop(int i)
{
	waiting--;
	memmove(&answers[i], &answers[i + 1], (waiting - i) * sizeof *answers);
}

/* take copies the next answer for a socket, and returns its length, -1 if there is none. */
static ssize_t take(int fd, void *to, size_t size, bool peek)
{
	for (int i = 0; i < waiting; i++)
		if (answers[i].fd == fd) {
			ssize_t len = answers[i].header.nlmsg_len;

			if (to)
				memcpy(to, answers[i].octets, (size_t)len < size ? (size_t)len : size);
			if (!peek)
				drop(i);
			return len;
		}
	return -1;
}

#define NEXT(f) __typeof__(&f) next = (__typeof__(&f))dlsym(RTLD_NEXT, #f)

int close(int fd)
{
	NEXT(close);
	for (int i = waiting - 1; i >= 0; i--)
		if (answers[i].fd == fd)
			drop(i);
	return next(fd);
}

ssize_t sendto(int fd, const void *octets, size_t len, int flags, const struct sockaddr *to, socklen_t size)
{
	NEXT(sendto);
	if (to && to->sa_family == AF_NETLINK && handle(fd, octets, len))
		return len;
	return next(fd, octets, len, flags, to, size);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	const struct sockaddr *to = m->msg_name;

	NEXT(sendmsg);
	if (to && to->sa_family == AF_NETLINK && m->msg_iovlen == 1 && handle(fd, m->msg_iov->iov_base, m->msg_iov->iov_len))
		return m->msg_iov->iov_len;
	return next(fd, m, flags);
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
	ssize_t len = take(fd, to, size, flags & MSG_PEEK);

	NEXT(recv);
	return len >= 0 ? len : next(fd, to, size, flags);
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t len = take(fd, m->msg_iovlen ? m->msg_iov->iov_base : NULL, m->msg_iovlen ? m->msg_iov->iov_len : 0,
			   flags & MSG_PEEK);
	struct sockaddr_nl *from = m->msg_name;

	NEXT(recvmsg);
	if (len < 0)
		return next(fd, m, flags);
	m->msg_flags = 0;
	m->msg_controllen = 0;
	if (from && m->msg_namelen >= sizeof *from) {
		*from = (struct sockaddr_nl){.nl_family = AF_NETLINK};
		m->msg_namelen = sizeof *from;
	}
	return len;
}
