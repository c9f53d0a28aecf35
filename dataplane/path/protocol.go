package path

import (
	"crypto/rand"
	"encoding/binary"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// protocol is what a domain asks of a port of role link, whatever protocol the link speaks. A Link speaks LLR, with
// CBFC; a HIPPI speaks HIPPI-6400-PH. They know nothing of each other, and share the Port: sockets, TX slots, and the
// queues of frames to send. A domain calls these methods once a round, or less often. The method called for each frame
// is not among them: Port.send calls Link.send or HIPPI.send, which decides whether a frame may go on its virtual
// channel, charges what the frame costs there, and sends the frame.
type protocol interface {
	// deliver receives and handles a batch of frames from each RX ring, also while the egress ports have no room. It
	// returns the number of frames moved.
	deliver(d *Domain, now wire.Time) (n int)
	// serve does the sending that comes before any new frame of the round: it runs timers, and sends again what was lost.
	// It returns the number of frames sent.
	serve(now wire.Time) (n int)
	// served ends the link's part of a round, after the new frames.
	served(now wire.Time)
	// deadline returns when the link must be served next even if no frame comes.
	deadline(now wire.Time) wire.Time
	// outstanding returns the number of frames that the link has taken and the partner has not acknowledged.
	outstanding() int
	// presence returns whether the link has its carrier and its partner, and in words what is missing.
	presence(now wire.Time) (state Presence, cause string)
	// slowed reports whether losses on the wire limit the link to smaller batches.
	slowed() bool

	// setUp records whether the interface has its carrier.
	setUp(up bool, now wire.Time)
	// detached records that the devices go away: frames in their TX slots are lost.
	detached(now wire.Time)
	// configure applies new settings: profile is of LLR, drain the longest time to deliver frames after LLR went off.
	configure(s model.PortSettings, profile llr.Profile, drain time.Duration, now wire.Time)
	// clear sets the counters to zero.
	clear()
	// continues takes over the counters of the link that this link replaces.
	continues(old *Port)
	// report publishes events about all changes since the last report.
	report(h *model.Hub, now wire.Time)
	// fill sets the fields of a snapshot that only a link of the protocol has.
	fill(s *model.PortState, now wire.Time)
}

// newLinkPort returns a port of role link that speaks LLR or HIPPI-6400-PH, as its settings s say. The other
// parameters are those of NewPort.
func newLinkPort(s model.PortSettings, p llr.Profile, drain time.Duration, now wire.Time) *Port {
	id := newIdentity()
	if s.Protocol == model.HIPPI6400 {
		return &NewHIPPI(s, id, now).Port
	}
	return &NewLink(s, p, id, drain, now).Port
}

// Identity holds the random numbers that distinguish one start of a link from all other starts.
type Identity struct {
	Seq   uint32  // the first sequence number
	Nonce [2]byte // init_data of LLR_INIT
	Start uint32  // start id of STATION
}

// newIdentity returns a random identity of a link: first sequence number and start id. Frames of an earlier
// process, still on the wire, do not match the random first sequence number; and the partner learns from the
// random start id that this end has restarted and forgotten the old numbers. Each start of a link has a new
// identity, also after a reload reopens the link.
func newIdentity() (id Identity) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	_, _ = rand.Read(id.Nonce[:])
	id.Seq = binary.LittleEndian.Uint32(b[:]) & wire.SeqMask
	id.Start = binary.LittleEndian.Uint32(b[4:]) & wire.StartMask
	return id
}
