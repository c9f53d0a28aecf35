package dcbx

// ControlState is a state of the control machine (DCBX, figure 8). Only
// Off and Wait last; the others act and go on at once.
//
//	       link up, LLDP rx and tx, DCBX enabled
//	Off ───────────────────────────────► LinkUp
//	 ▲                                     │ all numbers 0, features to LinkUp
//	 │ any of them ends                    ▼
//	 └────────────────────────────── ┌──────────┐  NEWDATA
//	   ┌───────────────────────────► │   Wait   │ ───────────► UpdateDCBXTLV
//	   │                             └──────────┘              features captured,
//	   │                               │ somethingChangedRemote   SeqNo++, send
//	   │     ┌────────────┬────────────┼─────────────┐             │
//	   │     │ no TLV     │ version    │ other       │             ▼
//	   │     ▼            ▼            ▼             ▼           (Wait)
//	   │ PeerNot-     NewVersion    ReadPeer      peer has to
//	   │ Advertise-   OperVersion   RcvdAckNo,    follow our
//	   │ DCBX         = the common  features run  OperVersion:
//	   │ numbers 0,   one, send     │  SeqNo new  no answer
//	   │ features run │             ▼             │
//	   │     │        │           AckPeer         │
//	   │     │        │           AckNo = SeqNo,  │
//	   │     │        │           send            │
//	   └─────┴────────┴────────────┴──────────────┘
//
// NEWDATA: the last SeqNo has been acknowledged and a feature is not Syncd, so
// that one set of changes is on its way at a time.
type ControlState uint8

// The states of the control machine.
const (
	ControlOff ControlState = iota
	ControlLinkUp
	ControlWait
	ControlUpdateDCBXTLV
	ControlPeerNotAdvertiseDCBX
	ControlNewVersion
	ControlReadPeer
	ControlAckPeer
)

var controlNames = [...]string{"Off", "LinkUp", "Wait", "UpdateDCBXTLV", "PeerNotAdvertiseDCBX", "NewVersion",
	"ReadPeer", "AckPeer"}

// String is the state's name in the drawing.
func (s ControlState) String() string { return controlNames[within(s, controlNames[:])] }

// machine is what the control machine does with a feature machine.
type machine interface {
	linkUp(out *Output)
	off(out *Output)
	// local takes over local parameters that changed.
	local(c *control, out *Output)
	// update is DCBXFeatureUpdate: the peer's TLV, or nil for NoDCBXTLVReceived.
	update(c *control, m *Message, out *Output)
	isSyncd() bool
	// capture fixes what is sent under the new SeqNo.
	capture()
}

// control is the DCBX control state machine of a port.
type control struct {
	state    ControlState // the last one that acted
	seq      uint32       // SeqNo
	ack      uint32       // AckNo
	rcvdAck  uint32       // RcvdAckNo
	operV    uint8        // OperVersion
	maxV     uint8        // MaxVersion
	noTLV    bool         // NoDCBXTLVReceived
	peer     Control      // of the last TLV that was usable
	heard    bool         // there was one since LinkUp or PeerNotAdvertiseDCBX
	news     bool         // it is not the same as the one before
	lost     Reason       // why there is no peer, while there is none
	features []machine
	sends    *uint64 // counts somethingChangedLocal
}

// enter notes a state.
func (c *control) enter(s ControlState, out *Output) {
	if s != ControlWait {
		c.state = s
	}
	out.step(0, s)
}

// changed is somethingChangedLocal.
func (c *control) changed(out *Output) {
	*c.sends++
	out.Changed = true
}

// running says whether the machine is out of Off.
func (c *control) running() bool { return c.state != ControlOff }

// own is the control sub-TLV to send.
func (c *control) own() Control {
	return Control{OperVersion: c.operV, MaxVersion: c.maxV, SeqNo: c.seq, AckNo: c.ack}
}

// start is the way from Off.
func (c *control) start(out *Output) {
	c.enter(ControlLinkUp, out)
	c.reset()
	c.noTLV, c.lost = false, ReasonNoPeer
	for _, f := range c.features {
		f.linkUp(out)
	}
	// The LLDPDUs have a DCBX TLV now, also if no feature is in it.
	c.changed(out)
	c.settle(nil, out)
}

// reset forgets the peer.
func (c *control) reset() {
	c.seq, c.ack, c.rcvdAck = 0, 0, 0
	c.operV = c.maxV
	c.heard, c.peer = false, Control{}
}

// stop is the way to Off. The TLV disappears from the LLDPDUs.
func (c *control) stop(out *Output) {
	c.enter(ControlOff, out)
	c.reset()
	for _, f := range c.features {
		f.off(out)
	}
	c.changed(out)
}

// localChange is the input that some feature's local parameters changed.
func (c *control) localChange(out *Output) { c.settle(nil, out) }

// noPeer is the input somethingChangedRemote with NoDCBXTLVReceived.
func (c *control) noPeer(why Reason, out *Output) {
	c.enter(ControlPeerNotAdvertiseDCBX, out)
	c.reset()
	c.noTLV, c.lost = true, why
	c.update(nil, out)
	c.settle(nil, out)
}

// remote is the input somethingChangedRemote with a usable TLV.
func (c *control) remote(m *Message, out *Output) {
	if !c.heard {
		out.notify(EventPeerFound, 0)
	}
	c.news = !c.heard || m.Control != c.peer
	c.noTLV, c.heard, c.peer = false, true, m.Control
	c.settle(m, out)
}

// settle is Wait: it goes on until no way out of it is open. m is the TLV of
// somethingChangedRemote, or nil. It ends because UpdateDCBXTLV closes NEWDATA
// until ReadPeer and m is looked at once for its version and once more.
func (c *control) settle(m *Message, out *Output) {
	for {
		c.enter(ControlWait, out)
		for _, f := range c.features {
			f.local(c, out)
		}
		switch {
		case c.newData():
			c.updateDCBXTLV(out)
		case m == nil:
			return
		case c.operV != min(c.maxV, m.Control.MaxVersion):
			c.newVersion(m, out)
		case c.operV != m.Control.OperVersion:
			m = nil // the peer has to follow
		default:
			c.readPeer(m, out)
			m = nil
		}
	}
}

// newData is NEWDATA.
func (c *control) newData() bool {
	if c.seq != c.rcvdAck {
		return false
	}
	for _, f := range c.features {
		if !f.isSyncd() {
			return true
		}
	}
	return false
}

func (c *control) updateDCBXTLV(out *Output) {
	c.enter(ControlUpdateDCBXTLV, out)
	c.seq++ // it wraps; numbers are only ever compared for equality
	for _, f := range c.features {
		f.capture()
	}
	c.changed(out)
}

func (c *control) newVersion(m *Message, out *Output) {
	c.enter(ControlNewVersion, out)
	c.operV = min(c.maxV, m.Control.MaxVersion)
	c.changed(out)
}

func (c *control) readPeer(m *Message, out *Output) {
	c.enter(ControlReadPeer, out)
	c.rcvdAck = m.Control.AckNo
	// Features run before the answer, so that it can carry what they changed.
	c.update(m, out)
	if c.ack != m.Control.SeqNo {
		c.enter(ControlAckPeer, out)
		c.ack = m.Control.SeqNo
		c.changed(out)
	} else if c.news && m.Control.AckNo == 0 && c.seq != 0 {
		// The peer has restarted and its first SeqNo is the one that is
		// acknowledged already: it has heard nothing of us yet.
		c.changed(out)
	}
}

// update runs the feature machines.
func (c *control) update(m *Message, out *Output) {
	for _, f := range c.features {
		f.update(c, m, out)
	}
}
