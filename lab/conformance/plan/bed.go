package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/lab/rig"
	"uelink/lab/traffic"
	"uelink/wire"
)

// MTUs of the interfaces, in octets: of hosts and edges, and of links and the wire between them.
const (
	edgeMTU = 1500
	linkMTU = edgeMTU + wire.Overhead
)

// end is one end of the link.
type end struct {
	name   string // A or B
	client *client.Client
	port   string      // name of the link port
	daemon *rig.Daemon // nil: the daemon is not ours
	host   traffic.End // where the frames of this end come from
	place  *netns.NS   // of our daemon
	binary string      // of our daemon
}

// bed is two ends and the wire between them.
type bed struct {
	ends  [2]*end
	wire  *rules
	short bool // run fewer cases, with shorter loads

	spaces []*netns.NS
	dir    string
	now    settings // with which fresh has started our ends
	kind   string   // kind of replay with which fresh has started our ends
}

// newBed makes namespaces, the wire and the directories of two daemons. The daemons are not started yet: the method
// fresh starts daemons when a case asks for settings.
func newBed(o Options) (b *bed, err error) {
	b = &bed{short: o.Short}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp("/run", "uelink-plan-"); err != nil {
		return b, fmt.Errorf("directory of the plan's daemons: %w", err)
	}
	if err := b.makeSpaces(); err != nil {
		return b, err
	}
	for i, name := range []string{"A", "B"} {
		d, err := rig.NewDaemon(filepath.Join(b.dir, name), func(string) string { return "" })
		if err != nil {
			return b, err
		}
		hosts := b.spaces[2*i]
		b.ends[i] = &end{name: name, client: d.Client, port: "link0", daemon: d, place: b.spaces[2*i+1],
			binary: o.Daemons[i], host: traffic.End{Interface: "eth0", NetNS: hosts.Name(), Label: "host" + name}}
	}
	b.wire, err = plug(b.spaces[4].Do, "a", "b")
	return b, err
}

// makeSpaces makes the namespaces hostA, A, hostB, B and wire, in this order in b.spaces, and the veths between them.
// The spare links join A and B directly, each with an edge and a host's interface at both ends.
func (b *bed) makeSpaces() error {
	if err := netns.CleanStale(); err != nil {
		return fmt.Errorf("remove the network namespaces of an earlier run: %w", err)
	}
	for _, name := range []string{"hostA", "A", "hostB", "B", "wire"} {
		ns, err := netns.New(name)
		if err != nil {
			return err
		}
		b.spaces = append(b.spaces, ns)
	}
	cable := b.spaces[4]
	for i, port := range []string{"a", "b"} {
		host, place := b.spaces[2*i], b.spaces[2*i+1]
		if err := netns.Veth(host, "eth0", place, "edge0", edgeMTU); err != nil {
			return err
		}
		if err := netns.Veth(place, "link0", cable, port, linkMTU); err != nil {
			return err
		}
	}
	for i := 1; i <= spares; i++ {
		name := fmt.Sprintf("link%d", i)
		if err := netns.Veth(b.spaces[1], name, b.spaces[3], name, linkMTU); err != nil {
			return err
		}
		for _, i := range []int{0, 2} {
			edge := "edge" + strings.TrimPrefix(name, "link")
			if err := netns.Veth(b.spaces[i], edge, b.spaces[i+1], edge, edgeMTU); err != nil {
				return err
			}
		}
	}
	return nil
}

// close ends the wire and our daemons, and removes what was made.
func (b *bed) close() error {
	var problems []error
	for _, e := range b.ends {
		if e != nil {
			problems = append(problems, e.close())
		}
	}
	problems = append(problems, b.wire.close())
	for _, ns := range b.spaces {
		problems = append(problems, ns.Close())
	}
	return errors.Join(append(problems, os.RemoveAll(b.dir))...)
}

// close ends the end's daemon, if the run started it, and closes its client.
func (e *end) close() (err error) {
	if e.daemon == nil {
		e.client.Close()
		return nil
	}
	if e.daemon.Process != nil && e.daemon.Running() {
		err = e.daemon.Stop(patience)
	}
	e.daemon.Close()
	return err
}

// restart ends the end's daemon, if any, and starts a daemon with the text of its configuration file.
func (e *end) restart() error {
	if e.daemon.Process != nil && e.daemon.Running() {
		if err := e.daemon.Stop(patience); err != nil {
			return err
		}
	}
	return e.daemon.Start(e.place, "uelinkd at "+e.name, e.daemon.Command(e.binary))
}

// fresh starts both ends again with settings and waits until the link is up. Ends that are not ours are not started:
// see foreign.
func (t *trial) fresh(ctx context.Context, s settings) error {
	if t.ends[0].daemon == nil {
		return t.foreign(ctx, s)
	}
	t.now, t.kind = s, t.replay
	for _, e := range t.ends {
		if err := e.daemon.Write(s.text(e.daemon.Socket, t.replay)); err != nil {
			return err
		}
		if err := e.restart(); err != nil {
			return err
		}
	}
	return t.up(ctx)
}

// reload makes the daemon of end i load other settings while it runs. The error is *impossible if this program did not
// start the daemon.
func (t *trial) reload(ctx context.Context, i int, s settings) error {
	e := t.ends[i]
	if e.daemon == nil {
		return &impossible{"the case changes the configuration of the daemons, and this program did not start the daemons"}
	}
	if err := e.daemon.Write(s.text(e.daemon.Socket, t.replay)); err != nil {
		return err
	}
	done, err := e.client.Reload(ctx)
	if err == nil && len(done.Errors) > 0 {
		err = fmt.Errorf("reload of %s: %v", e.name, done.Errors)
	}
	return err
}

// foreign compares the settings needed by a case with the settings of ends started by others, clears their counters and
// waits until the link is up. The error is *impossible if the settings differ.
func (t *trial) foreign(ctx context.Context, s settings) error {
	if s.off || s.credits != "" || s.edge != "" {
		return &impossible{"the case needs another configuration, and this program did not start the daemons"}
	}
	for i, e := range t.ends {
		l, err := t.link(ctx, i)
		if err != nil {
			return err
		}
		p, err := e.client.LLRProfile(ctx, l.Profile)
		if err != nil {
			return err
		}
		// Settings that the case leaves as in common may differ. The action in FLUSH matters if replays have a limit.
		if timed := s.timer != common().timer && p.MaxReplayTimer != s.timer; timed || int(p.MaxReplayCount) != s.count ||
			s.frames != common().frames && p.MaxOutstandingFrames != s.frames || p.FlushAction != s.flush && s.count != 255 {
			return &impossible{fmt.Sprintf("profile %s of end %s differs from the profile that the case needs: "+
				"REPLAY_TIMER_MAX %v, REPLAY_COUNT_MAX %d, OUTSTANDING_FRAMES_MAX %d, FLUSH_LLR_FRAME_ACTION %s",
				l.Profile, e.name, s.timer, s.count, s.frames, s.flush)}
		}
		if err := e.client.ClearCounters(ctx, e.port); err != nil {
			return err
		}
	}
	return t.up(ctx)
}

// up waits until LLR runs both ways at both ends, if it is on, and until their channels have credits.
func (t *trial) up(ctx context.Context) error {
	var ended error
	err := await(ctx, "the link is up", func() (bool, string) {
		for i, e := range t.ends {
			if e.daemon != nil && !e.daemon.Running() {
				ended = e.daemon.Failure(errors.New("has ended"))
				return true, ""
			}
			l, err := t.link(ctx, i)
			if err != nil {
				return false, err.Error()
			}
			if !t.now.off && !l.Established() || t.now.off && !l.PartnerKnown {
				return false, fmt.Sprintf("%s: %s, %s, %s", e.name, l.TxStatus, l.RxStatus, l.PartnerProblem)
			}
			if t.now.credits == "" {
				continue
			}
			if state := t.uncredited(ctx, i); state != "" {
				return false, state
			}
		}
		return true, ""
	})
	return errors.Join(err, ended)
}

// between returns a stream of frames both ways between the hosts: n frames of size octets without FCS, with at most
// window frames in flight.
func (t *trial) between(n uint64, size, window int) traffic.Config {
	c := traffic.DefaultConfig()
	c.From, c.To = t.ends[0].host, t.ends[1].host
	c.Frames, c.Size, c.Window = n, fmt.Sprint(size), window
	c.LossTimeout, c.GiveUp = 2*time.Second, 3*time.Second
	return c
}

// send carries the frames of a stream and returns the counts of the direction from A to B, the sum over all its flows.
func (t *trial) send(ctx context.Context, c traffic.Config) (d traffic.Direction, err error) {
	r, err := traffic.Run(ctx, c, nil)
	if len(r.Directions) < 2 {
		return d, errors.Join(err, errors.New("the test traffic has ended without a result"))
	}
	d = r.Directions[0]
	for _, more := range r.Directions[2:] {
		if more.From == d.From {
			add(&d, &more)
		}
	}
	return d, nil // the error of a direction without arrivals shows in the counts
}

// add adds the counts of another flow of the same way.
func add(d, more *traffic.Direction) {
	d.Sent += more.Sent
	d.Delivered += more.Delivered
	d.Lost += more.Lost
	d.Duplicated += more.Duplicated
	d.Reordered += more.Reordered
	d.CorruptedDelivered += more.CorruptedDelivered
	d.GoodputBPS += more.GoodputBPS
	d.PPS += more.PPS
	d.Seconds = max(d.Seconds, more.Seconds)
}

// whole records whether every frame of a stream arrived once, in order and unchanged.
func (t *trial) whole(prefix string, d *traffic.Direction) {
	equal(t, prefix+"frames delivered", d.Sent, d.Delivered)
	equal(t, prefix+"frames twice, out of order or changed", 0, d.Duplicated+d.Reordered+d.CorruptedDelivered)
}

// carry carries n frames each way and records whether all arrived. It returns the counts of the direction from A to B.
func (t *trial) carry(ctx context.Context, n uint64, size, window int) (traffic.Direction, error) {
	d, err := t.send(ctx, t.between(n, size, window))
	if err == nil {
		t.whole("", &d)
	}
	return d, err
}
