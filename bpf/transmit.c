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
 * Runs of one ring never overlap: there is one sender.
 */
#include "kernel.h"

#define RING 256	 /* postings: most frames of one call */
#define HEADER_LEN 14 /* a blank frame of just this length measures the time of a call */

struct posting {
	__u32 slot;
	__u32 len; /* octets */
};

/* Head and tail in cache lines of their own: the sender writes one, runs the other. */
struct ring {
	__u64 head;
	__u64 pad0[7];
	__u64 tail;
	__u64 refused; /* postings that were taken and not sent */
	__u64 pad1[6];
	struct posting postings[RING];
};

/* Written by the loader before the program is verified: octets of a slot. */
volatile const __u32 slot_size;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct ring));
} ring SEC(".maps");

/* The loader says how many slots there are, and how long they are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} slots SEC(".maps");

/* The interface that frames leave by. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
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
	__u32 zero = 0, have = bpf_xdp_get_buff_len(ctx), slot, len;
	volatile struct ring *r = bpf_map_lookup_elem(&ring, &zero);
	const void *from;
	__u64 tail, size;

	if (!r || have == HEADER_LEN)
		return XDP_DROP;
	tail = r->tail;
	if (tail == r->head)
		return XDP_DROP;
	slot = r->postings[tail % RING].slot;
	len = r->postings[tail % RING].len;
	r->tail = tail + 1;
	from = bpf_map_lookup_elem(&slots, &slot);
	/* Linux 6.1 learns the least size from a comparison of 64 bits alone. */
	size = len;
	asm volatile("" : "+r"(size));
	if (!from || size < HEADER_LEN || size > slot_size || resize(ctx, have, len))
		return refuse(r);
	if (bpf_xdp_store_bytes(ctx, 0, from, size))
		return refuse(r);
	return bpf_redirect_map(&devices, 0, XDP_DROP);
}

char __license[] SEC("license") = "Dual BSD/GPL";
