package path

import (
	"math/bits"

	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/hippi"
)

// assemblyChunks is the number of chunks of each virtual channel in which the Messages of a HIPPI-6400-PH link become
// frames again, and in which these frames wait for their egress. A channel whose egress stands still uses up its own
// chunks only: its partner then runs out of credit, and the other channels go on.
const assemblyChunks = 128

// assemblyChunk is the size of a chunk: every frame that a port can carry fits.
const assemblyChunk = netif.LargestFrame

// assembly is the memory of Messages that arrive by a HIPPI-6400-PH link. To the domain an assembly is a device like a
// socket of the port, but the domain receives no frames from an assembly: the frame of a Message may wait in the chunk
// where the Message was assembled, and Recycle frees the chunk.
type assembly struct {
	area []byte
	free [hippi.VCs][]uint16 // free chunks, by virtual channel; the last is taken next
}

// newAssembly returns the memory of a port in which HIPPI-6400-PH Messages are assembled to frames. The memory is
// virtual until used: the kernel gives pages only to chunks that were written.
func newAssembly() *assembly {
	a := &assembly{area: make([]byte, hippi.VCs*assemblyChunks*assemblyChunk)}
	for vc := range a.free {
		a.free[vc] = make([]uint16, 0, assemblyChunks)
	}
	return a
}

// reset frees all chunks except those in which a Message is arriving and those in which frames wait. filling has, for
// each virtual channel, the number of the chunk being filled, or noChunk; waits has the state of each chunk, nil if
// no frame waits.
func (a *assembly) reset(filling [hippi.VCs]int, waits []chunk) {
	for vc := range a.free {
		a.free[vc] = a.free[vc][:0]
		for i := assemblyChunks - 1; i >= 0; i-- {
			if n := vc*assemblyChunks + i; n != filling[vc] && (waits == nil || waits[n].refs == 0) {
				a.free[vc] = append(a.free[vc], uint16(n))
			}
		}
	}
}

// noChunk stands for no chunk.
const noChunk = -1

// take removes a free chunk from the list of a virtual channel and returns the chunk's number; noChunk if none is
// free.
func (a *assembly) take(vc uint8) int {
	free := a.free[vc]
	if len(free) == 0 {
		return noChunk
	}
	n := free[len(free)-1]
	a.free[vc] = free[:len(free)-1]
	return int(n)
}

// give returns chunk n to the list of free chunks of its virtual channel. It panics if a chunk is freed twice.
func (a *assembly) give(n int) {
	vc := n / assemblyChunks
	if len(a.free[vc]) == assemblyChunks {
		panic("path: a chunk for a HIPPI-6400-PH Message was freed twice")
	}
	a.free[vc] = append(a.free[vc], uint16(n))
}

// chunk returns the memory of chunk n.
func (a *assembly) chunk(n int) []byte {
	return a.area[n*assemblyChunk : (n+1)*assemblyChunk : (n+1)*assemblyChunk]
}

// assure reserves, in source s of this assembly, all chunks of a virtual channel for the traffic class of the
// channel, so that every assembled frame finds room in the queues.
func (a *assembly) assure(s *source) {
	for vc := range hippi.VCs {
		s.assured.chunks[vc] = assemblyChunks
	}
	s.assured.total = hippi.VCs * assemblyChunks
}

func (a *assembly) Area() []byte { return a.area }

func (a *assembly) Geometry() frame.Geometry {
	const chunks = hippi.VCs * assemblyChunks
	return frame.Geometry{ChunkSize: assemblyChunk, RX: chunks, Spare: chunks}
}

// Recycle frees the chunks of frames that were sent or dropped. rx has the descriptors of these frames.
func (a *assembly) Recycle(rx []frame.Desc) {
	for _, d := range rx {
		a.give(int(d.Addr >> bits.TrailingZeros(assemblyChunk)))
	}
}

func (a *assembly) Receive([]frame.Desc) int    { return 0 }
func (a *assembly) Waiting() int                { return 0 }
func (a *assembly) TxRoom() int                 { return 0 }
func (a *assembly) Transmit([]frame.Desc) int   { return 0 }
func (a *assembly) Completed([]uint64) int      { return 0 }
func (a *assembly) Kick() error                 { return nil }
func (a *assembly) FD() int                     { return -1 }
func (a *assembly) Stats() (frame.Stats, error) { return frame.Stats{}, nil }
func (a *assembly) Close() error                { return nil }
