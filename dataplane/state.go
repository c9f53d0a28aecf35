package dataplane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/llr"
	"uelink/wire"
)

// states returns snapshots of the ports of the xconnect or bridge: what their worker knows, and then what fill adds.
func (g *group) states() []model.PortState {
	states := make([]model.PortState, len(g.members))
	g.worker.Do(func(now wire.Time) {
		for i, a := range g.members {
			states[i] = a.port.State(now)
			if a.host != nil {
				states[i].Counters.TxKicks = a.host.kicks() - a.counts.kicked
			}
		}
	})
	for i, a := range g.members {
		a.fill(&states[i])
		if a.host != nil && a.settings.Role == model.RoleLink {
			states[i].CarriedMTU = max(a.host.mtu-a.settings.Overhead(), 0)
		}
		if states[i].Worker = g.worker.ID; g.bridge != nil {
			states[i].Bridge = g.bridge.Name
		}
	}
	return states
}

// fill adds to a port's snapshot the state that the worker does not have: problems, notices, and the counts of
// sockets and interface.
func (a *attachment) fill(st *model.PortState) {
	st.Fault, st.Notice, st.Host = trouble.Join(a.fault(), st.Fault), a.notice.text, a.settings.Host
	st.Admin, st.Finishes = a.status.admin, a.checksums.Now
	st.FaultReasons, st.NoticeReason = append(a.faultReasons(), st.FaultReasons...), a.notice.reason
	if a.host == nil {
		return
	}
	if a.monitor.CaptureFull && a.host.recording.capture != nil {
		st.CaptureEnded = fmt.Sprintf("the capture has reached its capture_limit after %d frames: raise capture_limit, or "+
			"remove capture, and type: uelink reload", a.host.recording.capture.Counts().Frames)
	}
	if c, err := a.host.program.Counters(); err == nil {
		st.Counters.RxNoSocket = c.NoSocket - a.counts.unsocketed
	}
	info := a.host.sockets[0].Info()
	st.Sockets = &model.SocketState{
		XDPMode: a.host.program.Mode(), Opener: info.Opener, BindMode: info.BindMode(), Stats: a.counted(),
		Reason: a.host.reasons(), RxQueues: a.host.queues().List(), TxQueue: a.host.txQueue(),
		NoSocket: a.monitor.UncaughtQueues().List(), TxPath: max(a.tx.path, attach.PathAFXDP), TxWhy: a.tx.reason,
		Super: a.super.state, SuperWhy: a.super.reason,
		Push: a.push.state, PushWhy: a.push.reason, HostWait: a.push.waiting(&a.far.HostEndState),
	}
	st.Sockets.Stats.Sub(a.counts.baseline.Stats)
	st.Device = a.counts.device
	st.Device.Sub(a.counts.baseline.DeviceCounters)
}

// clear sets the counters of a port to zero. Counters of the kernel go on, and their present values are recorded, to be
// subtracted later.
func (g *group) clear(a *attachment) {
	if a.host != nil {
		a.counts.baseline = trouble.Counters{Stats: a.counted(), DeviceCounters: a.counts.device}
		a.counts.untaken -= a.noSocket()
		if c, err := a.host.program.Counters(); err == nil {
			a.counts.unsocketed = c.NoSocket
		}
	}
	g.worker.Do(func(now wire.Time) {
		a.port.Clear(now)
		if a.host != nil {
			a.counts.kicked = a.host.kicks()
		}
	})
}

// Workers returns the CPU time of every worker, by number.
func (d *Dataplane) Workers() []model.WorkerState {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]model.WorkerState, 0, len(d.workers))
	for _, w := range d.workers {
		list = append(list, model.WorkerState{Worker: w.ID, CPU: w.CPU()})
	}
	return list
}

// Ports returns a snapshot of every port, sorted by name.
func (d *Dataplane) Ports() []model.PortState {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := []model.PortState{}
	for _, g := range d.groups {
		states = append(states, g.states()...)
	}
	slices.SortFunc(states, func(a, b model.PortState) int { return strings.Compare(a.Name, b.Name) })
	return states
}

// Profiles returns the LLR profiles of the settings, by name.
func (d *Dataplane) Profiles() map[string]llr.Profile {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.settings.Profiles
}

// ClearCounters sets the counters of a port to zero, or for "" the counters of all ports and of trimming. Error:
// ErrNoPort.
func (d *Dataplane) ClearCounters(port string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := port == ""
	if found {
		d.clearTrimming()
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if port == "" || port == a.settings.Name {
				g.clear(a)
				found = true
			}
		}
	}
	if !found {
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	}
	return nil
}

// SavedState is the state of a port's machines as text, by package snapshot.
type SavedState struct {
	Port string
	Text string
}

// SavedStates returns the saved state of the protocol machines of every port as text, sorted by port. Each port costs
// its worker a fraction of a millisecond.
func (d *Dataplane) SavedStates() []SavedState {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := []SavedState{}
	for _, g := range d.groups {
		for _, a := range g.members {
			states = append(states, SavedState{Port: a.settings.Name, Text: g.save(a.port)})
		}
	}
	slices.SortFunc(states, func(a, b SavedState) int { return strings.Compare(a.Port, b.Port) })
	return states
}

// Trimming returns a snapshot of the settings and counters of packet trimming of the whole data plane.
func (d *Dataplane) Trimming() model.TrimmingState {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := model.TrimmingState{Settings: d.settings.Trimming, Counters: d.trimmed}
	for _, g := range d.groups {
		g.worker.Do(func(wire.Time) { s.Counters.Add(g.domain.Trimming.Counters) })
	}
	return s
}

// clearTrimming sets the counters of packet trimming of the whole data plane to zero.
func (d *Dataplane) clearTrimming() {
	d.trimmed = model.TrimCounters{}
	for _, g := range d.groups {
		g.worker.Do(func(wire.Time) { g.domain.Trimming.Counters.Clear() })
	}
}

// BesideNamespaces returns the edges whose veth has its other end in another named network namespace. The offloads of
// the other end are switched off there and put back at the end, for which the daemon needs CAP_SYS_ADMIN.
func (d *Dataplane) BesideNamespaces() (ports []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host != nil && a.host.offloads() == netif.OffloadsOffAtBothEnds && a.host.owned.HostEnd().Elsewhere() {
				ports = append(ports, a.settings.Name)
			}
		}
	}
	return ports
}

// Unkept is why the data plane cannot keep, in the state folder, what the next process needs; nil for what is kept.
type Unkept struct {
	Addresses error // why the addresses of the hosts' ends of created veths are not kept
	Records   error // why the records of changed interfaces, for the restoration after a kill, are not kept
}

// Keep tries again to write what the state folder did not take, and returns why that fails.
func (d *Dataplane) Keep() (u Unkept) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u.Addresses = d.veths.addresses.Keep()
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host == nil || a.host.owned == nil {
				continue
			}
			if err := a.host.owned.Record(); err != nil {
				u.Records = cmp.Or(u.Records, fmt.Errorf("%s: %w", a.ifname(), err))
			}
		}
	}
	return u
}
