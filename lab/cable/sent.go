package cable

import (
	"fmt"

	"uelink/dataplane/ethtool"
)

// sentCounter reads the fate of frames handed to an interface. A veth counts XDP frames sent, and skbs not taken by its
// other end. Other drivers have no common names for such counters.
type sentCounter struct {
	to     *end
	conn   *ethtool.Conn
	before sent
}

// sent is the readings of a veth since its creation.
type sent struct {
	valid   bool
	xmit    uint64 // XDP frames sent
	dropped uint64 // skbs and most XDP frames not taken
}

// open begins to count the frames handed to interface to: overruns counts from the present readings on.
func (s *sentCounter) open(to *end) (err error) {
	if s.conn, err = ethtool.Open(to.ifname); err != nil {
		return err
	}
	s.to = to
	s.before = s.read()
	return nil
}

// read reads the counters. The result is not valid for a driver without these counters, which is no veth.
func (s *sentCounter) read() (now sent) {
	stats, err := s.conn.Statistics()
	if err != nil {
		return sent{}
	}
	for queue := 0; ; queue++ {
		n, ok := stats[fmt.Sprintf("tx_queue_%d_xdp_xmit", queue)]
		if !ok {
			break
		}
		now.valid = true
		now.xmit += n
	}
	if link, err := s.to.links.LinkByIndex(s.to.index); err == nil && link.Attrs().Statistics != nil && now.valid {
		now.dropped = link.Attrs().Statistics.TxDropped
	}
	return now
}

// overruns returns how many frames the interface has not taken since open. redirected is the number of XDP frames among
// those handed over. A veth counts most XDP frames not taken as dropped, too, so the larger of the two numbers counts.
func (s *sentCounter) overruns(redirected uint64) (n uint64) {
	now := s.read()
	if !now.valid {
		return 0
	}
	if sent := now.xmit - s.before.xmit; now.xmit >= s.before.xmit && sent < redirected {
		n = redirected - sent
	}
	if now.dropped > s.before.dropped {
		n = max(n, now.dropped-s.before.dropped)
	}
	return n
}

func (s *sentCounter) close() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}
