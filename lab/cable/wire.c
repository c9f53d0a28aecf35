//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The two programs of a cable. One is on each of its two interfaces, and each
 * interface has maps of its own: a program is one direction.
 *
 *   uelink_cable   the wire itself: loses some frames, damages some, redirects
 *                  the rest to the other interface. Decides as package fault's
 *                  Model does, draw for draw.
 *   uelink_to_user hands every frame to the AF_XDP socket of its queue: the
 *                  wire is a process.
 */
#include "../../bpf/kernel.h"

static long (*const bpf_xdp_load_bytes)(struct xdp_md *ctx, __u32 offset, void *buf, __u32 len) = (void *)189;

#define MAX_FLIPS 3

/* Probabilities in units of 2^-63, written by the loader. */
struct settings {
	__u64 enter; /* a burst of losses; with leave = 1 - enter there are none */
	__u64 leave;
	__u64 corrupt;
};

volatile const struct settings settings;

/* What each CPU knows of this direction. */
struct wire {
	__u64 random; /* state of SplitMix64 */
	__u64 in_burst;
	__u64 redirected;
	__u64 dropped;
	__u64 corrupted;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, struct wire);
	__uint(max_entries, 1);
} wires SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} other_end SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1); /* the loader says how many queues there are */
} sockets SEC(".maps");

static __always_inline __u64 draw(struct wire *w)
{
	__u64 z = w->random += 0x9E3779B97F4A7C15ULL;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
	return z ^ z >> 31;
}

static __always_inline int happens(struct wire *w, __u64 chance)
{
	return chance && draw(w) >> 1 < chance;
}

static __always_inline __u32 below(struct wire *w, __u32 n)
{
	return (draw(w) >> 32) * n >> 32;
}

static __always_inline void flip(struct xdp_md *ctx, __u32 bit)
{
	__u8 octet;

	if (bpf_xdp_load_bytes(ctx, bit / 8, &octet, 1))
		return;
	octet ^= 1 << bit % 8;
	bpf_xdp_store_bytes(ctx, bit / 8, &octet, 1);
}

/* One to three different bits of the frame, anywhere in it. */
static __always_inline void corrupt(struct xdp_md *ctx, struct wire *w)
{
	__u32 size = bpf_xdp_get_buff_len(ctx) * 8;
	__u32 n = 1 + below(w, MAX_FLIPS);
	__u32 first, second, third;

	first = below(w, size);
	flip(ctx, first);
	if (n < 2)
		return;
	second = below(w, size);
	if (second == first)
		second = (second + 1) % size;
	flip(ctx, second);
	if (n < 3)
		return;
	third = below(w, size);
	if (third == first || third == second)
		third = (third + 1) % size;
	if (third == first || third == second)
		third = (third + 1) % size;
	flip(ctx, third);
}

SEC("xdp.frags")
int uelink_cable(struct xdp_md *ctx)
{
	const __u32 here = 0;
	struct wire *w = bpf_map_lookup_elem(&wires, &here);

	if (!w) /* cannot be: the verifier asks */
		return XDP_DROP;
	w->in_burst = w->in_burst ? !happens(w, settings.leave) : happens(w, settings.enter);
	if (w->in_burst) {
		w->dropped++;
		return XDP_DROP;
	}
	if (happens(w, settings.corrupt)) {
		w->corrupted++;
		corrupt(ctx, w);
	}
	w->redirected++;
	return bpf_redirect_map(&other_end, 0, XDP_DROP);
}

SEC("xdp.frags")
int uelink_to_user(struct xdp_md *ctx)
{
	return bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_DROP);
}

char __license[] SEC("license") = "Dual BSD/GPL";
