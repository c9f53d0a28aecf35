//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The programs of a cable. Each interface has maps and programs of its own: a
 * set of programs is one direction.
 *
 *   uelink_cable     the wire itself, in XDP: loses some frames, damages some,
 *                    redirects the rest to the other interface. Decides as
 *                    package fault's Model does, draw for draw. While the other
 *                    interface takes no XDP frames (direct is 0), it passes
 *                    everything on to uelink_cable_skb.
 *   uelink_cable_skb the same wire behind it, at TCX or clsact, where a frame is
 *                    an skb that keeps its unfinished checksum and its VLAN tag.
 *   uelink_entry     is the filter of clsact, and calls uelink_cable_skb. A
 *                    filter stays when its process is killed; the array of
 *                    programs is empty then, and the filter does nothing.
 *   uelink_to_user   hands every frame to the AF_XDP socket of its queue: the
 *                    wire is a process.
 */
#include "../../bpf/kernel.h"

/* The members of the kernel's struct that are used here, at their places. */
struct __sk_buff {
	__u32 len;
	__u32 others[40];
	__u32 gso_segs;
};

static long (*const bpf_skb_store_bytes)(struct __sk_buff *skb, __u32 at, const void *from, __u32 len, __u64 flags) =
	(void *)9;
static long (*const bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)23;
static long (*const bpf_skb_load_bytes)(const void *skb, __u32 at, void *to, __u32 len) = (void *)26;
static long (*const bpf_xdp_load_bytes)(struct xdp_md *ctx, __u32 offset, void *buf, __u32 len) = (void *)189;

#define MAX_FLIPS 3

/* Results of a program at TCX and clsact. */
#define TC_NEXT (-1)
#define TC_DROP 2

/* Probabilities in units of 2^-63, written by the loader. */
struct settings {
	__u64 enter; /* a burst of losses; with leave = 1 - enter there are none */
	__u64 leave;
	__u64 corrupt;
	__u32 other; /* the interface where skbs leave; 0: they stay on this interface */
};

volatile const struct settings settings;

/* Whether frames leave by XDP redirect, written while frames flow. */
volatile __u32 direct;

/* What each CPU knows of this direction. */
struct wire {
	__u64 random; /* state of SplitMix64 */
	__u64 in_burst;
	__u64 redirected; /* XDP frames handed to the other interface */
	__u64 switched;	  /* frames of skbs that went on */
	__u64 dropped;
	__u64 corrupted;
	__u64 octets;	    /* of frames that went on */
	__u64 super;	    /* skbs of several frames that went on */
	__u64 super_lost;   /* skbs of several frames that were dropped, */
	__u64 super_frames; /* and the frames in these */
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
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} entry SEC(".maps");

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

/* Draws whether the next frame is lost. */
static __always_inline int lost(struct wire *w)
{
	w->in_burst = w->in_burst ? !happens(w, settings.leave) : happens(w, settings.enter);
	return w->in_burst;
}

/* Draws the places of one to three different bits of a frame of size bits, and
 * returns their number. */
static __always_inline __u32 bits(struct wire *w, __u32 size, __u32 at[MAX_FLIPS])
{
	__u32 n = 1 + below(w, MAX_FLIPS);

	at[0] = below(w, size);
	if (n < 2)
		return n;
	at[1] = below(w, size);
	if (at[1] == at[0])
		at[1] = (at[1] + 1) % size;
	if (n < 3)
		return n;
	at[2] = below(w, size);
	if (at[2] == at[0] || at[2] == at[1])
		at[2] = (at[2] + 1) % size;
	if (at[2] == at[0] || at[2] == at[1])
		at[2] = (at[2] + 1) % size;
	return n;
}

static __always_inline void flip(struct xdp_md *ctx, __u32 bit)
{
	__u8 octet;

	if (bpf_xdp_load_bytes(ctx, bit / 8, &octet, 1))
		return;
	octet ^= 1 << bit % 8;
	bpf_xdp_store_bytes(ctx, bit / 8, &octet, 1);
}

static __always_inline void flip_skb(struct __sk_buff *skb, __u32 bit)
{
	__u8 octet;

	if (bpf_skb_load_bytes(skb, bit / 8, &octet, 1))
		return;
	octet ^= 1 << bit % 8;
	bpf_skb_store_bytes(skb, bit / 8, &octet, 1, 0);
}

SEC("xdp.frags")
int uelink_cable(struct xdp_md *ctx)
{
	const __u32 here = 0;
	struct wire *w = bpf_map_lookup_elem(&wires, &here);
	__u32 at[MAX_FLIPS], size, n;

	if (!w) /* cannot be: the verifier asks */
		return XDP_DROP;
	if (!direct)
		return XDP_PASS;
	if (lost(w)) {
		w->dropped++;
		return XDP_DROP;
	}
	size = bpf_xdp_get_buff_len(ctx);
	if (happens(w, settings.corrupt)) {
		w->corrupted++;
		n = bits(w, size * 8, at);
		flip(ctx, at[0]);
		if (n > 1)
			flip(ctx, at[1]);
		if (n > 2)
			flip(ctx, at[2]);
	}
	w->redirected++;
	w->octets += size;
	return bpf_redirect_map(&other_end, 0, XDP_DROP);
}

SEC("tc")
int uelink_cable_skb(struct __sk_buff *skb)
{
	const __u32 here = 0;
	struct wire *w = bpf_map_lookup_elem(&wires, &here);
	__u32 frames = skb->gso_segs, at[MAX_FLIPS], n;

	if (!w)
		return TC_DROP;
	if (!frames)
		frames = 1;
	if (lost(w)) {
		w->dropped += frames;
		if (frames > 1) {
			w->super_lost++;
			w->super_frames += frames;
		}
		return TC_DROP;
	}
	if (happens(w, settings.corrupt)) {
		w->corrupted++;
		n = bits(w, skb->len * 8, at);
		flip_skb(skb, at[0]);
		if (n > 1)
			flip_skb(skb, at[1]);
		if (n > 2)
			flip_skb(skb, at[2]);
	}
	w->switched += frames;
	w->super += frames > 1;
	w->octets += skb->len;
	return settings.other ? bpf_redirect(settings.other, 0) : TC_NEXT;
}

SEC("tc")
int uelink_entry(struct __sk_buff *skb)
{
	bpf_tail_call(skb, &entry, 0);
	return TC_NEXT;
}

SEC("xdp.frags")
int uelink_to_user(struct xdp_md *ctx)
{
	return bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_DROP);
}

char __license[] SEC("license") = "Dual BSD/GPL";
