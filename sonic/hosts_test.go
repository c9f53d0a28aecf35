package sonic

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// hosts makes a pass, and demands the changes of interfaces.
func (b *harness) hosts(want ...HostCall) {
	b.t.Helper()
	b.pass()
	list := b.m.Hosts()
	if len(want)+len(list) > 0 && !slices.Equal(want, list) {
		b.t.Errorf("%v, want %v", list, want)
	}
	for _, c := range list {
		b.m.HostDone(c, nil)
	}
	if again := b.m.Hosts(); len(again) > 0 {
		b.t.Errorf("again: %v", again)
	}
}

// TestHosts: a change of admin_status or mtu is carried out once, and again when the interface was absent.
func TestHosts(t *testing.T) {
	b := newHarness(t)
	b.hosts()
	b.set("PORT|Ethernet0", "admin_status", "down", "mtu", "9100")
	down := HostCall{Port: "Ethernet0", Interface: "eth0", Field: "admin_status"}
	long := HostCall{Port: "Ethernet0", Interface: "eth0", Field: "mtu", MTU: 9100}
	b.hosts(long, down)
	b.set("PORT|Ethernet0", "mtu", "nine")
	b.hosts()
	b.set("PORT|Ethernet0", "mtu", "9100", "admin_status", "up")
	up := down
	up.Up = true
	b.hosts(up)
	b.remove("PORT|Ethernet0")
	b.hosts()
	b.set("PORT|Ethernet0", "mtu", "9100")
	b.hosts(long)
	p := b.e.plane.Ports["link0"]
	p.OperStatus = "absent"
	b.e.plane.Ports["link0"] = p
	b.hosts()
	p.OperStatus = "up"
	b.e.plane.Ports["link0"] = p
	b.hosts(long)
}

// TestHostRefuses: what the kernel refuses is reported, and tried again.
func TestHostRefuses(t *testing.T) {
	b := newHarness(t)
	b.set("PORT|Ethernet0", "mtu", "9100")
	for i := range 2 {
		b.m.Pass(b.in, &b.e.plane)
		list := b.m.Hosts()
		if len(list) != 1 {
			t.Fatalf("pass %d: %v", i, list)
		}
		b.m.HostDone(list[0], errors.New("invalid argument"))
		if n := len(b.m.Problems()); i == 0 && n != 1 || i > 0 && n != 0 {
			t.Errorf("pass %d: %v", i, b.m.Problems())
		}
	}
}

// TestFlexCounters: counters are written once without a row, while disabled, and while delayed.
func TestFlexCounters(t *testing.T) {
	b := newHarness(t)
	for _, c := range []struct {
		fields []string
		want   time.Duration
	}{
		{nil, 0},
		{[]string{"FLEX_COUNTER_STATUS", "enable"}, 10 * time.Second},
		{[]string{"POLL_INTERVAL", "250"}, 250 * time.Millisecond},
		{[]string{"FLEX_COUNTER_DELAY_STATUS", "true"}, 0},
		{[]string{"FLEX_COUNTER_DELAY_STATUS", "false"}, 250 * time.Millisecond},
		{[]string{"FLEX_COUNTER_STATUS", "disable"}, 0},
	} {
		b.set("FLEX_COUNTER_TABLE|LLR", c.fields...)
		b.pass()
		if is := b.m.Interval(); is != c.want {
			t.Errorf("after %v every %v, want %v", c.fields, is, c.want)
		}
	}
	b.remove("FLEX_COUNTER_TABLE|LLR")
	b.complains("FLEX_COUNTER_TABLE|LLR", "counters are written once")
}

// TestCountersNeverGoBack: a daemon that starts again, or whose counters are cleared, counts on.
func TestCountersNeverGoBack(t *testing.T) {
	b := newHarness(t)
	b.pass()
	ports, ids := b.m.Counted()
	if len(ports) != 2 || len(ids) != 1 || ids[0] != 204 {
		t.Fatalf("%v, %v", ports, ids)
	}
	for _, c := range []struct {
		is   uint64
		want string
	}{{5, "5"}, {5, "5"}, {9, "9"}, {2, "11"}, {3, "12"}, {0, "12"}, {1, "13"}} {
		b.m.Count(link0.String(), []uint64{c.is})
		if is := b.m.Rows()[keyCounters(link0)]["SAI_PORT_STAT_LLR_TX_OK"]; is != c.want {
			t.Errorf("after %d it is %s, want %s", c.is, is, c.want)
		}
	}
}
