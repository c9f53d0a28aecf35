package hippi

import (
	"time"

	"uelink/wire/micropacket"
)

// VCs is the number of virtual channels (HIPPI-6400 §4.2).
const VCs = micropacket.VCs

// MaxCredits is the largest credit count of a virtual channel, and so the largest VC buffer (6.5).
const MaxCredits = 255

// Profile holds the timeouts of HIPPI-6400 table 6 and the other values of one end. All times are at least 0.
// Clauses: HIPPI-6400/maintenance.1.
type Profile struct {
	ACKTimeout   time.Duration   // ACK indication timeout (8.2); 0 = follows the measured loop time
	Activity     time.Duration   // Activity_Monitor timeout (13.1): a change of the signal counts after this time
	Silence      time.Duration   // the signal is gone if no micropacket came for this time; 0 = the carrier alone counts
	Credit       time.Duration   // Credit timeout (8.1): without credit for a waiting micropacket for this long = shutdown
	HoldOff      time.Duration   // Hold-off timer (12.3): no Initialize of the partner starts another within this time
	DeadMan      time.Duration   // Dead-man timer (11.2): the longest Link Reset or Initialize
	Stall        time.Duration   // Stall timeout (9.2.4); 0 = longer than all retries, at least MinStall
	Retries      int             // consecutive retransmissions before a shutdown (8.4), at least 1
	Turn         time.Duration   // time between two micropackets of a Link Reset or Initialize (figure 20); more than 0
	Keepalive    time.Duration   // longest time without a Null; more than 0
	Buffers      [VCs]uint8      // micropackets of each VC buffer, 1..MaxCredits
	SULAAllowed  bool            // the next layer may set S_ULA (5.3.1)
	NativeSULA   micropacket.ULA // S_ULA of Messages where the next layer may not set it
	Intermediate bool            // micropackets leave by Take for another link, not as Messages (3.1.6)
	VC3          bool            // this end allows Messages on VC3, and tells the partner so (6.2)
}

// MinStall is the shortest automatic Stall timeout.
const MinStall = 500 * time.Millisecond

// Standard returns the profile of HIPPI-6400: table 6 and two retries.
func Standard() Profile {
	return Profile{
		ACKTimeout: 12 * time.Microsecond, Activity: time.Millisecond, Credit: 2 * time.Second, HoldOff: 10 * time.Second,
		DeadMan: 100 * time.Millisecond, Stall: 2 * time.Millisecond, Retries: 2, Turn: time.Microsecond,
		Keepalive: 10 * time.Microsecond, Buffers: [VCs]uint8{MaxCredits, MaxCredits, MaxCredits, MaxCredits},
	}
}

// Software returns the profile for ends in software: the ACK timeout follows the measured loop, a Message survives all
// retransmissions, and a busy machine or a bad wire shuts no link down. The other values are those of Standard.
func Software() Profile {
	p := Standard()
	p.ACKTimeout, p.Stall, p.Retries = 0, 0, 100
	p.Silence, p.Credit, p.DeadMan = 500*time.Millisecond, 30*time.Second, 500*time.Millisecond
	p.Turn, p.Keepalive = 2*time.Millisecond, 100*time.Millisecond
	return p
}
