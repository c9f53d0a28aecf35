package dcbx

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode: no payload breaks the decoder; what it takes can be written and
// is read again as the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		goldenTwo[56:], goldenThree[56:], "", "02", "020a00000000000100000000",
		"020a0000000000010000000006060000c00008080606ffff60001009", "020a010100000001ffffffff0a010008050000800089fe00",
	} {
		octets, err := hex.DecodeString(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(octets)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		if _, err := DecodeCIN(payload); err != nil && !isFault(err) {
			t.Errorf("CIN: error %v is not a fault", err)
		}
		m, err := Decode(payload)
		if err != nil {
			if !isFault(err) {
				t.Errorf("error %v is not a fault", err)
			}
			return
		}
		m.ControlDuplicate, m.PG.Duplicate, m.PFC.Duplicate, m.App.Duplicate = false, false, false, false
		octets := m.Append(nil)
		if len(octets) > len(payload) {
			t.Errorf("%d octets became %d", len(payload), len(octets))
		}
		again, err := Decode(octets)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("read again (-want +got):\n%s", diff)
		}
		if !bytes.Equal(again.Append(nil), octets) {
			t.Error("written again, it is something else")
		}
	})
}

func isFault(err error) bool {
	var fault Fault
	return errors.As(err, &fault) && fault.Error() != ""
}

// FuzzPort: no sequence of inputs breaks a port. Two ports talk, and one of
// them gets whatever the octets say besides.
func FuzzPort(f *testing.F) {
	for _, seed := range []string{
		"0001", "00010a0b0a0b", "00010a0b0a0b020103000a0b", "0001050c020a00000000000100000001060a0b070a",
		"000104000a0b0405010a0b04ff0a0b060a0b", "00010d0d0d0d0a0b", "0001030103000a0b08050606000080000808",
	} {
		octets, err := hex.DecodeString(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(octets)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		d := newDuel(t)
		for len(script) > 0 {
			script = d.step(script[0], script[1:])
			d.check()
		}
		d.rest()
	})
}

// duel is two ports that a script drives.
type duel struct {
	t *testing.T
	a [2]*agent
}

func newDuel(t *testing.T) *duel {
	d := &duel{t: t}
	for i := range d.a {
		d.a[i] = &agent{local: Default()}
		d.a[i].port = must(NewPort(d.a[i].local, &d.a[i].out))(t)
	}
	return d
}

// step is one input: the op's lowest bit says whose. It gives what is left of
// the script.
func (d *duel) step(op byte, rest []byte) []byte {
	a, to := d.a[op&1], d.a[1-op&1]
	var arg byte
	if len(rest) > 0 {
		arg = rest[0]
	}
	switch op >> 1 % 8 {
	case 0:
		a.port.SetLink(true, &a.out)
		return rest
	case 1:
		a.port.SetLLDP(arg&1 > 0, arg&2 > 0, &a.out)
	case 2:
		d.set(a, arg)
	case 3:
		a.port.NeighborDeleted(arg&1 > 0, int(arg>>1&1), &a.out)
	case 4:
		size := min(int(arg), len(rest))
		a.port.Receive(1, [][]byte{rest[:size]}, &a.out)
		return rest[max(size, min(1, len(rest))):]
	case 5:
		d.send(a, to)
		return rest
	case 6:
		a.port.Receive(int(arg&3), make([][]byte, arg>>2&3), &a.out)
	case 7:
		a.port.SetEnabled(arg&1 > 0, &a.out)
	}
	return rest[min(1, len(rest)):]
}

// set changes the local parameters as the bits of arg say.
func (d *duel) set(a *agent, arg byte) {
	a.local = Default()
	for i, flag := range []*bool{&a.local.PG.Enable, &a.local.PG.Willing, &a.local.PG.Advertise,
		&a.local.PFC.Enable, &a.local.PFC.Willing, &a.local.PFC.Advertise} {
		*flag = arg>>i&1 == 0
	}
	a.local.PFC.Config.Enable = arg >> 6
	if err := a.port.SetLocal(a.local, &a.out); err != nil {
		d.t.Fatal(err)
	}
}

// send passes the TLV of one port to the other.
func (d *duel) send(a, to *agent) {
	payload, ok := a.port.AppendTLV(nil)
	if ok {
		to.port.Receive(1, [][]byte{payload}, &to.out)
	} else {
		to.port.Receive(1, nil, &to.out)
	}
}

// check checks the invariants.
func (d *duel) check() {
	for i, a := range d.a {
		if err := a.settle(); err != nil {
			d.t.Fatalf("end %d: %v", i, err)
		}
		if len(a.out.PG) > 8 || len(a.out.PFC) > 8 || len(a.out.Events) > 32 {
			d.t.Fatalf("end %d: one input wants too much: %+v", i, a.out)
		}
		a.out.Reset()
	}
}

// rest lets both ends speak as they are; they have to come to an agreement.
func (d *duel) rest() {
	for _, a := range d.a {
		a.port.SetLink(true, &a.out)
		a.port.SetLLDP(true, true, &a.out)
		a.port.SetEnabled(true, &a.out)
	}
	for range 12 {
		d.send(d.a[0], d.a[1])
		d.send(d.a[1], d.a[0])
		d.check()
	}
	s := sim{ends: d.a}
	if err := s.agreed(); err != nil {
		d.t.Fatal(err)
	}
}
