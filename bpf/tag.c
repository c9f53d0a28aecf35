//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Sending a frame whose outer VLAN tag is beside the frame, as the kernel itself sends it. A veth compares the length
 * of a frame with the MTU of the receiving end and one tag. A tag beside the frame does not count: a full frame with
 * two tags passes.
 *
 *   1. BPF_PROG_RUN makes an skb of the sender's frame, with all tags inside.
 *   2. The outer tag is taken out of the frame, and put beside it. Of a second tag, which the kernel puts beside the
 *      frame meanwhile, nothing changes.
 *   3. A copy leaves by the interface. The kernel frees the skb after the run.
 */
#include "kernel.h"

#define TYPE 12	 /* of the outer tag, in the frame */
#define EINVAL 22
#define TAGGED 18 /* octets of a header with a tag */

/* The members of the kernel's struct that are used here, at their places. */
struct __sk_buff {
	__u32 others[19];
	__u32 data;
	__u32 data_end;
};

static long (*const bpf_clone_redirect)(struct __sk_buff *skb, __u32 ifindex, __u64 flags) = (void *)13;
static long (*const bpf_skb_vlan_push)(struct __sk_buff *skb, __u16 type, __u16 tag) = (void *)18;
static long (*const bpf_skb_vlan_pop)(struct __sk_buff *skb) = (void *)19;

/* Written by the loader before the program is verified. */
volatile const __u32 ifindex;

/* Returns 0 for a frame that the interface has taken, a number above 0 for a frame that
 * the interface has dropped and counted, and an error below 0 otherwise. */
SEC("tc")
int uelink_tag(struct __sk_buff *skb)
{
	const __u8 *frame = (const __u8 *)(long)skb->data;
	const __u8 *end = (const __u8 *)(long)skb->data_end;
	__u16 type, tag;

	if (frame + TAGGED > end)
		return -EINVAL;
	type = *(const __u16 *)(frame + TYPE); /* the kernel wants it as in the frame */
	tag = frame[TYPE + 2] << 8 | frame[TYPE + 3];
	if (bpf_skb_vlan_pop(skb) || bpf_skb_vlan_push(skb, type, tag))
		return -EINVAL;
	return bpf_clone_redirect(skb, ifindex, 0);
}

char __license[] SEC("license") = "Dual BSD/GPL";
