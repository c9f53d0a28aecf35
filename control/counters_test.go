package control_test

import (
	"fmt"
	"strings"
	"testing"

	"uelink/control/controltest"
)

// A counter of the data plane is in the API by itself, under the key that it has where it is
// counted. Its metric and its line in the tool have tests like this one.
func TestEveryCounterIsInTheAPI(t *testing.T) {
	b, keys := controltest.Counted()
	if len(keys) < 90 {
		t.Fatalf("only %d counters", len(keys))
	}
	d := startWith(t, b, controltest.NewLLDP())
	_, port := d.request(t, "GET", "/v1/ports/link0", "")
	_, bridge := d.request(t, "GET", "/v1/bridges/br0", "")
	for n, key := range keys {
		if !strings.Contains(port+bridge, fmt.Sprintf("%q:%d", key, n)) {
			t.Errorf("no %s", key)
		}
	}
}
