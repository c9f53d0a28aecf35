package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/nics/guest"
	"uelink/lab/e2e/nics/machine"
)

// lab is a run: the options, and everything that its virtual machines need.
type lab struct {
	options options
	cache   machine.Cache
	dir     string // temporary directory of this run
	mirror  machine.Mirror
	room    machine.Room
	images  map[string]machine.Image // images made so far, by suite
	began   time.Time
}

// run runs the selected cases one after the other, writes the results after each, prints the report, and returns the
// problems as an error. With --faults, the results of other faults come from the report of an earlier run.
func run(ctx context.Context, o options) (err error) {
	l := &lab{options: o, images: map[string]machine.Image{}, began: time.Now()}
	l.cache = machine.Cache{Dir: o.cache, Progress: l.say}
	if l.dir, err = os.MkdirTemp("", "nics-"); err != nil {
		return err
	}
	defer os.RemoveAll(l.dir)
	var r report
	for _, lane := range lanes {
		if o.only != nil && !o.only.MatchString(lane.Name) {
			continue
		}
		result := l.lane(ctx, lane)
		if err := ctx.Err(); err != nil {
			return err
		}
		if o.faults != nil {
			result.addEarlier(readReport(o.out))
		}
		r.Cases = append(r.Cases, result)
		if err := r.write(o.out); err != nil {
			return err
		}
	}
	fmt.Print(r.markdown())
	return r.err()
}

// say prints a line of progress to standard error.
func (l *lab) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(l.began).Seconds(), fmt.Sprintf(format, args...))
}

// prepare returns the bootable image (kernel and initramfs) for a Debian suite. The first call for a suite makes the
// image.
func (l *lab) prepare(ctx context.Context, suite string) (image machine.Image, err error) {
	if image, found := l.images[suite]; found {
		return image, nil
	}
	if l.room.Dir == "" {
		if err := os.MkdirAll(l.cache.Dir, 0o755); err != nil {
			return image, err
		}
		if l.mirror, err = machine.ConfiguredMirror(ctx); err != nil {
			return image, err
		}
		if l.room, err = l.cache.Room(ctx, l.mirror); err != nil {
			return image, err
		}
	}
	k, err := l.cache.Kernel(ctx, l.mirror, l.room, suite)
	if err != nil {
		return image, err
	}
	root, err := l.root()
	if err != nil {
		return image, err
	}
	image, err = machine.NewImage(ctx, l.dir, l.room, k, root)
	l.images[suite] = image
	return image, err
}

// root returns the list of files in a guest's initramfs: this program as the first process, uelinkd, uelink, tools
// and kernel modules.
func (l *lab) root() (machine.Root, error) {
	self, err := os.Executable()
	return machine.Root{
		Init:     self,
		Programs: []string{filepath.Join(l.options.programs, "uelinkd"), filepath.Join(l.options.programs, "uelink")},
		Tools:    []string{"usr/sbin/ethtool", "usr/bin/tcpdump"},
		Modules:  []string{"veth", "8021q", "virtio_net", "e1000e", "igb", "vmxnet3", "sch_ingress", "cls_bpf"},
	}, err
}

// Addresses of the NICs a and b of a machine, and of a far machine.
var (
	macs    = []string{"52:54:00:75:65:0a", "52:54:00:75:65:0b"}
	farMACs = []string{"52:54:00:75:65:1a", "52:54:00:75:65:1b"}
)

// lane runs one case and returns its result, with the error if it could not run.
func (l *lab) lane(ctx context.Context, lane lane) (r result) {
	r.lane = lane
	if err := l.boot(ctx, lane, &r); err != nil {
		r.Error = err.Error()
		l.say("%s: %s", lane.Name, r.Error)
	}
	return r
}

// boot makes the case's image, runs the case's script in virtual machines and stores results and duration in r. A
// lock file keeps other runs from starting virtual machines meanwhile.
func (l *lab) boot(ctx context.Context, lane lane, r *result) error {
	image, err := l.prepare(ctx, lane.Suite)
	if err != nil {
		return err
	}
	r.Kernel = image.Kernel.Release
	unlock, err := lock(ctx, l.options.lock)
	if err != nil {
		return err
	}
	defer unlock()
	began := time.Now()
	defer func() { r.Seconds = time.Since(began).Round(time.Second).Seconds() }()
	l.say("%s on Linux %s: booting", lane.Name, image.Kernel.Release)
	switch {
	case lane.Script == scriptClient:
		return l.crossing(ctx, lane, image, r)
	case lane.Far != "":
		return l.chain(ctx, lane, image, r)
	case lane.Script != "":
		return l.pair(ctx, lane, image, lane.task(lane.Script, macs, image, l.options), r)
	}
	return l.faults(ctx, lane, image, r)
}

// pair runs task t in a virtual machine whose two NICs are joined by one wire, and stores the results in r.
func (l *lab) pair(ctx context.Context, lane lane, image machine.Image, t guest.Task, r *result) error {
	const wire = "hubport,hubid=0" // two NICs on one hub are joined
	return l.withMachine(ctx, image, lane.nics(lane.Model, macs, wire, wire), nil, r, func(g *machine.Guest) error {
		if err := begin(g, t); err != nil {
			return err
		}
		return l.converse(g, r, serve)
	})
}

// withMachine boots a virtual machine with the given NICs, calls use with it, and ends it. start may start QEMU in a
// namespace; nil starts it in this one. Kernel complaints on the console go to r, and are added to an error.
func (l *lab) withMachine(ctx context.Context, image machine.Image, nics []machine.NIC, start func(*exec.Cmd) error,
	r *result, use func(*machine.Guest) error) error {
	dir, err := os.MkdirTemp(l.dir, "")
	if err != nil {
		return err
	}
	c := machine.Config{Image: image, Dir: dir, CPUs: 2, Memory: 1024, NICs: nics, Start: start}
	g, err := machine.Boot(ctx, l.room, c)
	if err != nil {
		return err
	}
	err = use(g)
	console, consoleErr := g.Console()
	lines := complaints(console)
	r.Console = append(r.Console, lines...)
	if err != nil && len(lines) == 0 {
		lines = tail(console, 10)
	}
	if err != nil {
		err = fmt.Errorf("%w; the kernel says %q", err, lines)
	}
	return errors.Join(err, consoleErr, g.Close())
}

// nics returns the description of a machine's NICs a and b: of a QEMU model, with the MAC addresses in macs and the
// QEMU network ends in netdevs.
func (lane lane) nics(model string, macs []string, netdevs ...string) (nics []machine.NIC) {
	for i, name := range []string{"a", "b"} {
		nics = append(nics, machine.NIC{
			Name: name, Model: model, MAC: macs[i], Properties: lane.Properties, Netdev: netdevs[i],
		})
	}
	return nics
}

// profile is the keys of the LLR profile: links never give up a frame.
const profile = "max_replay_count: 255, init_action: block, flush_action: block"

// task returns the host's first message to a guest of the case: the script to run there, and its settings.
func (lane lane) task(script string, macs []string, image machine.Image, o options) guest.Task {
	return guest.Task{
		Script: script, Modules: image.Modules, Driver: lane.Driver, MACs: macs, Link: lane.Link,
		Profile: profile, Faults: o.faults, Patience: o.patience,
	}
}

// lock locks a file, so that other runs of this program wait. It waits for the lock until ctx ends; "" locks nothing.
// unlock releases the lock.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- unix.Flock(int(f.Fd()), unix.LOCK_EX) }()
	select {
	case err = <-locked:
	case <-ctx.Done():
		go func() { <-locked; f.Close() }() // in case the lock is still granted later
		return nil, ctx.Err()
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	return func() { f.Close() }, nil
}
