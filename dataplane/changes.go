package dataplane

import (
	"uelink/dataplane/model"
	"uelink/llr"
)

// change is the work that new settings need on a port that goes on.
type change uint8

const (
	changeNone      change = iota // the worker applies the settings between two rounds
	changeSockets                 // the sockets are reopened: LLR and waiting frames go on, arriving frames are caught
	changeInterface               // the interface is detached and attached again: otherwise as changeSockets
	changeLink                    // LLR starts again with the partner; frames held by LLR are lost, and counted
)

// String returns in words what happens to a port in a reload: nothing, or what is opened again.
func (c change) String() string {
	words := [...]string{"none", "sockets opened anew", "interface taken anew", "link started anew", "?"}
	return words[min(c, changeLink+1)]
}

// goesOn reports whether new settings still have the port, on the same interface and in the same role.
func (a *attachment) goesOn(s Settings) bool {
	was := &a.settings
	if !s.has(was.Name) {
		return false
	}
	is := s.port(was.Name)
	return is.SamePort(was)
}

// keyChange is a configuration key and the change that a new value of the key needs.
type keyChange struct {
	key     string
	differs bool
	does    change
}

// neededChange returns the largest change that a port needs for new settings of the same role and interface (from
// none to new sockets, a new attachment, a restart of the link), and the keys that need it. p is the LLR profile
// named by the settings.
func (a *attachment) neededChange(is *model.PortSettings, p llr.Profile) (does change, keys []string) {
	was := &a.settings
	slots, kept := roomFor(is, p)
	all := append(keyChanges(is, was),
		keyChange{"max_outstanding_frames", slots > a.room.window, changeSockets},
		keyChange{"replay", kept > a.room.kept, changeSockets},
		keyChange{"limit", is.Assured() != was.Assured() && !a.holdsAssured(is), changeSockets})
	for _, c := range all {
		if c.differs {
			does, keys = max(does, c.does), append(keys, c.key)
		}
	}
	return does, keys
}

// Cost returns the cost of a reload from the settings was to the settings s, in a word: "none", "sockets", "interface",
// "link" or "port". The room in the memory of the sockets is not checked.
func Cost(s, was *model.PortSettings) string {
	if s.Name != was.Name || !s.SamePort(was) {
		return "port"
	}
	does := changeNone
	for _, c := range keyChanges(s, was) {
		if c.differs {
			does = max(does, c.does)
		}
	}
	return [...]string{"none", "sockets", "interface", "link"}[does]
}

// keyChanges returns, for every key whose change needs more than new settings, whether its value differs between s
// and was, and what must be opened again for it.
func keyChanges(s, was *model.PortSettings) []keyChange {
	return []keyChange{
		{"dialect", s.Dialect != was.Dialect, changeLink},
		{"encapsulation", s.Encapsulation != was.Encapsulation, changeLink},
		{"partner", s.Partner != was.Partner, changeLink},
		{"buffer", s.HIPPI.Profile.Buffers != was.HIPPI.Profile.Buffers, changeLink},
		{"offloads", s.Offloads != was.Offloads, changeInterface},
		{"promiscuous", s.Promiscuous != was.Promiscuous, changeInterface},
		{"xdp", s.XDP != was.XDP, changeInterface},
		{"bind", s.Bind != was.Bind, changeSockets},
		{"tx_path", s.TxPath != was.TxPath, changeSockets},
		{"opener", s.Opener != was.Opener, changeSockets},
		{"offload", s.Offload != was.Offload, changeSockets},
		{"queues", s.Queues != was.Queues, changeSockets},
		{"tx_queue", s.TxQueue != was.TxQueue, changeSockets},
		{"ring_size", s.RingSize != was.RingSize, changeSockets},
		{"rx_ring_size", s.RxRing() != was.RxRing(), changeSockets},
		{"chunk_size", s.ChunkSize != was.ChunkSize, changeSockets},
	}
}

// holdsAssured reports whether the memory of a port's sockets has room for the chunks that settings s reserve for
// certain classes, and for at least half of the shared room of a port opened with these settings.
func (a *attachment) holdsAssured(s *model.PortSettings) bool {
	if a.host == nil {
		return true
	}
	total := s.Assured()
	wanted := s.InPieces(s.Geometry(a.room.window, a.room.kept), a.host.pieces).Spare - total
	return a.host.sockets[0].Geometry().Spare-total >= wanted/2
}
