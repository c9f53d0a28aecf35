package bridge

import (
	"reflect"
	"testing"
	"time"

	"uelink/wire"
)

func TestUnknownIsFloodedAndKnownIsNot(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	l.want("to a stranger", l.send(0, host(1), host(2)), "1 2")
	l.want("to one that was heard", l.send(1, host(2), host(1)), "0")
	l.want("and back", l.send(0, host(1), host(2)), "1")
	l.want("broadcast", l.send(0, host(1), everybody), "1 2")
	l.want("multicast", l.send(0, host(1), address(t, "01:00:5e:00:00:01")), "1 2")
}

func TestClasses(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	l.send(1, host(2), everybody)
	for da, want := range map[[6]byte]struct {
		class Class
		out   int
	}{
		host(2):                         {Unicast, 1},
		host(3):                         {Unknown, Flood},
		everybody:                       {Broadcast, Flood},
		address(t, "ff:ff:ff:ff:ff:fe"): {Multicast, Flood},
		address(t, "33:33:00:00:00:01"): {Multicast, Flood},
		{}:                              {Unknown, Flood},
	} {
		v := l.Decide(0, addressesOf(host(1), da), untagged(), 0)
		if v.Drop != NoReason || v.Class != want.class || v.Out != want.out || v.Tagged || v.VLAN != 0 {
			t.Errorf("to %s: %+v, want %+v", Address{MAC: da}, v, want)
		}
	}
}

func TestDestinationAtTheSamePort(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.want("to a station beside it", l.send(0, host(2), host(1)), "destination behind the same port")
	l.wantAt(host(2), 0, 0) // it is learned from all the same
}

func TestIsolatedPorts(t *testing.T) {
	isolated := PortSettings{Isolated: true}
	l := newLab(t, plain(), isolated, isolated, PortSettings{})
	l.want("broadcast of an isolated port", l.send(0, host(1), everybody), "2")
	l.want("broadcast of another", l.send(2, host(3), everybody), "0 1")
	l.want("from isolated to isolated", l.send(1, host(2), host(1)), "both ports isolated")
	l.want("from isolated to another", l.send(0, host(1), host(3)), "2")
	l.want("from another to isolated", l.send(2, host(3), host(1)), "0")
}

func TestPortThatIsNotThere(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	for _, in := range []int{2, 255, 256, -1, 1 << 40} {
		l.want("frame", l.send(in, host(1), everybody), "port not in the bridge")
	}
	v := Verdict{Out: Flood}
	for _, pair := range [][2]int{{0, 2}, {2, 0}, {0, 256}, {-1, 0}, {0, 0}} {
		if _, ok := l.Egress(pair[0], pair[1], &v); ok {
			t.Errorf("a frame goes from %d to %d", pair[0], pair[1])
		}
	}
	if got := l.Counters().RxDropPort; got != 5 {
		t.Errorf("%d frames counted, want 5", got)
	}
}

func TestSourceThatNobodyHas(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	for _, sa := range [][6]byte{{}, everybody, address(t, "01:00:5e:00:00:01"), address(t, "01:80:c2:00:00:0e")} {
		l.want("from "+Address{MAC: sa}.String(), l.send(0, sa, host(2)), "source address is a group or zero")
	}
	if n := len(l.Entries(0)); n != 0 {
		t.Errorf("%d addresses learned", n)
	}
}

// Decide has no side effect whatsoever.
func TestLookChangesNothing(t *testing.T) {
	l := newLab(t, filtering(), PortSettings{PVID: 1, Broadcast: 1}, PortSettings{PVID: 1, Tagged: []uint16{2}})
	l.send(0, host(1), everybody)
	l.send(1, host(2), everybody)
	before := *l.Bridge
	before.table.slots = append([]entry(nil), l.table.slots...)
	ports := [2]port{*l.ports[0], *l.ports[1]}
	for _, da := range [][6]byte{host(1), host(2), host(3), everybody, address(t, "01:80:c2:00:00:00")} {
		for _, rest := range []string{"0800", "8808", "8100 0002 0800", "8100 0000 0800", "8100 0FFF 0800", "8100"} {
			for _, now := range []wire.Time{0, second, 1000 * second} {
				l.Decide(0, addressesOf(host(9), da), octets(t, rest), now)
			}
		}
	}
	if !reflect.DeepEqual(before, *l.Bridge) || !reflect.DeepEqual(ports, [2]port{*l.ports[0], *l.ports[1]}) {
		t.Error("something has changed")
	}
}

func TestAgedAddressIsNotBelieved(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.now = wire.Time(300*time.Second) - 1
	l.want("before it has aged", l.send(1, host(2), host(1)), "0")
	l.now++
	l.want("after", l.send(1, host(2), host(1)), "0 2") // nobody has swept
	l.wantAt(host(1), 0, -1)
}
