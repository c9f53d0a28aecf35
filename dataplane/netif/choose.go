package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/netdev"
	"uelink/dataplane/quirks"
	"uelink/dataplane/xsk"
)

// Choice is one way to open the sockets of an interface (opener and bind mode), with the reason.
type Choice struct {
	Opener attach.Opener // not OpenerAuto
	Bind   attach.Bind   // not BindAuto
	Why    string        // the reason, for people; empty: the settings leave no choice
	Failed error         // the errors of the ways tried before; nil: none was tried
}

// Abilities is the driver of an interface and the XDP features that the driver has.
type Abilities struct {
	Driver   string // as in ethtool -i; empty if the driver has no name
	Features netdev.Features
	unasked  error // why the kernel did not answer with the features
}

// AbilitiesOf asks ethtool and the kernel (netdev) for the abilities of an interface of the calling thread's
// network namespace.
func AbilitiesOf(ifname string, ifindex int) (a Abilities) {
	if c, err := ethtool.Open(ifname); err == nil {
		d, _ := c.Driver() // without a name there are no quirks
		a.Driver = d.Name
		_ = c.Close()
	}
	a.Features, a.unasked = netdev.Get(ifindex)
	return a
}

// XDP returns the mode to attach a program in, given the mode that the configuration asks for. If the two differ,
// reason says why; else it is empty.
func (a Abilities) XDP(asked attach.Mode) (mode attach.Mode, reason string) {
	quirk, avoid := quirks.Find(a.Driver, quirks.AvoidDriverMode)
	if asked != attach.ModeAuto || !avoid {
		return asked, ""
	}
	return attach.ModeGeneric, fmt.Sprintf("%s: %s (%s)", a.Driver, quirk.What, quirk.Source)
}

// ZeroCopy reports whether `bind: auto` tries zero copy under a program in the given mode, for frames of up to
// pieces chunks, and the reason for either.
func (a Abilities) ZeroCopy(mode attach.Mode, pieces int) (try bool, reason string) {
	quirk, avoid := quirks.Find(a.Driver, quirks.AvoidZeroCopy)
	switch answer := a.Features.ZeroCopy(); {
	case mode == attach.ModeGeneric:
		return false, "there is no zero copy in generic mode"
	case a.unasked != nil:
		return false, fmt.Sprintf("it is not known whether the driver has zero copy: %v", a.unasked)
	case answer == netdev.Unknown:
		return false, "the kernel does not tell whether the driver has zero copy (it would from Linux 6.3 on)"
	case answer == netdev.No:
		return false, "the driver has no zero copy"
	case pieces > 1 && a.Features.ZeroCopyMultiBuffer() != netdev.Yes:
		return false, "the driver has no zero copy of frames in several chunks"
	case avoid:
		return false, fmt.Sprintf("zero copy of %s is avoided: %s (%s)", a.Driver, quirk.What, quirk.Source)
	}
	return true, "the driver has zero copy"
}

// choices returns the ways to open sockets (opener and bind mode) that the given options allow, in the order of
// trial. Zero copy comes first, if the options demand it or `bind: auto` tries it, and copy mode second, unless the
// options demand zero copy. mode is that of the XDP program: in generic mode there is copy mode alone.
func (a Abilities) choices(o xsk.Options, mode attach.Mode) (all []Choice) {
	zero, reason := o.Bind == attach.BindZeroCopy && mode != attach.ModeGeneric, ""
	if o.Bind == attach.BindAuto {
		zero, reason = a.ZeroCopy(mode, o.Geometry.Pieces)
	}
	if zero {
		all = append(all, Choice{Opener: o.Opener, Bind: attach.BindZeroCopy, Why: reason})
	}
	if zero && o.Bind == attach.BindAuto {
		reason = ""
	}
	if !zero || o.Bind == attach.BindAuto {
		all = append(all, Choice{Opener: o.Opener, Bind: attach.BindCopy, Why: reason})
	}
	return byOpeners(all)
}

// byOpeners replaces OpenerAuto by the openers to try. The native opener comes first: drivers with zero copy want the
// fill ring full before bind, and only its sockets have live frames and can be handed over to another process. In copy
// mode the opener of asavie/xdp comes second.
func byOpeners(list []Choice) (all []Choice) {
	for _, c := range list {
		auto := c.Opener == attach.OpenerAuto
		if auto {
			c.Opener = attach.OpenerNative
		}
		all = append(all, c)
		if auto && c.Bind == attach.BindCopy {
			c.Opener = attach.OpenerAsavie
			all = append(all, c)
		}
	}
	return all
}

// firstOf calls open with each choice in order until one succeeds, and returns the successful choice. An error that
// every choice would meet (see final) ends the search at once. If no choice succeeds, the error is that of the last
// call.
func firstOf(choices []Choice, open func(Choice) error) (Choice, error) {
	var failed []error
	for _, c := range choices {
		err := open(c)
		switch {
		case err == nil:
			return c.after(failed), nil
		case final(err) || len(failed) == len(choices)-1:
			return Choice{}, err
		}
		failed = append(failed, fmt.Errorf("opener: %v with bind: %v failed: %w", c.Opener, c.Bind, err))
	}
	return Choice{}, errors.New("no combination of opener and bind is possible for this interface")
}

// after returns the choice with Why and Failed set to the errors of the choices tried before it.
func (c Choice) after(failed []error) Choice {
	var words []string
	for _, err := range failed {
		words = append(words, err.Error())
	}
	if len(failed) > 0 {
		c.Why, c.Failed = strings.Join(words, "; "), errors.Join(failed...)
	}
	return c
}

// final reports whether an error of opening a socket would be the same for every choice of opener and bind mode:
// busy, no permission, no device.
func final(err error) bool {
	return errors.As(err, new(*xsk.BusyError)) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENODEV)
}
