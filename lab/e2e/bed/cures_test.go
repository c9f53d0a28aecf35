package bed

import (
	"slices"
	"testing"
)

// The advice of a text is its keys and its commands, as a shell gets them, and no counter.
func TestAdviceOfATextOfTheProduct(t *testing.T) {
	values := map[string]string{"rx_ring_size": "8192", "ring_size": "2048",
		"max_outstanding_frames": "llr_profiles.e2e.max_outstanding_frames 32"}
	for text, want := range map[string][]string{
		"frames are dropped because no chunk is free (rx_dropped): raise rx_ring_size and ring_size, or give the daemon a " +
			"core": {"uelink config set ports.edge0.rx_ring_size 8192 && uelink config set ports.edge0.ring_size 2048 && " +
			"uelink reload"},
		"have the host wait (push_back: on, for an edge on a veth)": {"uelink config set ports.edge0.push_back on && " +
			"uelink reload"},
		"set push_back: on for the edge, or type at the host: tc qdisc replace dev eth0 root pfifo limit 10000": {
			"uelink config set ports.edge0.push_back on && uelink reload", "tc qdisc replace dev eth0 root pfifo limit 10000"},
		"(rx_too_long); type: ip link set dev edge0 mtu 3000; or type at the host: ip link set dev eth0 mtu 1500": {
			"ip link set dev edge0 mtu 3000", "ip link set dev eth0 mtu 1500"},
		"lower max_outstanding_frames of the partner's profile": {"uelink config set " +
			"llr_profiles.e2e.max_outstanding_frames 32 && uelink reload"},
		"add these RX queues to the key queues; type: ethtool -L edge0 rx 1": {"ethtool -L edge0 rx 1"},
	} {
		var got []string
		for _, c := range Advice(text) {
			got = append(got, c.Command(t, "edge0", values))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}
