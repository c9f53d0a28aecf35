package trouble

import (
	"net/netip"
	"strings"
	"testing"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// What a host loses that uses an interface, by what the port is and what the host did with it when it was taken.
func TestWhatAHostLoses(t *testing.T) {
	unused := attach.Use{}
	addressed := attach.Use{Addresses: []netip.Prefix{netip.MustParsePrefix("10.5.0.1/24")}}
	way := attach.Use{DefaultRoute: true}
	link := model.PortSettings{Interface: "eth1", Role: model.RoleLink, Native: attach.NativeSocket}
	pass, drop, edge, allowed := link, link, link, link
	pass.Native, drop.Native, edge.Role = attach.NativePass, attach.NativeDrop, model.RoleEdge
	allowed.Native, allowed.AllowZeroCopy = attach.NativePass, true
	const frames = "the host uses eth1 itself since uelinkd took it (the address 10.5.0.1/24), but native: "
	for _, c := range []struct {
		name          string
		s             model.PortSettings
		attached, now attach.Use
		bind          attach.Bind
		want          []string // what is said begins and goes on so; none: nothing is said
	}{
		{"not used", link, unused, unused, attach.BindCopy, nil},
		{"used later", link, unused, addressed, attach.BindCopy, []string{frames + "socket takes", "set native: pass and reload"}},
		{"used later, drop", drop, unused, addressed, attach.BindCopy, []string{frames + "drop takes"}},
		{"used later, pass", pass, unused, addressed, attach.BindCopy, nil},
		{"used before, and socket was set all the same", link, addressed, way, attach.BindCopy, nil},
		{"an edge", edge, unused, addressed, attach.BindCopy,
			[]string{"the host uses eth1 itself (the address 10.5.0.1/24), but an edge takes", "another interface"}},
		{"an edge, used before", edge, addressed, addressed, attach.BindCopy, []string{"the host uses eth1 itself"}},
		{"zero copy", pass, unused, addressed, attach.BindZeroCopy, nil},
		{"zero copy, and the way to the host", pass, unused, way, attach.BindZeroCopy,
			[]string{"eth1, which uelinkd uses with zero copy, has the default route now", "allow_zerocopy: true"}},
		{"zero copy that is allowed", allowed, unused, way, attach.BindZeroCopy, nil},
		{"frames and zero copy", link, unused, way, attach.BindZeroCopy, []string{"the host uses eth1", "; eth1, which uelinkd uses with zero copy, has the default"}},
	} {
		text := lossText(Use{Settings: &c.s, Attached: c.attached, Now: c.now, Bind: c.bind})
		rest := text
		for i, part := range c.want {
			before, after, found := strings.Cut(rest, part)
			if !found || i == 0 && before != "" {
				t.Errorf("%s: %q, want %q", c.name, text, part)
			}
			rest = after
		}
		if len(c.want) == 0 && text != "" {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}
