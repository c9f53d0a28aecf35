package dcbx

// ControlState is a state of the control machine (DCBX, figure 8). The machine rests only in Off and
// Wait; the other states act and are left at once.
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
// NEWDATA: the last SeqNo has been acknowledged and a feature is not Syncd. So only one set of changes
// waits for an acknowledgement at a time.
type ControlState uint8

// The states of the control machine.
// Clauses: DCBX/control-state.1-5,7,8.
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

// controlNames has the specification's names of the states.
var controlNames = [...]string{"Off", "LinkUp", "Wait", "UpdateDCBXTLV", "PeerNotAdvertiseDCBX", "NewVersion",
	"ReadPeer", "AckPeer"}

// String returns the state's name in the state diagram of the DCBX specification.
func (s ControlState) String() string { return controlNames[within(s, controlNames[:])] }

// machine is a feature machine, as the control machine uses it.
// Clauses: DCBX/control.3,4, DCBX/feature.3.
type machine interface {
	// linkUp begins the exchange with a peer, and off ends it.
	linkUp(out *Output)
	off(out *Output)
	// local applies changed local parameters.
	local(c *control, out *Output)
	// update runs DCBXFeatureUpdate with the peer's TLV, or with nil for NoDCBXTLVReceived.
	update(c *control, m *Message, out *Output)
	isSyncd() bool
	// capture fixes the content to send under the new SeqNo.
	capture()
}

// control is the DCBX control state machine of a port.
// Clauses: DCBX/intro.2, DCBX/control-variables.1,2.
type control struct {
	state    ControlState // the last acting state
	seq      uint32       // SeqNo
	ack      uint32       // AckNo
	rcvdAck  uint32       // RcvdAckNo
	operV    uint8        // OperVersion
	maxV     uint8        // MaxVersion
	noTLV    bool         // NoDCBXTLVReceived
	peer     Control      // control sub-TLV of the peer's last usable TLV
	heard    bool         // a usable TLV came since LinkUp or PeerNotAdvertiseDCBX
	news     bool         // peer differs from the previous TLV's
	lost     Reason       // the reason why there is no peer
	features []machine
	sends    *uint64 // counts somethingChangedLocal
}

// enter sets the state of the control machine, and adds it to the trace in out.
func (c *control) enter(s ControlState, out *Output) {
	if s != ControlWait {
		c.state = s
	}
	out.step(0, s)
}

// changed runs somethingChangedLocal: the DCBX TLV has changed, and LLDP must send it.
// Clauses: DCBX/control.1.
func (c *control) changed(out *Output) {
	*c.sends++
	out.Changed = true
}

// running reports whether the control machine is in another state than Off.
func (c *control) running() bool { return c.state != ControlOff }

// own returns this end's control sub-TLV, with the present sequence and acknowledgement numbers.
func (c *control) own() Control {
	return Control{OperVersion: c.operV, MaxVersion: c.maxV, SeqNo: c.seq, AckNo: c.ack}
}

// start runs the control machine's transition from Off to LinkUp, for all features too. From then on LLDPDUs have
// a DCBX TLV.
// Clauses: DCBX/control-state.1.
func (c *control) start(out *Output) {
	c.enter(ControlLinkUp, out)
	c.reset()
	c.noTLV, c.lost = false, ReasonNoPeer
	for _, f := range c.features {
		f.linkUp(out)
	}
	// The LLDPDUs have a DCBX TLV now, with or without features.
	c.changed(out)
	c.wait(nil, out)
}

// reset deletes the sequence numbers and the state that the control machine has learned from the peer.
// Clauses: DCBX/control.7.
func (c *control) reset() {
	c.seq, c.ack, c.rcvdAck = 0, 0, 0
	c.operV = c.maxV
	c.heard, c.peer = false, Control{}
}

// stop runs the control machine's transition to Off, for all features too. The LLDPDUs no longer have a DCBX TLV.
// Clauses: DCBX/lldp.12, DCBX/control.8.
func (c *control) stop(out *Output) {
	c.enter(ControlOff, out)
	c.reset()
	for _, f := range c.features {
		f.off(out)
	}
	c.changed(out)
}

// localChange runs the control machine after a change of a feature's local parameters.
func (c *control) localChange(out *Output) { c.wait(nil, out) }

// noPeer handles the loss of the peer's DCBX TLV (the specification's somethingChangedRemote with NoDCBXTLVReceived);
// reason is why the TLV was lost.
// Clauses: DCBX/lldp.16,19, DCBX/control.7, DCBX/control-state.4.
func (c *control) noPeer(reason Reason, out *Output) {
	c.enter(ControlPeerNotAdvertiseDCBX, out)
	c.reset()
	c.noTLV, c.lost = true, reason
	c.update(nil, out)
	c.wait(nil, out)
}

// remote handles a usable DCBX TLV of the peer (somethingChangedRemote).
func (c *control) remote(m *Message, out *Output) {
	if !c.heard {
		out.notify(EventPeerFound, 0)
	}
	c.news = !c.heard || m.Control != c.peer
	c.noTLV, c.heard, c.peer = false, true, m.Control
	c.wait(m, out)
}

// wait runs the control machine from state Wait on until Wait has no transition left. m is the peer's TLV just
// received, or nil. The loop ends: UpdateDCBXTLV makes NEWDATA false until ReadPeer, and m is checked at most
// twice, once for a new version and once more.
// Clauses: DCBX/operation.1, DCBX/control-state.2,6.
func (c *control) wait(m *Message, out *Output) {
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
			m = nil // this TLV gets no answer: the peer must first follow our OperVersion
		default:
			c.readPeer(m, out)
			m = nil
		}
	}
}

// newData reports whether NEWDATA is true: the peer has acknowledged the last TLV, and a feature has newer
// parameters to send.
// Clauses: DCBX/control-state.3, DCBX/feature.3,7.
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

// updateDCBXTLV sends the present parameters of all features under the next SeqNo (UpdateDCBXTLV).
// Clauses: DCBX/control-tlv.6, DCBX/control.6.
func (c *control) updateDCBXTLV(out *Output) {
	c.enter(ControlUpdateDCBXTLV, out)
	c.seq++ // wraps; numbers are only compared for equality
	for _, f := range c.features {
		f.capture()
	}
	c.changed(out)
}

// newVersion lowers the operating version to the highest that the peer knows, or raises it again (NewVersion).
// Clauses: DCBX/control-tlv.3, DCBX/control-state.5.
func (c *control) newVersion(m *Message, out *Output) {
	c.enter(ControlNewVersion, out)
	c.operV = min(c.maxV, m.Control.MaxVersion)
	c.changed(out)
}

// readPeer handles a new TLV of the peer (ReadPeer, AckPeer): all features read it, and its SeqNo is acknowledged.
// Clauses: DCBX/control-tlv.7, DCBX/control.9, DCBX/control-state.7,8.
func (c *control) readPeer(m *Message, out *Output) {
	c.enter(ControlReadPeer, out)
	c.rcvdAck = m.Control.AckNo
	// Features run before the answer, so that the answer carries their changes.
	c.update(m, out)
	if c.ack != m.Control.SeqNo {
		c.enter(ControlAckPeer, out)
		c.ack = m.Control.SeqNo
		c.changed(out)
	} else if c.news && m.Control.AckNo == 0 && c.seq != 0 {
		// The peer has restarted, and its first SeqNo is already acknowledged: the
		// peer has not received our TLV yet.
		c.changed(out)
	}
}

// update runs the machines of all features with the peer's latest TLV m; m is nil if there is none.
// Clauses: DCBX/control-variables.3, DCBX/control.3, DCBX/feature.2.
func (c *control) update(m *Message, out *Output) {
	for _, f := range c.features {
		f.update(c, m, out)
	}
}
