package topology

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"uelink/internal/netns"
	"uelink/lab/rig"
)

// Programs are the paths of the programs that run in a lab.
type Programs struct {
	Tool   string // uelink
	Daemon string // uelinkd
}

// Times of a lab.
const (
	stopPatience = 5 * time.Second       // longest wait for the end of a process, before it is killed
	askEvery     = 20 * time.Millisecond // between two queries of the daemons in Wait
)

// Lab is the namespaces, interfaces and processes of a document.
type Lab struct {
	document *Document
	dir      string
	spaces   map[string]*netns.NS // namespaces, by the name of the host, the station or the wire with a cable
	stations []*station
	cables   []*rig.Process
	closing  atomic.Bool
}

// Start makes the namespaces and interfaces of a document and starts its daemons and cables, with their files in dir.
// It does not wait until links are up. First it removes namespaces left by crashed runs. Close removes everything.
func Start(d *Document, dir string, p Programs) (_ *Lab, err error) {
	if err := netns.CleanStale(); err != nil {
		return nil, fmt.Errorf("remove what an earlier run left behind: %w", err)
	}
	l := &Lab{document: d, dir: dir, spaces: map[string]*netns.NS{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if err := l.makeSpaces(); err != nil {
		return nil, err
	}
	for _, h := range d.Hosts {
		if err := l.plug(h); err != nil {
			return nil, err
		}
	}
	if err := l.lay(p); err != nil {
		return nil, err
	}
	for i := range d.Stations {
		if err := l.start(&d.Stations[i], p); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// makeSpaces makes a network namespace for each host, each station, and each wire with a cable.
func (l *Lab) makeSpaces() error {
	var names []string
	for _, h := range l.document.Hosts {
		names = append(names, h.Name)
	}
	for _, s := range l.document.Stations {
		names = append(names, s.Name)
	}
	for i := range l.document.Wires {
		if w := &l.document.Wires[i]; w.hasCable() {
			names = append(names, w.Name)
		}
	}
	for _, name := range names {
		ns, err := netns.New(name)
		if err != nil {
			return err
		}
		l.spaces[name] = ns
	}
	return nil
}

// plug joins a host to its station.
func (l *Lab) plug(h Host) error {
	host := l.spaces[h.Name]
	if err := netns.Veth(host, "eth0", l.spaces[h.Station], h.Name, h.MTU); err != nil {
		return err
	}
	return host.AddAddr("eth0", h.Address.String())
}

// lay makes the wires' interfaces and starts their cables. A wire without a cable is a veth between both stations; a
// wire with a cable is a veth from each station to the cable's namespace.
func (l *Lab) lay(p Programs) error {
	ports := map[string]int{} // number of ports given to wires so far, by station
	next := func(station string) string {
		name := fmt.Sprintf("link%d", ports[station])
		ports[station]++
		return name
	}
	for i := range l.document.Wires {
		w := &l.document.Wires[i]
		a, b := l.spaces[w.Ends[0]], l.spaces[w.Ends[1]]
		atA, atB := next(w.Ends[0]), next(w.Ends[1])
		middle := l.spaces[w.Name]
		if middle == nil {
			if err := netns.Veth(a, atA, b, atB, w.MTU); err != nil {
				return err
			}
			continue
		}
		err := netns.Veth(a, atA, middle, "a", w.MTU)
		if err == nil {
			err = netns.Veth(b, atB, middle, "b", w.MTU)
		}
		if err != nil {
			return err
		}
		if err := l.startCable(middle, w, p); err != nil {
			return err
		}
	}
	return nil
}

// startCable starts the cable of a wire.
func (l *Lab) startCable(ns *netns.NS, w *Wire, p Programs) error {
	args := append([]string{"cable", "-o", "json"}, w.arguments(l.control(l.dir, w))...)
	process, err := rig.Start(ns, "uelink cable of "+w.Name, apart(p.Tool, args...))
	if err != nil {
		return err
	}
	l.cables = append(l.cables, process)
	return nil
}

// control returns the path of the socket of a wire, below dir.
func (l *Lab) control(dir string, w *Wire) string { return filepath.Join(dir, w.Name+".control") }

// processes returns the processes of the lab: cables and daemons.
func (l *Lab) processes() []*rig.Process {
	all := append([]*rig.Process(nil), l.cables...)
	for _, s := range l.stations {
		all = append(all, s.daemon.Process)
	}
	return all
}

// Wait waits until all cables carry frames and all ports are up, with LLR on links both ways, or ctx ends. An error
// says what is not up.
func (l *Lab) Wait(ctx context.Context) error {
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for missing := []string{"nothing was asked"}; ; {
		for _, p := range l.processes() {
			if !p.Running() {
				return p.Failure(fmt.Errorf("ended by itself: %v", p.Cmd.ProcessState))
			}
		}
		if now := l.missing(ctx); ctx.Err() == nil { // when ctx has ended, the answers of the daemons are incomplete
			missing = now
		}
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return errors.New("interrupted before the lab was up")
			}
			problems := []error{context.Cause(ctx), errors.New(strings.Join(missing, "\n"))}
			for _, p := range l.processes() {
				problems = append(problems, p.Failure(errors.New("runs")))
			}
			return errors.Join(problems...)
		}
	}
}

// missing returns, in words, the cables and ports that are not up.
func (l *Lab) missing(ctx context.Context) (list []string) {
	for _, p := range l.cables {
		if !strings.Contains(p.Stderr.String(), `"event":"ready"`) {
			list = append(list, p.Name+" is not ready")
		}
	}
	for _, s := range l.stations {
		if state := State(ctx, s.daemon.Client); state != Up {
			list = append(list, s.name+": "+state)
		}
	}
	return list
}

// Report calls report with an error for each process of the lab that ends before Close, from other goroutines. It
// returns at once.
func (l *Lab) Report(report func(error)) {
	for _, p := range l.processes() {
		go func() {
			<-p.Ended
			if !l.closing.Load() {
				report(p.Failure(fmt.Errorf("ended by itself: %v", p.Cmd.ProcessState)))
			}
		}()
	}
}

// Close ends all processes in the namespaces of the lab, those of others too, and removes the namespaces.
func (l *Lab) Close() error {
	l.closing.Store(true)
	var paths []string
	for _, ns := range l.spaces {
		paths = append(paths, ns.Path())
	}
	problems := []error{netns.EndProcesses(stopPatience, paths...)}
	for _, s := range l.stations {
		s.daemon.Client.Close()
	}
	for _, ns := range l.spaces {
		problems = append(problems, ns.Close())
	}
	return errors.Join(problems...)
}
