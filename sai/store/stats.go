package store

import (
	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/sai"
)

// The modes of a statistic that can only be read, and of one that can also be cleared.
const (
	readable  = sai.StatRead | sai.StatBulkRead
	clearable = readable | sai.StatReadAndClear | sai.StatBulkClear | sai.StatBulkReadAndClear
)

// Statistic is a statistic of a type of objects. One without modes is known, and not implemented.
type Statistic struct {
	ID    uint32
	Name  string // in SAI
	Modes sai.StatModes
	About string // the counted events, or the reason of a missing implementation

	// One of these reads the value from the state of the object, by the type of the object; nil: the others.
	port func(*model.PortState) uint64
	vc   func(*cbfc.VCState) uint64

	queue func(*model.QueueState) uint64
}

// statistics returns the definitions of all SAI statistics of object type t; nil if the type has none.
func statistics(t sai.ObjectType) []Statistic {
	switch t {
	case sai.TypePort:
		return portStatistics()
	case sai.TypeVC:
		return vcStatistics()
	case sai.TypeQueue:
		return queueStatistics()
	default:
		return nil
	}
}

// portStatistics returns the definitions of a port's statistics: frames and trimming, then those of LLR and of CBFC.
func portStatistics() []Statistic {
	const noKinds = "frames are not counted by the kind of their address"
	list := []Statistic{
		{0, "SAI_PORT_STAT_IF_IN_OCTETS", clearable, "octets of received frames, without FCS",
			func(p *model.PortState) uint64 { return p.Counters.RxOctets }, nil, nil},
		{1, "SAI_PORT_STAT_IF_IN_UCAST_PKTS", 0, noKinds, nil, nil, nil},
		{2, "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS", 0, noKinds, nil, nil, nil},
		{3, "SAI_PORT_STAT_IF_IN_DISCARDS", clearable, "received frames dropped, for any reason",
			func(p *model.PortState) uint64 { rx, _ := p.Dropped(); return rx }, nil, nil},
		{4, "SAI_PORT_STAT_IF_IN_ERRORS", clearable, "frames received damaged", damaged, nil, nil},
		{9, "SAI_PORT_STAT_IF_OUT_OCTETS", clearable, "octets of sent frames, without FCS",
			func(p *model.PortState) uint64 { return p.Counters.TxOctets }, nil, nil},
		{10, "SAI_PORT_STAT_IF_OUT_UCAST_PKTS", 0, noKinds, nil, nil, nil},
		{11, "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS", 0, noKinds, nil, nil, nil},
		{12, "SAI_PORT_STAT_IF_OUT_DISCARDS", clearable, "frames to be sent that were dropped, for any reason",
			func(p *model.PortState) uint64 { _, tx := p.Dropped(); return tx }, nil, nil},
		{13, "SAI_PORT_STAT_IF_OUT_ERRORS", clearable, "frames that the driver failed to send",
			func(p *model.PortState) uint64 { return p.Device.TxErrors }, nil, nil},
		{201, "SAI_PORT_STAT_TRIM_PACKETS", clearable, "frames to be sent that were trimmed for want of room",
			func(p *model.PortState) uint64 { return p.Counters.TrimPackets }, nil, nil},
	}
	return append(append(list, llrStatistics()...), cbfcStatistics()...)
}

// damaged returns how many received frames of a port were damaged on the wire.
func damaged(p *model.PortState) uint64 {
	n := p.Counters.RxRunt + p.Counters.RxBareBadFCS + p.Counters.RxControlCRC + p.Counters.RxShimBadSFD +
		p.Counters.RxShimReserved + p.Counters.RxShimTruncated
	if p.LLR != nil {
		n += p.LLR.Counters.RxBad
	}
	return n
}

// llrStatistics returns the definitions of the port statistics of LLR (SAI_PORT_STAT_LLR_…), in SAI's order.
func llrStatistics() (list []Statistic) {
	for i, s := range []struct {
		name    string
		meaning string
		read    func(*llr.Counters) uint64
	}{
		{"TX_INIT_CTL_OS", "LLR_INIT sent", func(c *llr.Counters) uint64 { return c.TxInitCtlOS }},
		{"TX_INIT_ECHO_CTL_OS", "LLR_INIT_ECHO sent", func(c *llr.Counters) uint64 { return c.TxInitEchoCtlOS }},
		{"TX_ACK_CTL_OS", "LLR_ACK sent", func(c *llr.Counters) uint64 { return c.TxAckCtlOS }},
		{"TX_NACK_CTL_OS", "LLR_NACK sent", func(c *llr.Counters) uint64 { return c.TxNackCtlOS }},
		{"TX_DISCARD", "frames discarded in INIT or FLUSH", func(c *llr.Counters) uint64 { return c.TxDiscard }},
		{"TX_OK", "frames sent with LLR, replays included", func(c *llr.Counters) uint64 { return c.TxOK }},
		{"TX_POISONED", "frames sent with a poisoned FCS, replays included, because their copy for replays has changed in memory",
			func(c *llr.Counters) uint64 { return c.TxPoisoned }},
		{"TX_REPLAY", "replays", func(c *llr.Counters) uint64 { return c.TxReplay }},
		{"RX_INIT_CTL_OS", "LLR_INIT received", func(c *llr.Counters) uint64 { return c.RxInitCtlOS }},
		{"RX_INIT_ECHO_CTL_OS", "LLR_INIT_ECHO received", func(c *llr.Counters) uint64 { return c.RxInitEchoCtlOS }},
		{"RX_ACK_CTL_OS", "LLR_ACK received", func(c *llr.Counters) uint64 { return c.RxAckCtlOS }},
		{"RX_NACK_CTL_OS", "LLR_NACK received", func(c *llr.Counters) uint64 { return c.RxNackCtlOS }},
		{"RX_ACK_NACK_SEQ_ERROR", "LLR_ACK and LLR_NACK received with a sequence number of no outstanding frame",
			func(c *llr.Counters) uint64 { return c.RxAckNackSeqError }},
		{"RX_OK", "frames received with LLR and a good FCS", func(c *llr.Counters) uint64 { return c.RxOK }},
		{"RX_POISONED", "frames received with LLR and a poisoned FCS", func(c *llr.Counters) uint64 { return c.RxPoisoned }},
		{"RX_BAD", "frames received with LLR and a bad FCS", func(c *llr.Counters) uint64 { return c.RxBad }},
		{"RX_EXPECTED_SEQ_GOOD", "frames received with the expected sequence number and a good FCS",
			func(c *llr.Counters) uint64 { return c.RxExpectedSeqGood }},
		{"RX_EXPECTED_SEQ_POISONED", "frames received with the expected sequence number and a poisoned FCS",
			func(c *llr.Counters) uint64 { return c.RxExpectedSeqPoisoned }},
		{"RX_EXPECTED_SEQ_BAD", "frames received with the expected sequence number and a bad FCS",
			func(c *llr.Counters) uint64 { return c.RxExpectedSeqBad }},
		{"RX_MISSING_SEQ", "frames received with a sequence number past a missing frame",
			func(c *llr.Counters) uint64 { return c.RxMissingSeq }},
		{"RX_DUPLICATE_SEQ", "frames received with the sequence number of a frame received before",
			func(c *llr.Counters) uint64 { return c.RxDuplicateSeq }},
		{"RX_REPLAY", "replays of the partner", func(c *llr.Counters) uint64 { return c.RxReplay }},
	} {
		list = append(list, Statistic{204 + uint32(i), "SAI_PORT_STAT_LLR_" + s.name, clearable, s.meaning,
			func(p *model.PortState) uint64 {
				if p.LLR == nil {
					return 0
				}
				return s.read(&p.LLR.Counters)
			}, nil, nil})
	}
	return list
}

// cbfcStatistics returns the definitions of the port statistics of CBFC (SAI_PORT_STAT_CBFC_…), in SAI's order.
func cbfcStatistics() (list []Statistic) {
	for i, s := range []struct {
		name    string
		modes   sai.StatModes
		meaning string
		read    func(*cbfc.State) uint64
	}{
		{"SENDER_CREDITS_USED", readable, "credits in use now", func(s *cbfc.State) uint64 { return uint64(s.Used) }},
		{"SENDER_CREDITS_USED_WATERMARK", readable, "most credits that were in use",
			func(s *cbfc.State) uint64 { return uint64(s.Watermark) }},
		{"NUM_CC_UPDATE_MESSAGES_TX", clearable, "CC_Updates sent", func(s *cbfc.State) uint64 { return s.Counters.CCUpdateTx }},
		{"NUM_CF_UPDATE_MESSAGES_TX", clearable, "CF_Updates sent", func(s *cbfc.State) uint64 { return s.Counters.CFUpdateTx }},
		{"NUM_CC_UPDATE_MESSAGES_RX", clearable, "CC_Updates received", func(s *cbfc.State) uint64 { return s.Counters.CCUpdateRx }},
		{"NUM_CF_UPDATE_MESSAGES_RX", clearable, "CF_Updates received", func(s *cbfc.State) uint64 { return s.Counters.CFUpdateRx }},
	} {
		list = append(list, Statistic{226 + uint32(i), "SAI_PORT_STAT_CBFC_" + s.name, s.modes, s.meaning,
			func(p *model.PortState) uint64 {
				if p.CBFC == nil {
					return 0
				}
				return s.read(p.CBFC)
			}, nil, nil})
	}
	return list
}

// vcStatistics returns the definitions of a virtual channel's statistics, SAI_VIRTUAL_CHANNEL_STAT_…, in SAI's order:
// for each the number, the name, and the function that reads its value from the state of a channel.
func vcStatistics() []Statistic {
	const prefix, cyclic = "SAI_VIRTUAL_CHANNEL_STAT_", ", a cyclic count of 20 bits"
	return []Statistic{
		{0, prefix + "SENDER_CREDITS_USED", readable, "credits in use now", nil,
			func(v *cbfc.VCState) uint64 { return uint64(v.Sender.Used) }, nil},
		{1, prefix + "SENDER_CREDITS_CONSUMED", readable, "credits of sent frames" + cyclic, nil,
			func(v *cbfc.VCState) uint64 { return uint64(v.Sender.Consumed) }, nil},
		{2, prefix + "SENDER_CREDITS_FREED", readable, "credits that the partner has freed" + cyclic, nil,
			func(v *cbfc.VCState) uint64 { return uint64(v.Sender.Freed) }, nil},
		{3, prefix + "SENDER_CREDITS_USED_WATERMARK", readable, "most credits that were in use", nil,
			func(v *cbfc.VCState) uint64 { return uint64(v.Sender.Watermark) }, nil},
		{4, prefix + "RECEIVER_CREDITS_CONSUMED", readable, "credits of received frames" + cyclic, nil,
			func(v *cbfc.VCState) uint64 { return uint64(v.Receiver.Consumed) }, nil},
		{5, prefix + "RECEIVER_CREDITS_FREED", readable, "credits that this end has freed" + cyclic, nil,
			func(v *cbfc.VCState) uint64 { return uint64(v.Receiver.Freed) }, nil},
	}
}

// Stats returns the present values of the statistics ids of object oid, in the order of ids. An unknown object, or an
// unknown or unimplemented statistic, is an error.
// Clauses: SAI-LLR/workflow.4.
func (s *Store) Stats(oid sai.OID, ids []uint32) ([]uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	if refused != nil {
		return nil, refused
	}
	v, defined := s.view(), statistics(oid.Type())
	if len(defined) == 0 && len(ids) > 0 {
		return nil, refuse(sai.NotSupported, "%s has no statistics", oid.Type())
	}
	values := make([]uint64, 0, len(ids))
	for _, id := range ids {
		n, refused := v.statistic(o, defined, id)
		if refused != nil {
			return nil, refused
		}
		values = append(values, n)
	}
	return values, nil
}

// statistic returns the value of statistic id of object o; defined has the definitions for the object's type. An
// unknown or unimplemented statistic is an error.
func (v *view) statistic(o *object, defined []Statistic, id uint32) (uint64, *sai.Error) {
	for i := range defined {
		switch k := &defined[i]; {
		case k.ID != id:
			continue
		case k.Modes == 0:
			return 0, refuse(sai.NotImplemented, "%s is not implemented: %s", k.Name, k.About)
		case k.port != nil:
			return k.port(v.state(o.name)), nil
		case k.queue != nil:
			return k.queue(v.queue(o)), nil
		case v.cleared(o, id):
			return 0, nil
		default:
			return k.vc(v.channel(o)), nil
		}
	}
	return 0, refuse(sai.InvalidParameter, "%s has no statistic %d", o.oid.Type(), id)
}

// channel returns the CBFC state of the virtual channel that object o stands for; the zero value while the channel
// has no credits.
func (v *view) channel(o *object) *cbfc.VCState {
	states := vcStates(v.state(o.port))
	for i := range states {
		if states[i].VC == int(index(o)) {
			return &states[i]
		}
	}
	return &cbfc.VCState{}
}

// cleared reports whether statistic id of virtual channel o reads 0 because its direction is off. cbfc counts from 0
// each time a channel starts, so earlier counts have no meaning. The watermark stays.
func (v *view) cleared(o *object, id uint32) bool {
	switch {
	case id == vcStatWatermark:
		return false
	case id < vcStatWatermark:
		return senderEnabled(v, o).Number == 0
	default:
		return receiverEnabled(v, o).Number == 0
	}
}

// vcStatWatermark is SAI_VIRTUAL_CHANNEL_STAT_SENDER_CREDITS_USED_WATERMARK. The statistics below it are of the sender,
// those above it of the receiver.
const vcStatWatermark = 3

// Clear handles SAI's clear of the statistics ids of virtual channel oid, which read 0 while their direction is off. A
// direction that is on is an error: the partner counts the differences.
func (s *Store) Clear(oid sai.OID, ids []uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	if refused != nil {
		return refused
	}
	if oid.Type() != sai.TypeVC {
		return refuse(sai.NotSupported,
			"the daemon does not clear statistics of a %s: libsai keeps the values at the client's last clear",
			oid.Type())
	}
	v, defined := s.view(), statistics(oid.Type())
	for _, id := range ids {
		if _, refused := v.statistic(o, defined, id); refused != nil {
			return refused
		}
		if id == vcStatWatermark {
			return refuse(sai.NotSupported, "a watermark of %s is cleared only by uelink counters clear", o.name)
		}
	}
	for _, id := range ids {
		if !v.cleared(o, id) {
			return refuse(sai.ObjectInUse, "credits of %s are in use: set CBFC_SENDER_ENABLE to false to clear the sender's "+
				"counts, CBFC_RECEIVER_ENABLE for the receiver's", o.name)
		}
	}
	return nil
}
