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
	changeInterface               // the interface is detached and attached again; the rest as with changeSockets
	changeLink                    // LLR starts again with the partner; frames held by LLR are lost, and counted
)

// String returns in words what happens to a port in a reload: nothing, or what is opened again.
func (c change) String() string {
	words := [...]string{"none", "sockets opened anew", "interface taken anew", "link started anew", "?"}
	return words[min(c, changeLink+1)]
}

// goesOn reports whether new settings still have the port, on the same interface and in the same role.
func (a *attachment) goesOn(s Settings) bool {
	old := &a.settings
	if !s.hasPort(old.Name) {
		return false
	}
	next := s.port(old.Name)
	return next.SamePort(old)
}

// keyChange is a configuration key and the change that a new value of the key needs.
type keyChange struct {
	key     string
	differs bool   // the old and the new settings have different values
	does    change // needed if differs
}

// neededChange returns the largest change that a port needs for new settings of the same role and interface (from
// none to new sockets, a new attachment, a restart of the link), and the keys that need it. p is the LLR profile
// named by the settings.
func (a *attachment) neededChange(next *model.PortSettings, p llr.Profile) (does change, keys []string) {
	old := &a.settings
	slots, chunks := roomFor(next, p)
	all := append(keyChanges(next, old),
		keyChange{"max_outstanding_frames", slots > a.room.window, changeSockets},
		keyChange{"replay", chunks > a.room.chunks, changeSockets},
		keyChange{"limit", next.Assured() != old.Assured() && !a.holdsAssured(next), changeSockets})
	for _, c := range all {
		if c.differs {
			does, keys = max(does, c.does), append(keys, c.key)
		}
	}
	return does, keys
}

// Cost returns the cost of a reload from the settings old to the settings s, in a word: "none", "sockets", "interface",
// "link" or "port". The room in the memory of the sockets is not checked.
func Cost(s, old *model.PortSettings) string {
	if s.Name != old.Name || !s.SamePort(old) {
		return "port"
	}
	does := changeNone
	for _, c := range keyChanges(s, old) {
		if c.differs {
			does = max(does, c.does)
		}
	}
	return [...]string{"none", "sockets", "interface", "link"}[does]
}

// keyChanges returns, for every key whose change needs more than new settings, whether its value differs between s
// and old, and what must be opened again for it.
func keyChanges(s, old *model.PortSettings) []keyChange {
	return []keyChange{
		{"dialect", s.Dialect != old.Dialect, changeLink},
		{"encapsulation", s.Encapsulation != old.Encapsulation, changeLink},
		{"partner", s.Partner != old.Partner, changeLink},
		{"buffer", s.HIPPI.Profile.Buffers != old.HIPPI.Profile.Buffers, changeLink},
		{"offloads", s.Offloads != old.Offloads, changeInterface},
		{"promiscuous", s.Promiscuous != old.Promiscuous, changeInterface},
		{"xdp", s.XDP != old.XDP, changeInterface},
		{"bind", s.Bind != old.Bind, changeSockets},
		{"tx_path", s.TxPath != old.TxPath, changeSockets},
		{"opener", s.Opener != old.Opener, changeSockets},
		{"offload", s.Offload != old.Offload, changeSockets},
		{"queues", s.Queues != old.Queues, changeSockets},
		{"tx_queue", s.TxQueue != old.TxQueue, changeSockets},
		{"ring_size", s.RingSize != old.RingSize, changeSockets},
		{"rx_ring_size", s.RxRing() != old.RxRing(), changeSockets},
		{"chunk_size", s.ChunkSize != old.ChunkSize, changeSockets},
	}
}

// holdsAssured reports whether the memory of a port's sockets has room for the chunks that settings s reserve for
// certain classes, and for at least half of the shared room of a port opened with these settings.
func (a *attachment) holdsAssured(s *model.PortSettings) bool {
	if a.host == nil {
		return true
	}
	total := s.Assured()
	// The shared chunks of a port opened with these settings: those that no class has for itself.
	wanted := s.InPieces(s.Geometry(a.room.window, a.room.chunks), a.host.pieces).Spare - total
	return a.host.sockets[0].Geometry().Spare-total >= wanted/2
}
