package dataplane

import (
	"net"
	"slices"
	"strings"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
)

// trouble is a kind of problem of a port's interface.
type trouble uint8

// The troubles of an interface.
const (
	troubleProgram   trouble = iota // the XDP program is detached
	troubleQueues                   // frames come by an RX queue without a socket
	troubleUnseen                   // the NIC counts frames that XDP does not see
	troubleLook                     // the kernel does not answer for the interface
	troublePieces                   // frames of more chunks than allowed are dropped
	troubleCapture                  // the capture has ended by an error
	troubleMTU                      // the MTU is too small, and the daemon may not set it
	troubleDeaf                     // frames for other addresses do not arrive
	troubleSpread                   // the data of a link comes by several RX queues
	troubleSteering                 // the program still steers by the settings before a reload
	troubleHosts                    // promiscuous mode cannot be switched as the partner's frames need
	troublePair                     // the veth for the host still has the settings before a reload
	troublePairMTU                  // the MTU differs from the MTU that the links allow
	troublePairKept                 // a foreign change on the interface cannot be put back
	troubleTwin                     // another host has the address of the host's end
	troubleHost                     // the host's own network does not get its frames
	troubleAbsent                   // the interface does not exist
	troubleRenamed                  // the interface was renamed
	troubleRing                     // the RX ring is full
	troubleChunks                   // no chunk is free for a frame, or every chunk is too small
	troublePlaces                   // no place is free for a frame in several chunks
	troubleMissed                   // the NIC has no memory for received frames
	troubleHostEnd                  // the host's end of the veth drops frames
	troubleDriver                   // the driver drops frames to send
	troubleDescs                    // the kernel refuses descriptors
	troubleSuperRoom                // super-frames of the host find no room
	troubleSuperLost                // super-frames of the host, or for it, do not get through
	troubleQdisc                    // the queueing discipline of the host's end of the veth drops frames
	troublePush                     // an edge shall push back, and cannot
	troubleSuper                    // an edge shall take super-frames, and cannot
	troublePlace                    // the bookmark of the link is not kept for the next process
	troubleLinkLoss                 // the link is lost, and the host shall have no carrier
	troubleTooLong                  // the kernel drops frames of the host that are longer than the MTU of a veth
	troubleHostMTU                  // the two ends of a veth have different MTUs
	troubleLowered                  // a program lowers the MTU again and again
	troubleOffloads                 // offloads that are to be off are on
	troubles
)

// faults holds the text of each problem of an interface; empty: no such problem.
type faults [troubles]string

// fault returns the present problems of a port as a text; empty if there are none.
func (a *attachment) fault() string {
	return join(append([]string{a.lastErr}, a.faults[:]...)...)
}

// join returns the non-empty texts joined by semicolons.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "; ")
}

// surveyed is the state seen on an interface since it was attached.
type surveyed struct {
	faults     faults
	sight      sight
	departures departures
	hearing    hearing
	blind      bool                    // XDP saw nothing: the program was attached again
	uncaught   uncaught                // frames without a socket
	changes    uint64                  // changes of the RX queue of data, at the last check
	captured   bool                    // the full capture was reported
	doors      [troubles]path.Dropping // one for each door, by its kind of problem
	lengths    lengths                 // of the frames that fit
	useKnown   bool                    // the host's use of the interface was read, and has not changed since
	tx         txPath                  // how frames leave
	push       pushing                 // how frames of an edge's host come
	super      superFrames             // edge
	pushWaits  bool                    // it and super-frames begin with Resume
	far        farEnd                  // edge on a veth: the host's end
	checksums  unfinished              // edge: of frames of the host
	exchanged  bool                    // push_back has changed the host's end since the doors were last surveyed
	refused    int                     // MTU refused by the driver, also without a program
	announced  announced               // created edge
	twin       twinWatch               // created edge
	lowering   lowering                // of the MTU, by somebody else
	another    net.HardwareAddr        // offered for the host's end, whose address another host has; nil: none yet
}

// trouble records text as the present problem of kind what of a port, and publishes it as an event. If the port
// already has a problem of this kind with the same text, it does nothing.
func (g *group) trouble(a *attachment, what trouble, text string) {
	if a.faults[what] == text {
		return
	}
	a.faults[what] = text
	g.worker.Hub.Publish(a.settings.Name, model.EventError, text)
}

// over ends the port's problem of kind what and publishes text, the state after it, as an event. If the port does not
// have such a problem, it does nothing.
func (g *group) over(a *attachment, what trouble, text string) {
	if a.faults[what] != "" {
		a.faults[what] = ""
		g.notice(a, model.NoticeEnded, text)
	}
}

// notice shows a text about an interface (what was observed, and what the daemon did) in the port's state, and
// publishes the text as an event.
func (g *group) notice(a *attachment, reason model.NoticeReason, text string) {
	a.notice, a.noticeReason = time.Now().Format(time.TimeOnly)+" "+text, reason
	good := []model.NoticeReason{model.NoticeEnded, model.NoticeReload, model.NoticeRoom, model.NoticeChecksum}
	level := model.WarnIf(!slices.Contains(good, reason))
	g.worker.Hub.PublishAt(level, a.settings.Name, model.EventNotice, text)
}
