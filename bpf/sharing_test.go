package bpf

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
)

// sharer is a Transmitter in a Sharing, with the program at the other end of its veth.
type sharer struct {
	*Transmitter
	program, to *Program
	memory      []byte
	blank       uint32
}

// sharersOf returns Transmitters that share, each for a veth of its own, with slots of the given size.
func sharersOf(t *testing.T, sharing *Sharing, slotSize int, names ...string) (all []*sharer) {
	t.Helper()
	if err := LiveFrames(); err != nil {
		t.Skipf("skipped: this kernel has no live XDP frames: %v", err)
	}
	for i, name := range names {
		pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name}, PeerName: name + "-to"}
		if err := netlink.LinkAdd(pair); err != nil {
			t.Fatal(err)
		}
		from := setUp(t, name)
		s := &sharer{program: attached(t, from, attach.ModeAuto), to: attached(t, setUp(t, name+"-to"), attach.ModeAuto)}
		t.Cleanup(func() { s.program.Close(); s.to.Close() })
		slots := 8 + i // shared slots need not be equally many
		var err error
		if s.Transmitter, err = NewTransmitter(from, slots, slotSize); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := sharing.Join(s.Transmitter); err != nil {
			t.Fatal(err)
		}
		s.memory = pages(t, (slots*slotSize+4095)&^4095)
		if err := s.Overlay(s.memory); err != nil {
			t.Fatal(err)
		}
		if err := s.program.Transmit(s.Transmitter); err != nil {
			t.Fatal(err)
		}
		s.blank = s.LongestBlank()
		for slot := range slots {
			binary.BigEndian.PutUint16(s.memory[slot*slotSize+12:], 0x0800)
		}
		all = append(all, s)
	}
	return all
}

// sendForAll sends one frame of each by a call of the first, and demands that each program has seen one more.
func sendForAll(t *testing.T, by *Transmitter, all []*sharer, seen uint64) {
	t.Helper()
	for _, s := range all {
		if !by.SendsFor(s.Transmitter) {
			t.Fatal("a Transmitter does not send for another")
		}
		by.PostFor(s.Transmitter, 7, 60)
	}
	if unsent, err := by.Send(60); unsent != 0 || err != nil {
		t.Fatalf("%d frames were not sent: %v", unsent, err)
	}
	for i, s := range all {
		if c := arrived(t, s.to, seen); c.Seen() != seen {
			t.Errorf("port %d: %+v, want %d frames", i, c, seen)
		}
	}
}

// Each Transmitter of a Sharing sends the frames of all by one call, each frame by the interface of its port.
func TestSharing(t *testing.T) {
	inNamespace(t)
	var sharing Sharing
	all := sharersOf(t, &sharing, 2048, "p0", "p1", "p2")
	for i, s := range all {
		sendForAll(t, s.Transmitter, all, uint64(i+1))
	}
	other := sharersOf(t, &sharing, 4096, "q0")[0]
	alone, err := NewTransmitter(all[0].ifindex, 8, 2048)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	for _, o := range []*Transmitter{other.Transmitter, alone} {
		if all[0].SendsFor(o) || o.SendsFor(all[0].Transmitter) || !o.SendsFor(o) {
			t.Error("Transmitters with other slots, or of no Sharing, send for each other")
		}
	}
}

// The number of a closed Transmitter goes to the next one that joins; frames posted for it meanwhile are refused.
func TestSharingForgets(t *testing.T) {
	inNamespace(t)
	var sharing Sharing
	all := sharersOf(t, &sharing, 2048, "p0", "p1", "p2")
	number := all[1].number
	if err := all[1].Close(); err != nil {
		t.Fatal(err)
	}
	all[0].ring.postings[all[0].ring.head%MostPosted] = posting{0, number, 60}
	all[0].ring.head++
	if unsent, err := all[0].Send(60); unsent != 0 || !errors.Is(err, ErrRefused) {
		t.Errorf("a frame of a closed Transmitter: %d unsent, %v", unsent, err)
	}
	next := sharersOf(t, &sharing, 2048, "p3")[0]
	if next.number != number {
		t.Errorf("the next Transmitter has number %d, want %d", next.number, number)
	}
	sendForAll(t, all[0].Transmitter, []*sharer{all[0], next, all[2]}, 1)
	if err := netlink.LinkDel(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "p3"}}); err != nil {
		t.Fatal(err)
	}
	if err := next.Close(); err != nil {
		t.Errorf("the interface has gone: %v", err)
	}
}

// Transmitters that share and are handed over share in the other process, also with others that join there.
func TestSharingIsHandedOver(t *testing.T) {
	inNamespace(t)
	var here, ok Sharing
	all := sharersOf(t, &here, 2048, "p0", "p1")
	var adopted []*sharer
	for _, s := range all {
		var fds []int
		for _, fd := range s.Descriptors() {
			fd, err := duplicate(fd)
			if err != nil {
				t.Fatal(err)
			}
			fds = append(fds, fd)
		}
		number, shares := s.Number()
		if !shares || len(fds) != SharingFDs {
			t.Fatalf("%d descriptors, shares %v", len(fds), shares)
		}
		tx, err := AdoptTransmitter(s.slots, s.slotSize, number, fds)
		if err != nil {
			t.Fatal(err)
		}
		tx.entry, tx.longest = s.entry, s.blank
		if err := ok.Adopt(tx); err != nil {
			t.Fatal(err)
		}
		if err := ok.Adopt(tx); err == nil {
			t.Error("two Transmitters have one number")
		}
		adopted = append(adopted, &sharer{Transmitter: tx, to: s.to})
	}
	adopted = append(adopted, sharersOf(t, &ok, 2048, "p2")...)
	sendForAll(t, adopted[0].Transmitter, adopted, 1)
	sendForAll(t, adopted[2].Transmitter, adopted, 2)

	var foreign Sharing // of yet another process: what it hands over sends alone
	stranger := sharersOf(t, &foreign, 2048, "p3")[0]
	stranger.shares = nil
	if err := ok.Adopt(stranger.Transmitter); err != nil || adopted[0].SendsFor(stranger.Transmitter) {
		t.Errorf("a Transmitter of another Sharing: %v", err)
	}
	stranger.Post(7, 60)
	if _, err := stranger.Send(60); err != nil {
		t.Error(err)
	}
	arrived(t, stranger.to, 1)
}

// A Sharing has room for a number of Transmitters; the next one sends alone.
func TestSharingIsFull(t *testing.T) {
	inNamespace(t)
	var sharing Sharing
	first := sharersOf(t, &sharing, 2048, "p0")[0]
	for i := range first.shares.taken {
		first.shares.taken[i] = true
	}
	tx, err := NewTransmitter(first.ifindex, 8, 2048)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	if err := sharing.Join(tx); !errors.Is(err, errors.ErrUnsupported) || tx.SendsFor(first.Transmitter) {
		t.Errorf("Transmitter %d joins: %v", mostSharing+1, err)
	}
	if _, err := NewTransmitter(first.ifindex, mostSlots+1, 2048); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%d slots: %v", mostSlots+1, err)
	}
}
