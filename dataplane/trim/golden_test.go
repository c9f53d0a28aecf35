package trim

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "write the golden file instead of comparing with it")

// golden is a trimmed frame with its name.
type golden struct {
	name   string
	octets []byte
}

// goldens is each row of the table, behind IPv4 and IPv6, behind 0, 1 and 2 VLAN tags.
func goldens(t *testing.T) (list []golden) {
	t.Helper()
	for _, r := range rows() {
		for _, shape := range shapes() {
			protocol, payload := r.build(t, 300)
			octets := testSettings().trimmed(t, shape.frame(t, protocol, payload))
			list = append(list, golden{fmt.Sprintf("%s-%v", r.name, shape), octets})
		}
	}
	return list
}

// The octets of every golden frame are those of the file.
func TestGoldenOctets(t *testing.T) {
	var text strings.Builder
	for _, g := range goldens(t) {
		fmt.Fprintf(&text, "%s %s\n", g.name, hex.EncodeToString(g.octets))
	}
	const file = "testdata/trimmed.golden"
	if *rewrite {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (make it with -rewrite)", err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
