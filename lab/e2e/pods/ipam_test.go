package pods

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// TestIPAMThatFails: a plugin for addresses that ends with an error, prints what is no result, gives none, or what the
// kernel refuses: ADD is an error of CNI, gives back what was given, and leaves nothing. A plugin that does not take
// addresses back keeps neither ADD nor DEL from removing the rest, and both say so.
func TestIPAMThatFails(t *testing.T) {
	t.Parallel()
	n, pod, _, _ := oneNode(t)
	result := func(ips, routes string) string {
		return fmt.Sprintf(`echo '{"cniVersion": "1.1.0", "ips": [%s], "routes": [%s]}'`, ips, routes)
	}
	const good, other = `{"address": "10.78.0.10/24"}`, `{"address": "10.79.0.10/33"}`
	for i, c := range []struct {
		add, del string
		code     uint
		want     string
	}{
		{`echo '{"cniVersion": "1.1.0", "code": 123, "msg": "the pool is empty"}'; exit 1`, "", 123, "the pool is empty"},
		{"exit 3", "", 999, "IPAM plugin ipam-1"},
		{"kill -9 $$", "", 999, ""},
		{"echo this is no JSON", "", 999, ""},
		{"true", "", 999, ""},
		{result("", ""), "", 999, "has given no address"},
		{result(other, ""), "", 999, "invalid"},
		{result(good+","+good, ""), "", 999, "add 10.78.0.10/24"},
		{result(good, `{"dst": "0.0.0.0/0", "gw": "10.99.0.1"}`), "", 999, "add the route to 0.0.0.0/0"},
		{"exit 3", "exit 4;", 999, "DEL has to remove what is left"},
	} {
		name, log := fmt.Sprint("ipam-", i), filepath.Join(t.TempDir(), "log")
		script := fmt.Sprintf("#!/bin/sh\ncat >/dev/null; echo $CNI_COMMAND >>%s\n"+
			"case $CNI_COMMAND in\nADD) %s;;\nDEL) %s :;;\nesac\n", log, c.add, c.del)
		bed.Must(t, os.WriteFile(filepath.Join(n.bin, name), []byte(script), 0o755))
		config := n.plugin("pods", fmt.Sprintf(`"bridge": "br0", "ipam": {"type": %q}`, name))
		got := n.call(t, "ADD", "c1", pod.Path(), config)
		if got.error != c.code || !strings.Contains(got.stdout, c.want) {
			t.Errorf("%s: %+v, want code %d, %q", c.add, got, c.code, c.want)
		}
		if called, err := os.ReadFile(log); err != nil || string(called) != "ADD\nDEL\n" {
			t.Errorf("%s: the plugin was called for %q, %v", c.add, called, err)
		}
		if left := n.left(t); len(left) > 0 {
			t.Errorf("%s: left are %q", c.add, left)
		}
		if got := n.call(t, "DEL", "c1", pod.Path(), config); (got.code == 0) != (c.del == "") {
			t.Errorf("%s: DEL: %+v", c.add, got)
		}
		if _, err := pod.Link("eth0"); err == nil {
			t.Errorf("%s: the pod has an interface", c.add)
		}
	}
}

// TestNamespaceGoesInTheMiddle: the namespace of a pod goes after ADD has opened it. Whatever ADD says, DEL removes
// all, without a namespace too, and so does GC.
func TestNamespaceGoesInTheMiddle(t *testing.T) {
	t.Parallel()
	n, _, config, _ := oneNode(t)
	for _, place := range []string{"before", "after"} {
		for _, by := range []string{"DEL", "GC"} {
			got := n.withoutNamespace(t, place, config)
			if cleaned := n.call(t, by, "c1", "", config); cleaned.code != 0 {
				t.Errorf("%s after ADD %+v: %+v", by, got, cleaned)
			}
			if left := n.left(t); len(left) > 0 {
				t.Errorf("%s after ADD %+v: left are %q", by, got, left)
			}
		}
	}
}

// TestLongNamesOfInterfaces: the container's interface may have a name of 15 octets; a longer one is refused, and so is
// a name that the kernel does not take.
func TestLongNamesOfInterfaces(t *testing.T) {
	t.Parallel()
	n, pod, config, _ := oneNode(t)
	fits := strings.Repeat("i", 15)
	for _, c := range []struct {
		ifname string
		code   uint
	}{{fits, 0}, {fits + "i", 4}, {strings.Repeat("i", 300), 4}, {"a/b", 4}, {"a b", 4}, {"..", 4}, {"", 4}} {
		got := n.callFor(t, "ADD", "c1", c.ifname, pod.Path(), config)
		if got.error != c.code || (got.code == 0) != (c.code == 0) {
			t.Errorf("%q: %+v", c.ifname, got)
		}
	}
	if _, err := pod.Link(fits); err != nil {
		t.Error(err)
	}
	if got := n.callFor(t, "DEL", "c1", fits, pod.Path(), config); got.code != 0 || len(n.left(t)) > 0 {
		t.Errorf("%+v, left are %q", got, n.left(t))
	}
}
