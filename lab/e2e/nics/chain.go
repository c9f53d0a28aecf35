package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"

	"uelink/internal/netns"
	"uelink/lab/cable"
	"uelink/lab/e2e/nics/machine"
	"uelink/wire"
)

// bad is the flags of `uelink cable` for the two wires of the method chain.
var bad = []string{"--loss", "0.01", "--burst", "4", "--corrupt", "0.001"}

// wireMTU is the MTU of the wires: frames of hosts with an MTU of 1500, with a shim.
const wireMTU = 1500 + wire.Overhead

// taps are the host's ends of the NICs: a and b of the near machine, then of the far machine.
var taps = []string{"neara", "nearb", "fara", "farb"}

// chain runs a case with two virtual machines, joined by two wires that lose frames: `uelink cable` processes between
// the machines' taps (host ends of their NICs), in a network namespace of their own. The results go to r.
func (l *lab) chain(ctx context.Context, lane lane, image machine.Image, r *result) (err error) {
	ns, err := netns.New("nics")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ns.Close()) }()
	near := lane.nics(lane.Model, macs, tap(0), tap(1))
	return l.withMachine(ctx, image, near, ns.Start, r, func(near *machine.Guest) error {
		nics := lane.nics(lane.Far, farMACs, tap(2), tap(3))
		return l.withMachine(ctx, image, nics, ns.Start, r, func(far *machine.Guest) error {
			return l.cross(ns, lane, image, near, far, r)
		})
	})
}

// tap returns QEMU's -netdev value for host end number i of a NIC: a tap interface that QEMU creates.
func tap(i int) string { return "tap,script=no,downscript=no,vnet_hdr=off,ifname=" + taps[i] }

// cross starts both wires and the scripts of both guests (virtual machines near and far), waits for their end, and
// stores their results in r.
func (l *lab) cross(ns *netns.NS, lane lane, image machine.Image, near, far *machine.Guest, r *result) error {
	for _, name := range taps {
		if err := errors.Join(ns.SetMTU(name, wireMTU), ns.SetLink(name, true)); err != nil {
			return err
		}
	}
	var wires [2]*plugged
	for i := range wires {
		var err error
		if wires[i], err = l.plug(ns, bad, taps[i], taps[i+2]); err != nil {
			return err
		}
		defer wires[i].pull()
	}
	if err := begin(far, lane.task("far", farMACs, image, l.options)); err != nil {
		return err
	}
	if err := begin(near, lane.task("near", macs, image, l.options)); err != nil {
		return err
	}
	if err := l.converse(near, r, serve); err != nil {
		return errors.Join(err, l.endGuest(far, r))
	}
	return errors.Join(l.endGuest(far, r), wires[0].report(r), wires[1].report(r))
}

// plugged is a `uelink cable` process.
type plugged struct {
	process  *exec.Cmd
	out, err bytes.Buffer
	pulled   bool
}

// plug starts a wire, a `uelink cable` process, between the interfaces a and b of a namespace. flags are further
// flags of the command.
func (l *lab) plug(ns *netns.NS, flags []string, a, b string) (*plugged, error) {
	args := append([]string{"cable", "-o", "json"}, flags...)
	w := &plugged{process: exec.Command(filepath.Join(l.options.programs, "uelink"), append(args, a, b)...)}
	w.process.Stdout, w.process.Stderr = &w.out, &w.err
	return w, ns.Start(w.process)
}

// pull ends the `uelink cable` process of a wire and returns its error. A second call does nothing.
func (w *plugged) pull() error {
	if w.pulled {
		return nil
	}
	w.pulled = true
	_ = w.process.Process.Signal(syscall.SIGINT) // it may have ended
	if err := w.process.Wait(); err != nil {
		return fmt.Errorf("uelink cable: %w: %s", err, w.err.String())
	}
	return nil
}

// report ends a wire and appends the numbers of frames it lost in each direction to the notice of the case's latest
// result.
func (w *plugged) report(r *result) error {
	if err := w.pull(); err != nil {
		return err
	}
	var report cable.Report
	if err := json.Unmarshal(w.out.Bytes(), &report); err != nil {
		return err
	}
	if len(r.Cells) > 0 {
		c := &r.Cells[len(r.Cells)-1]
		for _, d := range report.Directions {
			c.Notice += fmt.Sprintf("; the wire lost %d frames", d.Dropped)
		}
	}
	return nil
}
