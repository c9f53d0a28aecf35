package config

import (
	"strings"
	"testing"

	"uelink/dataplane/model"
)

// TestLabels: the labels of ports, and none of ports without.
func TestLabels(t *testing.T) {
	c, err := Parse("x", []byte(`ports:
  - {name: a, interface: eth1, role: link, labels: {owner: uelink-cni, container: "0123", network: n}}
  - {name: b, interface: eth2, role: edge, labels: {}}
xconnects: [{edge: b, link: a}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Labels) != 1 || c.Labels["a"] != (model.Labels{Owner: "uelink-cni", Container: "0123", Network: "n"}) {
		t.Errorf("%+v", c.Labels)
	}
	for text, want := range map[string]string{
		`{owner: a b}`:    "blanks and control characters",
		`{owner: "a\eb"}`: "blanks and control characters",
		`{app: x}`:        "unknown key",
		`{owner: ` + strings.Repeat("x", 256) + `}`: "a label of 256 octets",
	} {
		_, err := Parse("x", []byte("ports: [{name: a, interface: e1, role: host, labels: "+text+"}]"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
