package netif

import (
	"testing"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
)

// The command is `ethtool -N` for a link, `ethtool -X` for an edge, and none where the NIC cannot steer.
func TestSteer(t *testing.T) {
	rules, table := ethtool.Steering{Rules: true}, ethtool.Steering{Table: true}
	for _, c := range []struct {
		can    ethtool.Steering
		queues []int
		own    []uint16
		want   string
	}{
		{rules, []int{1, 3}, []uint16{0x88B5, 0x88B6}, "ethtool -N eth1 flow-type ether proto 0x88b5 action 3 && " +
			"ethtool -N eth1 flow-type ether proto 0x88b6 action 3"},
		{table, []int{1, 3}, []uint16{0x88B5, 0x88B6}, ""},
		{table, []int{0, 1, 4}, nil, "ethtool -X eth1 weight 1 1 0 0 1"},
		{table, []int{1, 3}, nil, ""},
		{rules, []int{0, 1}, nil, ""},
		{ethtool.Steering{}, []int{1, 3}, []uint16{0x88B5}, ""},
	} {
		if got := Steer("eth1", c.can, attach.QueuesOf(c.queues), 3, c.own...); got != c.want {
			t.Errorf("%+v, queues %v, EtherTypes %#x: %q, want %q", c.can, c.queues, c.own, got, c.want)
		}
	}
}
