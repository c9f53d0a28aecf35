/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The few words of the kernel's BPF ABI that steer.c and transmit.c speak. They
 * are written here and not included from the system, so that the object comes out the same
 * to the octet whatever kernel headers are installed.
 */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;

#define SEC(name) __attribute__((section(name), used))
#define __always_inline inline __attribute__((always_inline))

/* Members of a map definition in section .maps: numbers and types are both
 * carried by types, which BTF keeps. */
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name

enum {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_DEVMAP = 14,
	BPF_MAP_TYPE_XSKMAP = 17,
};

#define BPF_F_MMAPABLE (1 << 10)
#define BPF_F_INNER_MAP (1 << 12)

enum xdp_action {
	XDP_ABORTED,
	XDP_DROP,
	XDP_PASS,
	XDP_TX,
	XDP_REDIRECT,
};

struct xdp_md {
	__u32 data;
	__u32 data_end;
	__u32 data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
	__u32 egress_ifindex;
};

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_tail_call)(void *ctx, void *programs, __u32 key) = (void *)12;
static long (*const bpf_xdp_adjust_head)(struct xdp_md *ctx, int by) = (void *)44;
static long (*const bpf_redirect_map)(void *map, __u64 key, __u64 flags) = (void *)51;
static long (*const bpf_xdp_adjust_tail)(struct xdp_md *ctx, int by) = (void *)65;
static __u64 (*const bpf_xdp_get_buff_len)(struct xdp_md *ctx) = (void *)188;
static long (*const bpf_xdp_store_bytes)(struct xdp_md *ctx, __u32 at, const void *from, __u32 len) = (void *)190;
