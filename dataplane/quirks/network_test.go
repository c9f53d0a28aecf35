package quirks

import "testing"

func TestNetworksThatCarryOnlyIP(t *testing.T) {
	for driver, want := range map[string]string{"ena": "EC2", "gve": "Google Cloud", "virtio_net": "", "veth": ""} {
		if got := Network(driver); got != want {
			t.Errorf("%s is in %q, want %q", driver, got, want)
		}
	}
}
