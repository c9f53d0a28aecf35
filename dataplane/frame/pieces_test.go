package frame

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// inPieces is a geometry of chunks of 64 octets, of which a frame may take three.
var inPieces = Geometry{ChunkSize: 64, RX: 8, TX: 2, Pieces: 3, Places: 2}

func TestGeometryInPieces(t *testing.T) {
	g := inPieces
	if g.SlotSize() != 192 || g.Received() != 14 || g.Size() != 20*64 || g.SlotAddr(1) != 17*64 {
		t.Errorf("slots of %d, %d chunks received, %d octets, slot 1 at %d", g.SlotSize(), g.Received(), g.Size(),
			g.SlotAddr(1))
	}
	for _, offset := range []uint64{0, 63, 64, 191} {
		if slot := g.Slot(g.SlotAddr(1) + offset); slot != 1 {
			t.Errorf("octet %d of slot 1 is in slot %d", offset, slot)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		length uint32
		want   []Desc
	}{
		{1, []Desc{{1000, 1, 0}}},
		{64, []Desc{{1000, 64, 0}}},
		{65, []Desc{{1000, 64, Continued}, {1064, 1, 0}}},
		{128, []Desc{{1000, 64, Continued}, {1064, 64, 0}}},
		{192, []Desc{{1000, 64, Continued}, {1064, 64, Continued}, {1128, 64, 0}}},
	} {
		into := make([]Desc, 3)
		if n := Cut(Desc{Addr: 1000, Len: c.length}, 64, into); !slices.Equal(into[:n], c.want) {
			t.Errorf("%d octets: %v, want %v", c.length, into[:n], c.want)
		}
	}
}

// bed is a joiner, and the area that it works on.
type bed struct {
	g    Geometry
	area []byte
	*Joiner
}

func newBed(g Geometry) *bed {
	b := &bed{g: g, area: make([]byte, g.Size())}
	b.Joiner = NewJoiner(g, b.area)
	return b
}

// come writes a frame into RX chunks, with a headroom before each part.
func (b *bed) come(octets []byte, room int) (chunks []Desc) {
	for i, piece := range slices.Collect(slices.Chunk(octets, room)) {
		addr := uint64(i%b.g.RX*b.g.ChunkSize + b.g.ChunkSize - room)
		copy(b.area[addr:], piece)
		d := Desc{Addr: addr, Len: uint32(len(piece))}
		if (i+1)*room < len(octets) {
			d.Options = Continued
		}
		chunks = append(chunks, d)
	}
	return chunks
}

// join writes a frame by come, and joins the chunks.
func (b *bed) join(octets []byte, room int) (whole Desc, ok bool) {
	for _, d := range b.come(octets, room) {
		whole, ok = b.Add(d)
	}
	return whole, ok
}

func random(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

// A frame of every length that a place holds, cut at every size, has the same octets when joined.
func TestJoinEveryLength(t *testing.T) {
	b := newBed(inPieces)
	for room := 32; room <= b.g.ChunkSize; room++ {
		for n := room + 1; n <= b.g.SlotSize(); n++ {
			f := random(n)
			whole, ok := b.join(f, room)
			if !ok || whole.Options != 0 || !bytes.Equal(b.area[whole.Addr:whole.Addr+uint64(whole.Len)], f) {
				t.Fatalf("%d octets in chunks of %d: %v, %v", n, room, whole, ok)
			}
			if !b.Release(whole.Addr + 10) { // the reader may have moved the beginning
				t.Fatalf("address %d was not taken back", whole.Addr)
			}
		}
	}
	if b.Drops() != (JoinDrops{}) || b.free.Len() != b.g.Places {
		t.Errorf("dropped %+v, %d places free", b.Drops(), b.free.Len())
	}
}

func TestWholeFramesAreLeftAlone(t *testing.T) {
	b := newBed(inPieces)
	if !b.Whole(Desc{Len: 64}) || b.Whole(Desc{Len: 64, Options: Continued}) {
		t.Error("a frame in one chunk is whole, and one that is continued is not")
	}
	if _, ok := b.Add(Desc{Len: 64, Options: Continued}); ok || b.Whole(Desc{Len: 1}) {
		t.Error("the end of a frame was taken for a whole one")
	}
}

func TestTooLongIsDroppedWhole(t *testing.T) {
	b := newBed(inPieces)
	if whole, ok := b.join(random(193), 64); ok {
		t.Errorf("193 octets were joined: %v", whole)
	}
	if whole, ok := b.join(random(64*9), 64); ok {
		t.Errorf("nine chunks were joined: %v", whole)
	}
	if _, ok := b.join(random(192), 64); !ok {
		t.Error("the frame after it was dropped, too")
	}
	if want := (JoinDrops{RxPiecesTooLong: 2}); b.Drops() != want {
		t.Errorf("dropped %+v, want %+v", b.Drops(), want)
	}
}

func TestNoPlaceIsDroppedWhole(t *testing.T) {
	b := newBed(inPieces)
	first, _ := b.join(random(100), 64)
	second, ok := b.join(random(100), 64)
	if _, third := b.join(random(100), 64); !ok || third || first.Addr == second.Addr {
		t.Errorf("two places: %v and %v, a third %v", first, second, third)
	}
	b.Release(first.Addr)
	if again, ok := b.join(random(100), 64); !ok || again.Addr != first.Addr {
		t.Errorf("the place at %d is free, and %v was taken", first.Addr, again)
	}
	if want := (JoinDrops{RxPiecesNoPlace: 1}); b.Drops() != want || want.All() != 1 {
		t.Errorf("dropped %+v, want %+v", b.Drops(), want)
	}
}

func TestOnlyPlacesAreTakenBack(t *testing.T) {
	b := newBed(inPieces)
	for _, addr := range []uint64{0, 8*64 - 1, 14 * 64, 20 * 64} {
		if b.Release(addr) {
			t.Errorf("address %d is in no place", addr)
		}
	}
}

// A stream of frames of all lengths, with some kept for a while: each is handed out whole and with
// its octets, or dropped and counted.
func TestJoinerAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBed(Geometry{ChunkSize: 64, RX: 16, TX: 1, Pieces: rapid.IntRange(2, 4).Draw(t, "pieces"), Places: 3})
		var want JoinDrops
		kept := map[uint64][]byte{}
		t.Repeat(map[string]func(*rapid.T){
			"frame": func(t *rapid.T) {
				f := random(rapid.IntRange(49, 400).Draw(t, "octets"))
				whole, ok := b.join(f, 48)
				switch {
				case len(kept) == b.g.Places:
					want.RxPiecesNoPlace++
				case len(f) > b.g.SlotSize():
					want.RxPiecesTooLong++
				default:
					if kept[whole.Addr] != nil || !ok {
						t.Fatalf("%d octets: %v, %v, with %d places in use", len(f), whole, ok, len(kept))
					}
					kept[whole.Addr] = f
					return
				}
				if ok {
					t.Fatalf("%d octets were joined, with %d places in use", len(f), len(kept))
				}
			},
			"take back": func(t *rapid.T) {
				for addr := range kept {
					b.Release(addr)
					delete(kept, addr)
					return
				}
			},
			"": func(t *rapid.T) {
				for addr, f := range kept {
					if !bytes.Equal(b.area[addr:addr+uint64(len(f))], f) {
						t.Fatalf("the frame at %d was written over", addr)
					}
				}
				if b.Drops() != want || b.free.Len() != b.g.Places-len(kept) {
					t.Fatalf("dropped %+v, want %+v; %d places free, %d in use", b.Drops(), want, b.free.Len(), len(kept))
				}
			},
		})
	})
}

func TestJoinerAllocatesNothing(t *testing.T) {
	b := newBed(inPieces)
	chunks := b.come(random(150), 60)
	if n := testing.AllocsPerRun(100, func() {
		var whole Desc
		for _, d := range chunks {
			whole, _ = b.Add(d)
		}
		b.Release(whole.Addr)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A socket has a place for every frame that may wait, so that none is dropped for want of one.
func TestPlacesForWaitingFrames(t *testing.T) {
	g := Geometry{ChunkSize: 4096, RX: 1024, Spare: 512, TX: 256}
	if got := g.InPieces(1); got.Pieces != 1 || got.Places != 0 || got.Size() != g.Size() {
		t.Errorf("one chunk a frame: %+v", got)
	}
	if got := g.InPieces(3); got.Pieces != 3 || got.Places < g.Spare+2*64 {
		t.Errorf("three chunks a frame: %+v", got)
	}
	g.Spare = 0
	if got := g.InPieces(3); got.Places < g.RX/3 {
		t.Errorf("nothing may wait: %+v", got)
	}
}
