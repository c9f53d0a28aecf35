package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"uelink/e2e/nics/guest"
	"uelink/e2e/nics/machine"
)

// lab is all that virtual machines need.
type lab struct {
	options options
	cache   machine.Cache
	mirror  machine.Mirror
	room    machine.Room
	images  map[string]machine.Image // by suite
	began   time.Time
}

// run does all cases that are wanted and shows what became of them.
func run(ctx context.Context, o options) error {
	l := &lab{options: o, images: map[string]machine.Image{}, began: time.Now()}
	l.cache = machine.Cache{Dir: o.cache, Say: l.say}
	var r report
	for _, lane := range lanes {
		if o.only != nil && !o.only.MatchString(lane.Name) {
			continue
		}
		result := l.lane(ctx, lane)
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Cases = append(r.Cases, result)
	}
	shown := r
	if o.only != nil && o.out != "" {
		shown = r.over(earlier(o.out))
	}
	if err := shown.show(os.Stdout, o.out); err != nil {
		return err
	}
	return r.err()
}

// say shows progress.
func (l *lab) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(l.began).Seconds(), fmt.Sprintf(format, args...))
}

// prepare makes what a kernel needs, unless it is there.
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
	image, err = l.cache.Image(ctx, l.room, k, root)
	l.images[suite] = image
	return image, err
}

// root is what guests have.
func (l *lab) root() (machine.Root, error) {
	self, err := os.Executable()
	return machine.Root{
		Init:     self,
		Programs: []string{filepath.Join(l.options.programs, "uelinkd")},
		Tools:    []string{"usr/sbin/ethtool", "usr/bin/tcpdump"},
		Modules:  []string{"veth", "virtio_net", "e1000e", "igb", "vmxnet3"},
	}, err
}

// macs are the addresses of the NICs a and b.
var macs = []string{"52:54:00:75:65:0a", "52:54:00:75:65:0b"}

// lane runs a case.
func (l *lab) lane(ctx context.Context, lane lane) (r result) {
	r.lane = lane
	began := time.Now()
	if err := l.boot(ctx, lane, &r); err != nil {
		r.Error = err.Error()
		l.say("%s: %s", lane.Name, r.Error)
	}
	r.Seconds = time.Since(began).Round(time.Second).Seconds()
	return r
}

// boot runs the virtual machine of a case.
func (l *lab) boot(ctx context.Context, lane lane, r *result) error {
	image, err := l.prepare(ctx, lane.Suite)
	if err != nil {
		return err
	}
	r.Kernel = image.Kernel.Release
	unlock, err := lock(l.options.lock)
	if err != nil {
		return err
	}
	defer unlock()
	dir, err := os.MkdirTemp("", "nics-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l.say("%s on Linux %s: booting", lane.Name, image.Kernel.Release)
	g, err := machine.Boot(ctx, l.room, machine.Config{Image: image, Dir: dir, CPUs: 2, Memory: 1024, NICs: lane.wire()})
	if err != nil {
		return err
	}
	err = l.converse(g, lane.task(image, l.options.faults), r)
	console, consoleErr := g.Console()
	r.Console = complaints(console)
	if err != nil {
		err = fmt.Errorf("%w; the console ends with %q", err, tail(console, 10))
	}
	return errors.Join(err, consoleErr, g.Close())
}

// wire is two NICs of a machine that are joined.
func (lane lane) wire() (nics []machine.NIC) {
	for i, name := range []string{"a", "b"} {
		nics = append(nics, machine.NIC{
			Name: name, Model: lane.Model, MAC: macs[i], Properties: lane.Properties, Netdev: "hubport,hubid=0",
		})
	}
	return nics
}

// profile is that of links that never give a frame up.
const profile = "max_replay_count: 255, init_action: block, flush_action: block"

func (lane lane) task(image machine.Image, faults []string) guest.Task {
	return guest.Task{
		Script: "faults", Modules: image.Modules, Driver: lane.Driver, MACs: macs, Link: lane.Link, Profile: profile, Faults: faults,
	}
}

// lock waits for a file that others lock too; "" is none.
func lock(file string) (unlock func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	return func() { f.Close() }, nil
}
