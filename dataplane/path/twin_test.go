package path

import (
	"testing"

	"uelink/wire"
)

// A frame to the host from the host's own address is counted, and no other; none while its address is not known.
func TestTwinOfTheHost(t *testing.T) {
	var p Port
	host := wire.MAC{2, 0, 0, 0, 0, 1}
	other, own := make([]byte, 60), make([]byte, 60)
	copy(own[6:], host[:])
	copy(other, host[:])
	other[6] = 4
	p.findings.twin.look(own)
	if n := p.SetHost(host); n != 0 {
		t.Errorf("%d while the address was not known", n)
	}
	for range 3 {
		p.findings.twin.look(own)
		p.findings.twin.look(other)
	}
	if n := p.SetHost(host); n != 3 {
		t.Errorf("counted %d", n)
	}
}
