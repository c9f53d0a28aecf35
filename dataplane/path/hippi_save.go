package path

import (
	"strconv"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// passState saves or restores the state of a link except the state of its port. Payloads of Messages under way are in
// the state of h.End, and move to the chunks that they fill when restored; frames that wait in chunks of the assembly
// are in Domain.passAssembled.
func (h *HIPPI) passState(s *snapshot.State) {
	s.Group("end", h.End.PassState)
	snapshot.Number(s, "leaves", &h.out.leaves)
	snapshot.Numbers(s, "filling", h.in.filling[:])
	snapshot.Numbers(s, "partner", h.partner[:])
	s.Struct("count", &h.count)
	snapshot.Number(s, "llr_at", &h.llrAt)
	snapshot.Numbers(s, "other_station", h.strays.station[:])
	snapshot.Number(s, "other_station_at", &h.strays.stationAt)
	snapshot.Number(s, "other_type", &h.strays.etherType)
	snapshot.Numbers(s, "other_from", h.strays.from[:])
	snapshot.Number(s, "other_type_at", &h.strays.typeAt)
	snapshot.Number(s, "silent_from", &h.silentFrom)
	snapshot.Number(s, "reset_from", &h.resetFrom)
	snapshot.Number(s, "recover_at", &h.recoverAt)
	s.Group("admin", h.admin.passState)
	s.Group("length", h.out.length.passState)
	s.Group("last", h.last.passState)
	snapshot.Number(s, "reported_to", &h.reportedTo)
	if !s.Restoring() || !s.Valid() {
		return
	}
	for vc, n := range h.in.filling {
		if s.Check((n == noChunk || n >= 0 && n/assemblyChunks == vc) && (n != noChunk) == h.End.Fills(uint8(vc)),
			"VC%d fills chunk %d", vc, n); !s.Valid() {
			return
		}
		if n != noChunk {
			ok := h.End.Move(uint8(vc), h.in.assembly.chunk(n)[wire.HeaderLen:])
			s.Check(ok, "the Message received in part on VC%d is longer than a chunk", vc)
		}
	}
}

// passState saves or restores the Admin micropackets of a link.
func (a *admin) passState(s *snapshot.State) {
	snapshot.Number(s, "waiting", &a.waiting)
	for vc := range a.data {
		snapshot.Numbers(s, "data"+strconv.Itoa(vc), a.data[vc][:])
	}
	snapshot.Number(s, "n", &a.n)
	snapshot.Number(s, "unkept", &a.unkept)
	s.Check(a.n >= 0 && a.n <= adminKept, "%d received", a.n)
	for i := range a.buffer {
		s.Group("kept"+strconv.Itoa(i), func(s *snapshot.State) {
			snapshot.Number(s, "vc", &a.buffer[i].vc)
			s.Bool("good", &a.buffer[i].good)
			snapshot.Numbers(s, "data", a.buffer[i].data[:])
		})
	}
}

// passState saves or restores the state of a link as last reported by events.
func (r *hippiReported) passState(s *snapshot.State) {
	s.Bool("ready", &r.ready)
	s.Bool("activity", &r.activity)
	snapshot.Number(s, "state", &r.state)
	var problem string // of earlier versions
	snapshot.Text(s, "problem", &problem)
	snapshot.Number(s, "problem_is", &r.problem.kind)
	snapshot.Number(s, "problem_longest", &r.problem.longest)
	snapshot.Numbers(s, "partner", r.partner[:])
	snapshot.Number(s, "shutdowns", &r.shutdowns)
	snapshot.Number(s, "retries", &r.reasons.retries)
	snapshot.Numbers(s, "credit", r.reasons.credit[:])
	snapshot.Numbers(s, "overflow", r.reasons.overflow[:])
	snapshot.Number(s, "resets", &r.resets)
	snapshot.Number(s, "lost", &r.lost)
	snapshot.Number(s, "recovered", &r.recovered)
}

// passState saves or restores the first octets of each chunk: extents[n] octets of chunk n.
func (a *assembly) passState(s *snapshot.State, extents []int) {
	for n, octets := range extents {
		if octets == 0 || !s.Valid() {
			continue
		}
		if s.Check(octets <= assemblyChunk, "%d octets in a chunk", octets); !s.Valid() {
			return
		}
		chunk := a.chunk(n)[:octets]
		saved := chunk
		s.Bytes(strconv.Itoa(n), &saved, octets)
		if s.Check(len(saved) == octets, "chunk %[3]d has %[1]d octets in the state, %[2]d are "+
			"needed", len(saved), octets, n); s.Restoring() {
			copy(chunk, saved)
		}
	}
}

// extents returns for each chunk of a source how many octets from its beginning belong to frames that wait.
func (from *source) extents(d *Domain) []int {
	list := make([]int, len(from.chunks))
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		for i := range p.egress.queues {
			for at, left := p.egress.queues[i].head, p.egress.queues[i].length; left > 0; left-- {
				e := &d.entries.all[at]
				if at = e.next; e.source == from.number {
					chunk := int(e.addr >> from.shift)
					list[chunk] = max(list[chunk], int(e.addr)+int(e.length)-chunk<<from.shift)
				}
			}
		}
	}
	return list
}
