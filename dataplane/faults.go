package dataplane

import (
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
)

// trouble is a thing that can be wrong with an interface.
type trouble uint8

// The troubles of an interface.
const (
	troubleProgram  trouble = iota // the XDP program is not on it
	troubleQueues                  // frames come by an RX queue that has no socket
	troubleUnseen                  // the NIC counts frames that XDP does not see
	troubleLook                    // the kernel cannot be asked for the interface
	troublePieces                  // frames in more chunks than a frame may take are dropped
	troubleCapture                 // the capture has ended by an error
	troubleMTU                     // the MTU is too small, and not the daemon's to set
	troubleDeaf                    // no frames for other addresses arrive
	troubleSpread                  // the data of a link comes by several RX queues
	troubleSteering                // the program steers as before a reload
	troubleHosts                   // promiscuous mode cannot be switched as the partner's frames need it
	troublePair                    // the veth for the host is as before a reload
	troublePairMTU                 // it does not have the MTU that the links leave it
	troublePairKept                // what somebody has changed on it cannot be put back
	troubleHost                    // the host's own network does not get its frames
	troubleAbsent                  // there is no such interface
	troubleRing                    // the RX ring is full
	troubleChunks                  // no chunk is free for a frame, or none is large enough
	troublePlaces                  // no place is free for a frame in several chunks
	troubleMissed                  // the NIC has nowhere to write frames to
	troubleHostEnd                 // the host's end of the veth drops frames
	troubleDriver                  // the driver drops frames that leave
	troubleDescs                   // the kernel refuses descriptors
	troubles
)

// faults is what is wrong with an interface, in words; empty: this is not so.
type faults [troubles]string

// fault is all that is wrong with a port now; empty if nothing is.
func (a *attachment) fault() string {
	return join(append([]string{a.lastErr}, a.faults[:]...)...)
}

// join joins the texts that are not empty.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "; ")
}

// surveyed is what was seen of an interface since it was taken.
type surveyed struct {
	faults     faults
	sight      sight
	departures departures
	hearing    hearing
	blind      bool               // XDP saw nothing: the program was attached again
	uncaught   uncaught           // frames that found no socket
	changes    uint64             // of the RX queue by which data comes, as of the last look
	captured   bool               // that the capture is full was told
	doors      [troubles]dropping // of doors(), by their troubles
	useKnown   bool               // what the host does with it was looked at, and has not changed since
	refused    int                // MTU that the driver has refused, also without a program
}

// trouble tells that something is wrong with a port, once for as long as it is so.
func (g *group) trouble(a *attachment, what trouble, text string) {
	if a.faults[what] == text {
		return
	}
	a.faults[what] = text
	g.log.Error("port fault", a.fields(zap.String("error", text))...)
	g.worker.hub.emit(a.settings.Name, EventError, text)
}

// over tells that a trouble, if there was one, has ended; text is how things are now.
func (g *group) over(a *attachment, what trouble, text string) {
	if a.faults[what] != "" {
		a.faults[what] = ""
		g.notice(a, NoticeEnded, text)
	}
}

// notice reports an observation on an interface and the action taken.
func (g *group) notice(a *attachment, reason NoticeReason, text string) {
	a.notice, a.noticeReason = time.Now().Format(time.TimeOnly)+" "+text, reason
	g.log.Warn(text, a.fields()...)
	g.worker.hub.emit(a.settings.Name, EventNotice, text)
}
