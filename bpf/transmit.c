//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Sending without an skb: the kernel makes blank frames (BPF_PROG_RUN with
 * BPF_F_TEST_XDP_LIVE_FRAMES), runs steer.c with each of them, steer.c calls this
 * program, and the frame leaves by the device's ndo_xdp_xmit.
 *
 *   1. The sender writes frames to slots, then postings to the ring, then head.
 *   2. Each run takes the next posting, gives the blank frame its length (a frame
 *      longer than the longest blank one begins in the headroom), and copies the slot.
 *   3. When tail has reached head, no slot is read any more.
 *
 * A posting names the slots: those of this program, or those of another program that
 * shares ports and devices with this one. So one call sends the frames of several ports.
 *
 * Runs of one ring never overlap: there is one sender.
 */
#include "kernel.h"

#define RING 256	 /* postings: most frames of one call */
#define HEADER_LEN 14 /* a blank frame of just this length measures the time of a call */

/* From the lowest bit on: 16 bits slot, 16 bits port, 32 bits length in octets. */
typedef __u64 posting;

/* Head and tail in cache lines of their own: the sender writes one, runs the other. */
struct ring {
	__u64 head;
	__u64 pad0[7];
	__u64 tail;
	__u64 refused; /* postings that were taken and not sent */
	__u64 pad1[6];
	posting postings[RING];
};

/* Written by the loader before the program is verified: octets of a slot, and the
 * port's number in ports and devices. */
volatile const __u32 slot_size;
volatile const __u32 own_port;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct ring));
} ring SEC(".maps");

/* The loader says how many slots there are, and how long they are. As an inner map the
 * array may have any number of slots. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} slots SEC(".maps");

/* The slots of each port; of a port that shares nothing, its own are not needed here. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* the loader says how many ports share */
	__uint(key_size, 4);
	__uint(value_size, 4);
} ports SEC(".maps");

/* The interface that frames of a port leave by. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1); /* as of ports */
	__uint(key_size, 4);
	__uint(value_size, 4);
} devices SEC(".maps");

/* Gives the blank frame of have octets len octets. */
static __always_inline long resize(struct xdp_md *ctx, __u32 have, __u32 len)
{
	if (len > have)
		return bpf_xdp_adjust_head(ctx, (int)have - (int)len);
	if (len < have)
		return bpf_xdp_adjust_tail(ctx, (int)len - (int)have);
	return 0;
}

static __always_inline int refuse(volatile struct ring *r)
{
	r->refused++;
	return XDP_DROP;
}

SEC("xdp.frags")
int uelink_transmit(struct xdp_md *ctx)
{
	__u32 zero = 0, have = bpf_xdp_get_buff_len(ctx), port, slot;
	volatile struct ring *r = bpf_map_lookup_elem(&ring, &zero);
	const void *from;
	__u64 tail, next, size;
	void *of;

	if (!r || have == HEADER_LEN)
		return XDP_DROP;
	tail = r->tail;
	if (tail == r->head)
		return XDP_DROP;
	next = r->postings[tail % RING];
	r->tail = tail + 1;
	slot = next & 0xffff;
	port = next >> 16 & 0xffff;
	/* Linux 6.1 learns the least size from a comparison of 64 bits alone. */
	size = next >> 32;
	asm volatile("" : "+r"(size));
	if (port == own_port) {
		from = bpf_map_lookup_elem(&slots, &slot);
	} else {
		of = bpf_map_lookup_elem(&ports, &port);
		from = of ? bpf_map_lookup_elem(of, &slot) : 0;
	}
	if (!from || size < HEADER_LEN || size > slot_size || resize(ctx, have, size))
		return refuse(r);
	if (bpf_xdp_store_bytes(ctx, 0, from, size))
		return refuse(r);
	return bpf_redirect_map(&devices, port, XDP_DROP);
}

char __license[] SEC("license") = "Dual BSD/GPL";
