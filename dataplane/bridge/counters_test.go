package bridge

import (
	"encoding/json"
	"reflect"
	"regexp"
	"testing"
)

// Each reason and each class is counted once, under its own name.
func TestEveryFrameIsCounted(t *testing.T) {
	isolated := PortSettings{PVID: 1, Isolated: true, Tagged: vids(2), Broadcast: 1, Unknown: 1, Multicast: 1}
	l := newLab(t, filtering(), isolated, PortSettings{PVID: 1, Isolated: true}, PortSettings{PVID: 1})
	group := [6]byte{3, 0, 0, 0, 0, 1}
	l.send(1, host(2), everybody)
	l.send(2, host(3), everybody)
	for _, c := range []struct {
		sa, da [6]byte
		rest   string
	}{
		{host(1), host(3), "0800"},
		{host(1), host(4), "0800"}, {host(1), host(4), "0800"},
		{host(1), everybody, "0800"}, {host(1), everybody, "0800"},
		{host(1), group, "0800"}, {host(1), group, "0800"},
		{everybody, host(3), "0800"},
		{host(1), [6]byte{1, 0x80, 0xC2}, "0800"},
		{host(1), host(3), "8100 0005 0800"},
		{host(1), host(1), "0800"},
		{host(1), host(2), "0800"},
		{host(1), host(5), "8100 0002 0800"},
	} {
		if c.da == host(5) {
			if err := l.Add(Entry{Address: Address{host(5), 2}, Port: 2}); err != nil {
				t.Fatal(err)
			}
		}
		l.sendRest(0, c.sa, c.da, c.rest)
	}
	l.ports[2].blocked = true
	l.send(0, host(1), host(3))
	l.ports[0].blocked = true
	l.send(0, host(1), host(3))
	want := PortCounters{
		RxUnicast: 1, RxUnknown: 1, RxBroadcast: 1, RxMulticast: 1,
		RxDropBlocked: 1, RxDropSource: 1, RxDropReserved: 1, RxDropVLAN: 1,
		RxDropStormBroadcast: 1, RxDropStormUnknown: 1, RxDropStormMulticast: 1, RxDropSamePort: 1,
		RxDropEgressVLAN: 1, RxDropIsolated: 1,
	}
	if got := l.PortCounters(0); got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if got, want := l.PortCounters(2), (PortCounters{RxBroadcast: 1, TxDropBlocked: 1}); got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if got := l.PortCounters(-1); got != (PortCounters{}) {
		t.Errorf("of no port: %+v", got)
	}
}

func TestCountersHaveNames(t *testing.T) {
	for _, v := range []any{Counters{}, PortCounters{}} {
		typ, names := reflect.TypeOf(v), map[string]uint64{}
		text, err := json.Marshal(v)
		if err != nil || json.Unmarshal(text, &names) != nil || len(names) != typ.NumField() {
			t.Errorf("%s, %v", text, err)
		}
		for name := range names {
			if !regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`).MatchString(name) {
				t.Errorf("%s of %s", name, typ)
			}
		}
	}
}
