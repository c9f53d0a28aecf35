package station

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/wire"
)

// A burst, then a steady rate, and no debt of a quiet time beyond the burst.
func TestAllowance(t *testing.T) {
	const second = wire.Time(time.Second)
	var a allowance
	count := func(from, to, step wire.Time) (n int) {
		for now := from; now < to; now += step {
			if a.allow(now) {
				n++
			}
		}
		return n
	}
	if n := count(0, second, second/1000); n < eventBurst+eventRate-1 || n > eventBurst+eventRate {
		t.Errorf("%d events in the first second", n)
	}
	if n := count(second, 11*second, second/1000); n < 10*eventRate-1 || n > 10*eventRate+1 {
		t.Errorf("%d events in ten seconds", n)
	}
	if a.suppressed == 0 {
		t.Error("nothing was suppressed")
	}
	if n := count(wire.Never/2, wire.Never/2+1000, 1); n != eventBurst {
		t.Errorf("%d events at once after an eternity", n)
	}
}

// The first address of each family, by interface and address.
func TestAutomaticManagementAddresses(t *testing.T) {
	at := func(s string, ifindex uint32) address { return address{netip.MustParseAddr(s), ifindex} }
	got := automatic([]address{at("2001:db8::2", 9), at("10.0.0.9", 3), at("2001:db8::1", 9), at("10.0.0.1", 3),
		at("10.0.0.0", 4)})
	if s := fmt.Sprint(len(got), got[0], got[0].Interface, got[1], got[1].Interface); s != "2 10.0.0.1 3 2001:db8::1 9" {
		t.Error(s)
	}
	if got := automatic(nil); len(got) != 0 {
		t.Error(got)
	}
}

func TestStationDefaults(t *testing.T) {
	s := newStation(System{})
	if s.name == "" || s.description != kernel() || len(s.description) < 6 || s.description[:6] != "Linux " {
		t.Errorf("%q %q", s.name, s.description)
	}
	l := s.local(&Port{}, lldp.Interface{Name: "eth0", Alias: "uplink"})
	if l.Chassis.Subtype != lldp.ChassisIfName || l.Port.String() != "eth0" || l.PortDescription != "uplink" {
		t.Errorf("%+v", l)
	}
	if l := s.local(&Port{}, lldp.Interface{Name: "eth0"}); l.PortDescription != "eth0" {
		t.Errorf("%+v", l)
	}
}

func TestDenied(t *testing.T) {
	var e *Error
	if err := denied("open", unix.EPERM); !errors.As(err, &e) || e.ExitCode() != 3 || !errors.Is(err, unix.EPERM) {
		t.Error(err)
	}
	if err := denied("open", unix.ENOBUFS); errors.As(err, &e) || !errors.Is(err, unix.ENOBUFS) {
		t.Error(err)
	}
}

// The tap is there for one round of another agent, then again after a while.
func TestTapSchedule(t *testing.T) {
	const second = wire.Time(time.Second)
	x := tap{next: 5 * second, socket: nil}
	if x.run(0, 0); x.deadline() != 5*second {
		t.Error(x.deadline())
	}
	x.socket, x.until, x.next = &socket{fd: -1}, 45*second, 605*second
	if x.run(0, 44*second); x.socket == nil || x.deadline() != 45*second {
		t.Error("closed too early")
	}
	if x.run(0, 45*second); x.socket != nil || x.deadline() != 605*second {
		t.Error("not closed")
	}
}

// The DCBX TLVs of a neighbour are decoded, of both protocols, and one that cannot be read
// says why.
func TestDCBXTLVsOfANeighbor(t *testing.T) {
	octets := func(text string) []byte {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	list := dcbxTLVs([]lldp.Org{
		{OUI: lldp.OUI{0xDE, 0xAD, 0xBE}, Subtype: 2, Info: octets("020a00")},
		{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: octets("020a00000000000100000000" + "06060000c0000808")},
		{OUI: dcbxOUI, Subtype: dcbx.SubtypeCIN, Info: octets("020a00000000000500000004" + "06050000c00008")},
		{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: octets("020a00")},
		{OUI: dcbxOUI, Subtype: dcbx.SubtypeCIN, Info: octets("020a00")},
		{OUI: dcbxOUI, Subtype: 9, Info: octets("00")},
	})
	if len(list) != 4 {
		t.Fatalf("%d TLVs: %+v", len(list), list)
	}
	if m := list[0].Message; m == nil || m.Control.SeqNo != 1 || m.PFC.Config.Enable != 8 || m.Unknown == nil {
		t.Errorf("%+v", list[0])
	}
	if c := list[1].CIN; c == nil || c.Control.SeqNo != 5 || c.PFC.Config.Enable != 8 {
		t.Errorf("%+v", list[1])
	}
	for _, bad := range list[2:] {
		if bad.Message != nil || bad.CIN != nil || !strings.Contains(bad.Fault, "longer than what is left") {
			t.Errorf("%+v", bad)
		}
	}
}
