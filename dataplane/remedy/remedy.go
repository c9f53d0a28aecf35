// Package remedy says, for each problem between the two ends of a link, which end acts and by which command, and what
// either end shows. Exactly one end has a command, made of its own names and settings. No trouble that a partner
// reports leads to a command that lowers FCS, LLR, a partner's address, a role or an encapsulation.
package remedy

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"

	"uelink/dataplane/partner"
	"uelink/wire"
)

// reload is the command that puts the configuration file in force.
const reload = "uelink reload"

// Own is the knowledge of an end about itself.
type Own struct {
	Port, Interface string
	Partner         wire.MAC // zero: never known
	EtherTypeData   uint16
	EtherTypeCtl    uint16
	Dialect         wire.Dialect
	AcceptLLR       LLR
	Raise           []MTU    // MTUs to raise against TooShort
	Address         wire.MAC // new address of this end against SameAddress
	Credits         Credits
	Silence         Silence
	Profile         string // name of the LLR profile in which to set replay: selective against ReplayHere
	VCs             int    // virtual channels
}

// LLR is why an end does not accept LLR.
type LLR uint8

// The reasons.
const (
	ByCommand LLR = iota // uelink llr local disable
	ByLocal              // llr.local is false
	ByMode               // llr.mode is off, or dynamic while the partner's is static
)

// MTU is an interface and its needed MTU, octets.
type MTU struct {
	Interface string
	MTU       int
}

// Remedy is the view of one end on a problem with its partner: text and command.
type Remedy struct {
	Text    string // the problem in words, and what this end waits for; "" without a problem
	Command string // command to type at this end; "" if the other end acts, or neither is known to be able to
}

// String returns the text and the command.
func (r Remedy) String() string {
	if r.Command == "" {
		return r.Text
	}
	return r.Text + ": " + r.Command
}

// Find returns the view of one end on a problem with its partner: text and command if this end acts; else the text
// alone, with what this end waits for, if the other end acts.
func Find(f partner.Finding, own *Own) (r Remedy) {
	if f.Problem == partner.None {
		return r
	}
	t := &table[f.Problem]
	w := words{f, own}
	acts, waits := t.acts == thisEnd || t.acts == either && f.Acts, t.acts == otherEnd || t.acts == either && f.Awaits
	switch {
	case acts:
		return Remedy{w.fill(t.text), w.fill(t.command)}
	case waits && t.other != "":
		r.Text = w.fill(t.other)
	default:
		r.Text = w.fill(t.text)
	}
	if waits {
		r.Text += ": waiting for " + w.fill(t.awaited) + " at " + w.partner()
	} else if t.acts == either {
		r.Text += ": set the same " + t.alike + " at both ends"
	}
	return r
}

// words fills texts with the facts of a case.
type words struct {
	f   partner.Finding
	own *Own
}

// partner returns the partner's address, as far as it is known, or the words "the other end".
func (w *words) partner() string {
	switch {
	case w.own.Partner != wire.MAC{}:
		return address(w.own.Partner)
	case w.f.From != wire.MAC{}:
		return address(w.f.From)
	}
	return "the other end"
}

func address(mac wire.MAC) string { return net.HardwareAddr(mac[:]).String() }

// fill returns a text of the table with each name in braces replaced by the fact, or by the command, that it stands
// for.
func (w *words) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	f, own := &w.f, w.own
	narrow := "the edges"
	if own.Silence.HIPPI { // frames are as long as the MTU of the link's interface allows, not that of the edges
		narrow = own.Interface
	}
	number := func(t uint16) string { return fmt.Sprintf("%#04x", t) }
	return strings.NewReplacer(
		"{set ethertypes}", w.etherTypes(), "{set dialect {dialect}}", w.set("dialect", own.Dialect.Other().String()),
		"{set fcs true}", w.set("fcs", "true"), "{set protocol llr}", w.set("protocol", "llr", "llr.mode", "static",
			"llr.local", "true", "llr.remote", "true"),
		"{set encapsulation addressed}", w.set("encapsulation", "addressed"), "{accept llr}", w.acceptLLR(),
		"{raise mtu}", raise(own.Raise), "{grant credits}", w.set(own.Credits.Keys...),
		"{keep frames}", "uelink config set llr_profiles."+cmp.Or(own.Profile, "default")+".replay selective && "+reload,
		"{set vcs}", w.set("vcs", fmt.Sprint(f.VCs)), "{vcs}", fmt.Sprint(f.VCs), "{own_vcs}", fmt.Sprint(own.VCs),
		"{credits}", own.Credits.Text, "{own_size}", fmt.Sprint(own.Credits.Size),
		"{own_overhead}", fmt.Sprint(own.Credits.Overhead),
		"{port}", own.Port, "{interface}", own.Interface, "{narrow}", narrow, "{partner}", w.partner(),
		"{address}", address(own.Address),
		"{control}", number(f.Control), "{data}", number(f.Data),
		"{own_control}", number(own.EtherTypeCtl), "{own_data}", number(own.EtherTypeData),
		"{dialect}", own.Dialect.Other().String(), "{own_dialect}", own.Dialect.String(),
		"{octets}", fmt.Sprint(f.Octets), "{carries}", fmt.Sprint(f.Carries), "{more}", fmt.Sprint(f.Octets-f.Carries),
		"{trouble}", troubleText(f.Trouble), "{silence}", own.Silence.causes(*f),
	).Replace(text)
}

// set returns the commands that set keys of the port in the configuration file, each with its value behind it, and put
// the file in force.
func (w *words) set(keysAndValues ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		fmt.Fprintf(&b, "uelink config set ports.%s.%s %s && ", w.own.Port, keysAndValues[i], keysAndValues[i+1])
	}
	return b.String() + reload
}

// spareEtherType returns an EtherType that stands in the file while the two of a port, in use, change places: a file
// with the same EtherType twice is refused. No reload sees it.
func spareEtherType(used ...uint16) uint16 {
	spare := uint16(0x9101)
	for slices.Contains(used, spare) {
		spare++
	}
	return spare
}

// etherTypes returns the commands that take over the partner's EtherTypes, in an order that keeps the EtherTypes of
// data and of control frames different after each.
func (w *words) etherTypes() string {
	own := w.own
	data, control := w.f.Data, w.f.Control
	if data == 0 {
		data = own.EtherTypeData
	}
	if control == 0 && data != own.EtherTypeCtl {
		control = own.EtherTypeCtl
	}
	if control == 0 { // the partner's is not known, and this end's would be the same as that of data
		control = own.EtherTypeData
	}
	var keys []string
	add := func(key string, own, theirs uint16) {
		if own != theirs {
			keys = append(keys, "ethertypes."+key, fmt.Sprintf("%#04x", theirs))
		}
	}
	takesControl := data == own.EtherTypeCtl
	if takesControl && control == own.EtherTypeData {
		add("data", own.EtherTypeData, spareEtherType(data, control))
	}
	if takesControl {
		add("control", own.EtherTypeCtl, control)
		add("data", own.EtherTypeData, data)
	} else {
		add("data", own.EtherTypeData, data)
		add("control", own.EtherTypeCtl, control)
	}
	return w.set(keys...)
}

// acceptLLR returns the command for this end to accept LLR, by the cause for which it does not.
func (w *words) acceptLLR() string {
	switch w.own.AcceptLLR {
	case ByMode:
		return w.set("llr.mode", "static", "llr.local", "true", "llr.remote", "true")
	case ByLocal:
		return w.set("llr.local", "true")
	default:
		return "uelink llr local enable " + w.own.Port
	}
}

// raise returns the commands to raise MTUs; "" for none.
func raise(list []MTU) string {
	var all []string
	for _, m := range list {
		all = append(all, fmt.Sprintf("ip link set dev %s mtu %d", m.Interface, m.MTU))
	}
	return strings.Join(all, " && ")
}

// troubleText returns the text of a trouble from the partner's STATION: number, operands, and the word of a known
// number.
func troubleText(t wire.Trouble) string {
	text := fmt.Sprintf("number %d (%d, %d)", t.Number, t.A, t.B)
	if word := partner.Reason(t.Number); word != "" {
		text = word + ", " + text
	}
	return text
}
