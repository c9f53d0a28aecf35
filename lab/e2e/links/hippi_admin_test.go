package links

import (
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// An Admin micropacket sent by the tool at one end is an event at the other end, with its octets.
func TestHIPPIAdminIsAnEvent(t *testing.T) {
	t.Parallel()
	p := hippi{}.joined(bed.Direct(t))
	atA, atB := p.A.Watch(), p.B.Watch()
	p.A.ToolText("hippi", "admin", "send", "link0", "c0ffee")
	atB.Await("hippi_admin", "Admin command on VC1: c0ffee"+strings.Repeat("00", 29))
	p.B.ToolText("hippi", "admin", "send", "link0", "--vc", "2", "05")
	atA.Await("hippi_admin", "Admin response on VC2: 05"+strings.Repeat("00", 31))
	if a, b := hippiOf(p.A).Frames.RxAdmin, hippiOf(p.B).Frames.RxAdmin; a != 1 || b != 1 {
		t.Errorf("rx_admin %d at A and %d at B", a, b)
	}
}
