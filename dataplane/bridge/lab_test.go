package bridge

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

// second is a second of the bridge's clock.
const second = 1_000_000_000

// lab is a bridge with a clock.
type lab struct {
	*testing.T
	*Bridge
	now wire.Time
}

// plain is a bridge without filtering.
func plain() Settings { return Settings{Ageing: 300 * time.Second, MaxEntries: 100} }

// filtering is a bridge with VLANs.
func filtering() Settings {
	s := plain()
	s.VLANFiltering = true
	return s
}

// newLab is a bridge with the ports 0, 1, … of the given settings; all of them learn.
func newLab(t *testing.T, s Settings, ports ...PortSettings) *lab {
	t.Helper()
	l := &lab{T: t, Bridge: New(s, 1, 0), now: 0}
	for n, p := range ports {
		p.Learning = true
		if err := l.SetPort(n, p); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// host is the address of station n.
func host(n int) [6]byte { return [6]byte{2, 0, 0, 0, byte(n >> 8), byte(n)} }

// address reads an address as host("02:…") or as group "ff:…".
func address(t testing.TB, s string) (a [6]byte) {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(":", "", "-", "").Replace(s))
	if err != nil || len(b) != len(a) {
		t.Fatalf("address %q: %v", s, err)
	}
	return [6]byte(b)
}

var everybody = [6]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// octets reads hexadecimal octets.
func octets(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// send passes an untagged frame at port in, and returns where it goes.
func (l *lab) send(in int, sa, da [6]byte) string {
	l.Helper()
	return l.sendRest(in, sa, da, "0800 0000")
}

// sendRest is send for a frame that goes on with the given octets. It says by which ports the
// frame leaves, each with the edit of its tag (+ pushed, = replaced, - popped), or why it is
// dropped.
func (l *lab) sendRest(in int, sa, da [6]byte, rest string) string {
	l.Helper()
	v := l.Decide(in, addressesOf(sa, da), octets(l, rest), l.now)
	if !l.Admit(in, addressesOf(sa, da), &v, l.now) {
		if v.Drop == NoReason {
			l.Error("dropped without a reason")
		}
		return v.Drop.String()
	}
	return strings.Join(l.leave(in, &v), " ")
}

// leave lists where a frame that was taken leaves.
func (l *lab) leave(in int, v *Verdict) (list []string) {
	outs := []uint8{uint8(v.Out)}
	if v.Out == Flood {
		outs = l.Members(v)
	}
	for _, out := range outs {
		if edit, ok := l.Egress(in, int(out), v); ok {
			list = append(list, fmt.Sprint(out)+editText(edit))
		}
	}
	return list
}

func editText(r wire.Retag) string {
	switch r.Op {
	case wire.RetagPush:
		return fmt.Sprintf("+%04X", r.TCI)
	case wire.RetagReplace:
		return fmt.Sprintf("=%04X", r.TCI)
	case wire.RetagPop:
		return "-"
	default:
		return ""
	}
}

// want fails the test unless a frame goes where it should.
func (l *lab) want(what, got, want string) {
	l.Helper()
	if got != want {
		l.Errorf("%s: goes to %q, want %q", what, got, want)
	}
}

// at is the port of an address in the table, or -1.
func (l *lab) at(a Address) int {
	for _, e := range l.Entries(l.now) {
		if e.Address == a {
			return e.Port
		}
	}
	return -1
}

// wantAt fails the test unless the address is at the port; -1: nowhere.
func (l *lab) wantAt(mac [6]byte, vlan uint16, port int) {
	l.Helper()
	if got := l.at(Address{mac, vlan}); got != port {
		l.Errorf("%s in VLAN %d is at port %d, want %d", Address{MAC: mac}, vlan, got, port)
	}
}
