package path

import (
	"uelink/dataplane/qos"
)

// assured counts the chunks of a source reserved for certain classes: frames covered by the partner's credits, or of a
// priority that PFC can stop. Waiting frames of other classes never use these chunks.
type assured struct {
	chunks [qos.Classes]int // by class, the most chunks
	held   [qos.Classes]int // by class, chunks in use
	total  int              // over all classes, the most chunks; at most the sum of chunks
	taken  int              // over all classes, chunks in use
}

// set sets how many chunks are reserved for each class, and for all classes together.
func (a *assured) set(chunks [qos.Classes]int, total int) { a.chunks, a.total = chunks, total }

// hold records n more of the reserved chunks as used by a class; n may be negative.
func (a *assured) hold(class uint8, n int) {
	a.held[class] += n
	a.taken += n
}

// assure reserves in the memory of a port's sockets the chunks for frames that must not be dropped, by the present
// settings.
func (d *Domain) assure(p *Port) {
	for _, s := range p.sources {
		s.assure()
	}
	d.provide()
}

// assure reserves chunks of a socket by the settings of its port. Every chunk of an assembly is reserved for a class.
func (s *source) assure() {
	if a, ok := s.device.(*assembly); ok {
		a.assure(s)
		return
	}
	s.assured.set(s.port.settings.Reserved())
}
