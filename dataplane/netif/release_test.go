package netif

import "testing"

func TestOlderReleases(t *testing.T) {
	for release, want := range map[string]bool{
		"5.15.0": true, "6.1.0-50-amd64": true, "6.2.0": false, "6.18.44-fc-v657": false, "7.0": false, "next": false,
	} {
		if got := before(release, 6, 2); got != want {
			t.Errorf("%s is older than 6.2: %v", release, got)
		}
	}
}
