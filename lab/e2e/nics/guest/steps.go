package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
)

// The steps in the life of a link on a NIC in use, in the order of inuse.go.

// Bounds of the step with frames only.
const (
	inUseFrames   = 50_000           // number of frames each way
	inUseDuration = 90 * time.Second // bound of the step, below the time after which a step counts as hung
)

// otherProgram runs the step before any daemon: it attaches an XDP program that passes all frames to NIC a, stores
// how that changes the interface's settings, and detaches the program.
func (u *inUse) otherProgram(*Cell) error {
	return u.hostA.Do(func() error {
		p, err := ebpf.NewProgram(passAll)
		if err != nil {
			return err
		}
		defer p.Close()
		l, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		on, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: l.Attrs().Index})
		if err != nil {
			return err
		}
		return errors.Join(u.awaitAnswers(), u.storeProgramChanges(), on.Close())
	})
}

// storeProgramChanges stores which visible settings of NIC a have changed because an XDP program is attached, for a
// comparison with the daemon's changes.
func (u *inUse) storeProgramChanges() error {
	now, err := u.visible()
	u.program = Differences(u.before[0], now[0])
	return err
}

// during runs a step while uelinkd runs. It returns an error if settings of a host's interfaces differ from the
// settings before uelinkd by more than an XDP program and the configuration change.
func (u *inUse) during(*Cell) error {
	now, err := u.visible()
	if err != nil {
		return err
	}
	named := strings.Contains(u.session.task.Link, "promiscuous: true")
	for i := range now {
		if changes := changed(u.before[i], now[i], named); !slices.Equal(changes, u.program) {
			return fmt.Errorf("settings of NIC %s: the changes with uelinkd are %q; the changes with any XDP program are %q",
				u.nics[i].name, changes, u.program)
		}
	}
	return nil
}

// changed returns the lines by which a host's settings before and now differ. If promiscuous is true, the configuration
// sets promiscuous mode, and changed leaves out the line about that mode.
func changed(before, now []string, promiscuous bool) []string {
	return slices.DeleteFunc(Differences(before, now), func(line string) bool {
		return promiscuous && strings.Contains(line, `"Promisc"`)
	})
}

// start runs the step that starts both daemons, and waits until LLR runs both ways.
func (u *inUse) start(*Cell) error {
	if err := errors.Join(u.a.start(), u.b.start()); err != nil {
		return err
	}
	return u.established()
}

// under calls do while numbered frames cross the link, and adds the counts of frames to c. A frame that has not
// arrived after lossTimeout counts as lost.
func (u *inUse) under(c *Cell, lossTimeout time.Duration, do func(*load) error) error {
	l, err := startLoad(u.through(lossTimeout))
	if err == nil {
		err = do(l)
	}
	err = errors.Join(err, l.end())
	l.sum(c)
	return err
}

// frames sends frames through the link until inUseFrames have arrived each way, at most for inUseDuration, and adds
// their counts to c. None may be lost.
func (u *inUse) frames(c *Cell) error {
	return u.under(c, lossless, func(l *load) error {
		for began := time.Now(); time.Since(began) < inUseDuration; time.Sleep(100 * time.Millisecond) {
			if n := l.arrived(); min(n[0], n[1]) >= inUseFrames {
				break
			}
		}
		return l.flows(resumption)
	})
}

// reload runs the step that changes key max_outstanding_frames of daemon A by a reload while frames flow, and waits
// until the change is in force.
func (u *inUse) reload(c *Cell) error {
	return u.under(c, lossless, func(l *load) error {
		const window = 200
		profile := u.session.task.Profile
		text := strings.Replace(u.a.text, profile, fmt.Sprintf("%s, max_outstanding_frames: %d", profile, window), 1)
		if err := os.WriteFile("/run/A.yaml", []byte(text), 0o644); err != nil {
			return err
		}
		if err := u.a.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			return err
		}
		return errors.Join(within(establishment, "the reload", func() string {
			p, err := u.a.client.LLRProfile(context.Background(), "nics")
			if err != nil || p.MaxOutstandingFrames != window {
				return fmt.Sprintf("the window is %d, %v", p.MaxOutstandingFrames, err)
			}
			return ""
		}), l.flows(resumption))
	})
}

// kill runs the step that kills daemon A while frames flow, and starts it again. Only frames in the daemon's memory
// may be lost.
func (u *inUse) kill(c *Cell) error {
	err := u.under(c, writeOff/4, func(l *load) error {
		u.a.kill()
		if err := u.a.start(); err != nil {
			return err
		}
		return l.flows(exemptResumption * time.Duration(u.session.task.Patience))
	})
	t := &trial{fault: fault{exempt: "LLR's unacknowledged frames were in the memory of the killed daemon"}}
	if most := t.allowed(c); err == nil && c.Lost > most {
		err = fmt.Errorf("%d frames are lost, and at most %d are allowed", c.Lost, most)
	}
	return err
}

func (u *inUse) stop(*Cell) error { return errors.Join(u.a.terminate(), u.b.terminate()) }

// after runs the last step: it waits until the settings of both hosts' interfaces are the same as before any daemon
// ran.
func (u *inUse) after(*Cell) error {
	return within(resumption, "the hosts' interfaces have their former settings", func() string {
		now, err := u.visible()
		if err != nil {
			return err.Error()
		}
		return strings.Join(append(Differences(u.before[0], now[0]), Differences(u.before[1], now[1])...), "; ")
	})
}
