package bridge

import (
	"fmt"
	"testing"
)

const reservedText = "reserved address"

func TestReservedFilterDropsTheTable(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	for n := range 16 {
		l.want(fmt.Sprintf("%02X", n), l.send(0, host(1), [6]byte{1, 0x80, 0xC2, 0, 0, byte(n)}), reservedText)
	}
	l.want("beyond it", l.send(0, host(1), address(t, "01:80:c2:00:00:10")), "1")
	l.want("before it", l.send(0, host(1), address(t, "01:80:c1:ff:ff:ff")), "1")
	l.want("MVRP of customers", l.send(0, host(1), address(t, "01:80:c2:00:00:21")), "1")
	if got := l.PortCounters(0).RxDropReserved; got != 16 {
		t.Errorf("%d counted, want 16", got)
	}
}

func TestReservedForwardFloodsAllThatMayLeaveALink(t *testing.T) {
	s := plain()
	s.Reserved = ReservedForward
	l := newLab(t, s, PortSettings{}, PortSettings{})
	for n := range 16 {
		want := "1"
		if n == 0x1 || n == 0xE {
			want = reservedText
		}
		l.want(fmt.Sprintf("%02X", n), l.send(0, host(1), [6]byte{1, 0x80, 0xC2, 0, 0, byte(n)}), want)
	}
}

func TestMACControlAndLLDPNeverLeaveALink(t *testing.T) {
	customer, all := address(t, "01:80:c2:00:00:00"), address(t, "01:00:5e:00:00:01")
	for _, c := range []struct {
		name     string
		reserved Reserved
		da       [6]byte
		rest     string
		want     string
	}{
		{"PAUSE", ReservedForward, address(t, "01:80:c2:00:00:01"), "8808 0001", reservedText},
		{"PAUSE to a station", ReservedForward, host(2), "8808 0001", reservedText},
		{"PAUSE to a station, filter", ReservedFilter, host(2), "8808 0001", reservedText},
		{"PAUSE to a group", ReservedFilter, all, "8808 0001", reservedText},
		{"PAUSE behind a tag", ReservedForward, host(2), "8100 0001 8808", reservedText},
		{"LLDP to the nearest bridge", ReservedForward, address(t, "01:80:c2:00:00:0e"), "88CC", reservedText},
		{"LLDP to the customer's", ReservedForward, customer, "88CC", reservedText},
		{"LLDP behind a priority tag", ReservedForward, customer, "8100 E000 88CC", reservedText},
		{"LLDP to a station is data", ReservedForward, host(2), "88CC", "1"},
		{"LLDP to a station is data, filter", ReservedFilter, host(2), "88CC", "1"},
		{"LACP", ReservedForward, address(t, "01:80:c2:00:00:02"), "8809", "1"},
		{"LACP, filter", ReservedFilter, address(t, "01:80:c2:00:00:02"), "8809", reservedText},
		{"STP", ReservedForward, customer, "0026 4242", "1"},
		{"half a tag", ReservedForward, customer, "8100", "1"},
	} {
		s := plain()
		s.Reserved = c.reserved
		l := newLab(t, s, PortSettings{}, PortSettings{})
		l.want(c.name, l.sendRest(0, host(1), c.da, c.rest), c.want)
		if at := l.at(Address{MAC: host(1)}); (at == 0) != (c.want == "1") {
			t.Errorf("%s: its source is at port %d", c.name, at)
		}
	}
}
