package netif

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/netdev"
	"uelink/dataplane/xsk"
)

// zeroCopy is the kernel's answer for a driver with zero copy.
var zeroCopy = netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect | netdev.XSKZeroCopy}

// words formats choices as "opener bind".
func words(all []Choice) (list []string) {
	for _, c := range all {
		list = append(list, fmt.Sprintf("%v %v", c.Opener, c.Bind))
	}
	return list
}

func TestChoices(t *testing.T) {
	const driver, generic = attach.ModeDriver, attach.ModeGeneric
	has, hasNot := Abilities{Features: zeroCopy}, Abilities{Features: netdev.Features{Asked: true}}
	for _, c := range []struct {
		name   string
		can    Abilities
		bind   attach.Bind
		opener attach.Opener
		mode   attach.Mode
		want   string
		reason string // of the first
	}{
		{"auto", has, attach.BindAuto, attach.OpenerAuto, driver, "native zerocopy, native copy, asavie copy", "has zero copy"},
		{"auto, none", hasNot, attach.BindAuto, attach.OpenerAuto, driver, "native copy, asavie copy", "has no zero copy"},
		{"auto, older kernel", Abilities{}, attach.BindAuto, attach.OpenerAuto, driver, "native copy, asavie copy", "Linux 6.3"},
		{"auto, no answer", Abilities{unasked: unix.EPERM}, attach.BindAuto, attach.OpenerAuto, driver,
			"native copy, asavie copy", "not permitted"},
		{"auto, avoided", Abilities{Driver: "ice", Features: zeroCopy}, attach.BindAuto, attach.OpenerAuto, driver,
			"native copy, asavie copy", "zero copy of ice is avoided: "},
		{"auto, generic", has, attach.BindAuto, attach.OpenerAuto, generic, "native copy, asavie copy", "generic mode"},
		{"an opener", has, attach.BindAuto, attach.OpenerAsavie, driver, "asavie zerocopy, asavie copy", "has zero copy"},
		{"auto, several chunks", has, attach.BindAuto, attach.OpenerAuto, driver, "native copy, asavie copy", "several chunks"},
		{"copy", has, attach.BindCopy, attach.OpenerAuto, driver, "native copy, asavie copy", ""},
		{"copy, an opener", has, attach.BindCopy, attach.OpenerNative, driver, "native copy", ""},
		{"zero copy", has, attach.BindZeroCopy, attach.OpenerAuto, driver, "native zerocopy", ""},
		{"zero copy all the same", Abilities{Driver: "ice"}, attach.BindZeroCopy, attach.OpenerAsavie, driver,
			"asavie zerocopy", ""},
		{"zero copy, generic", has, attach.BindZeroCopy, attach.OpenerAuto, generic, "native copy, asavie copy", ""},
	} {
		g := frame.Geometry{Pieces: 1}
		if c.reason == "several chunks" {
			g.Pieces = 3
		}
		all := c.can.choices(xsk.Options{Opener: c.opener, Bind: c.bind, Geometry: g}, c.mode)
		if got := strings.Join(words(all), ", "); got != c.want || !strings.Contains(all[0].Why, c.reason) ||
			c.reason == "" && all[0].Why != "" {
			t.Errorf("%s: %s because %q, want %s because %q", c.name, got, all[0].Why, c.want, c.reason)
		}
	}
}

// Driver mode is avoided for a driver that loses frames in it, but only where the settings leave the choice.
func TestXDPMode(t *testing.T) {
	const auto, driver, generic = attach.ModeAuto, attach.ModeDriver, attach.ModeGeneric
	for _, c := range []struct {
		driver      string
		asked, want attach.Mode
		reason      string
	}{
		{"veth", auto, auto, ""}, {"", auto, auto, ""}, {"veth", generic, generic, ""},
		{"vmxnet3", auto, generic, "vmxnet3: after the driver has started its NIC anew"},
		{"vmxnet3", driver, driver, ""}, {"vmxnet3", generic, generic, ""},
	} {
		mode, reason := Abilities{Driver: c.driver}.XDP(c.asked)
		if mode != c.want || !strings.HasPrefix(reason, c.reason) || (reason == "") != (c.reason == "") {
			t.Errorf("%q, xdp: %v: %v because %q, want %v", c.driver, c.asked, mode, reason, c.want)
		}
	}
}

// The choice that works names the failures before it. An error that no choice can change ends the search.
func TestFirstOfGoesOnUntilOneWorks(t *testing.T) {
	all := Abilities{Features: zeroCopy}.choices(xsk.Options{}, attach.ModeDriver)
	busy := &xsk.BusyError{Err: unix.EBUSY}
	for _, c := range []struct {
		name   string
		fail   []error
		tried  int
		opener attach.Opener
		reason string
	}{
		{"the first", nil, 1, attach.OpenerNative, "the driver has zero copy"},
		{"the second", []error{unix.EINVAL}, 2, attach.OpenerNative,
			"opener: native with bind: zerocopy failed: invalid argument"},
		{"the third", []error{unix.EINVAL, unix.ENOTSUP}, 3, attach.OpenerAsavie, "; opener: native with bind: copy failed: "},
		{"none", []error{unix.EINVAL, unix.ENOTSUP, unix.ENOMEM}, 3, attach.OpenerAuto, ""},
		{"another socket", []error{busy}, 1, attach.OpenerAuto, ""},
		{"a privilege", []error{unix.EINVAL, unix.EPERM}, 2, attach.OpenerAuto, ""},
	} {
		tried := 0
		got, err := firstOf(all, func(Choice) error {
			if tried++; tried <= len(c.fail) {
				return c.fail[tried-1]
			}
			return nil
		})
		if tried != c.tried || got.Opener != c.opener || !strings.Contains(got.Why, c.reason) {
			t.Errorf("%s: %d were tried, %+v", c.name, tried, got)
		}
		if failed := c.opener == attach.OpenerAuto; failed != (err != nil) || failed && !errors.Is(err, c.fail[c.tried-1]) {
			t.Errorf("%s: %v", c.name, err)
		}
		if none := len(c.fail) == 0; c.opener != attach.OpenerAuto && none != (got.Failed == nil) {
			t.Errorf("%s: failed before: %v", c.name, got.Failed)
		}
	}
}

// If a driver refuses the second queue by one choice, all sockets are opened by the next choice.
func TestAllSocketsAreOpenedInOneWay(t *testing.T) {
	w := newWorld(t)
	defer func() { openSocket = xsk.Open }()
	var asked []string
	const first, second = attach.OpenerNative, attach.OpenerAsavie // as auto tries them in copy mode
	openSocket = func(ifindex, queue int, o xsk.Options) (*xsk.Socket, error) {
		asked = append(asked, fmt.Sprintf("%v %d", o.Opener, queue))
		if o.Opener == first && queue == 1 {
			return nil, unix.EINVAL
		}
		return xsk.Open(ifindex, queue, o)
	}
	w.do(func() {
		w.severalQueues(2)
		i := w.mustOwn()
		must(t, i.Attach(everything()))
		if want := fmt.Sprintf("[%v 0 %v 1 %v 0 %v 1]", first, first, second, second); fmt.Sprint(asked) != want {
			t.Errorf("opened %v, want %s", asked, want)
		}
		c := i.Choice()
		if c.Opener != second || c.Bind != attach.BindCopy || !errors.Is(c.Failed, unix.EINVAL) {
			t.Errorf("%+v", c)
		}
		for q, s := range i.Sockets() {
			if info := s.Info(); info.Queue != q || info.Opener != second {
				t.Errorf("%+v", info)
			}
		}
		must(t, i.Release())
	})
}

// On a veth, auto opens copy-mode sockets, and names the reason.
func TestAutoOnAVeth(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		must(t, i.Attach(everything()))
		c := i.Choice()
		if c.Opener != attach.OpenerNative || c.Bind != attach.BindCopy || !strings.Contains(c.Why, "zero copy") {
			t.Errorf("%+v", c)
		}
		w.send(100)
		w.receives(i.Sockets()[0], 100)
		must(t, i.Release())
	})
}
