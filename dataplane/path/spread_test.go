package path

import (
	"encoding/binary"
	"testing"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// batchOf is a batch of 64-octet frames of these EtherTypes in memory of a source's own.
func batchOf(types ...uint16) (*source, []frame.Desc) {
	s := &source{area: make([]byte, 2048*len(types))}
	var descs []frame.Desc
	for i, t := range types {
		binary.BigEndian.PutUint16(s.area[i*2048+2*wire.AddrLen:], t)
		descs = append(descs, frame.Desc{Addr: uint64(i) * 2048, Len: 64})
	}
	return s, descs
}

// A change of the RX queue is counted once a batch, and only of data in a shim: that a NIC spreads native frames
// nobody minds.
func TestDataByAnotherQueueIsCounted(t *testing.T) {
	const data, ip = 0x88B5, 0x0800
	l := NewLink(model.PortSettings{Role: model.RoleLink, EtherTypeData: data}, llr.Profile{}, Identity{}, 0, 0)
	first, ours := batchOf(data, data)
	second, theirs := batchOf(ip, ip)
	mixed, both := batchOf(ip, data)
	for i, c := range []struct {
		s     *source
		batch []frame.Desc
		want  uint64
	}{
		{first, ours, 0}, {first, ours, 0}, {second, theirs, 0}, {first, ours, 0}, {mixed, both, 1}, {mixed, both, 1},
		{first, ours, 2}, {second, nil, 2},
	} {
		if l.spread(c.s, c.batch); l.Port.Counters.RxQueueChanges != c.want {
			t.Errorf("batch %d: %d changes, want %d", i, l.Port.Counters.RxQueueChanges, c.want)
		}
	}
	l.Port.letGo() // its sockets are opened anew
	if l.spread(second, ours); l.Port.Counters.RxQueueChanges != 2 {
		t.Errorf("other sockets count as another queue: %d changes", l.Port.Counters.RxQueueChanges)
	}
}
