package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/cmd/uelink/doctor"
	"uelink/config"
	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/netdev"
	"uelink/dataplane/netif"
	"uelink/dataplane/quirks"
)

// nics is three interfaces: one that the host uses, one that is good, and a veth.
func nics(ifname string) (*doctor.Facts, error) {
	f := &doctor.Facts{
		Interface: ifname, Kind: "device", MAC: "02:00:00:00:00:01", Up: true, Carrier: true, MTU: 1500,
		Speed: 1000, Queues: 2, TxQueues: 2,
		Offloads: []string{}, Sockets: []string{},
	}
	features := netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect}
	switch ifname {
	case "eth0":
		f.Driver = ethtool.Driver{Name: "igb", Version: "6.12", Firmware: "3.25", Bus: "0000:01:00.0"}
		f.Offloads, features.XDP = []string{"rx-gro", "tx-tcp-segmentation"}, features.XDP|netdev.XSKZeroCopy
		f.Use = attach.Use{Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}, DefaultRoute: true,
			SSH: true}
	case "eth1":
		f.Driver, f.Speed = ethtool.Driver{Name: "ixgbe", Version: "6.12", Bus: "0000:02:00.0"}, 10000
	case "veth0":
		f.Driver, f.Kind, f.Queues, f.TxQueues = ethtool.Driver{Name: "veth", Version: "1.0"}, "veth", 1, 1
	default:
		return nil, fmt.Errorf("%s: %w", ifname, netif.ErrNone)
	}
	f.Quirks = quirks.FindAll(f.Driver.Name)
	f.SetFeatures(features)
	return f, nil
}

// examined runs the command over these interfaces.
func examined(output format, args ...string) (stdout string, err error) {
	return examinedBy(nics, output, args...)
}

func examinedBy(look doctor.Source, output format, args ...string) (stdout string, err error) {
	cmd := doctorCommand(&tool{output: output}, look)
	var out bytes.Buffer
	cmd.SetArgs(append([]string{}, args...)) // nil would be those of this process
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	return out.String(), err
}

const doctored = `
ports:
  - {name: link0, interface: eth1, role: link, queues: 1, fcs: true}
  - {name: edge0, interface: veth0, role: edge}
  - {name: link1, interface: eth0, role: link, native: pass, bind: zerocopy}
  - {name: edge1, interface: veth9, role: edge}
xconnects: [{edge: edge0, link: link0}, {edge: edge1, link: link1}]
`

// beside is a link beside the host's network, whose edge is made.
const beside = `
ports:
  - {name: link0, interface: eth0, role: link, encapsulation: addressed}
  - {name: edge0, interface: ue-edge0, role: edge, create: true, host_interface: uelink0, address: [10.0.0.1/24]}
  - {name: link1, interface: eth1, role: link, encapsulation: addressed}
  - {name: edge1, interface: veth0, role: edge}
xconnects: [{edge: edge0, link: link0}, {edge: edge1, link: link1}]
`

func TestDoctorSays(t *testing.T) {
	write := func(name, text string) (file string) {
		file = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct {
		golden  string
		output  format
		args    []string
		blocked bool
	}{
		{"doctor-used.txt", asTable, []string{"eth0"}, false},
		{"doctor-used.json", asJSON, []string{"eth0", "--role", "edge"}, true},
		{"doctor-good.txt", asTable, []string{"eth1"}, false},
		{"doctor-config.txt", asTable, []string{"--config", write("uelink.yaml", doctored)}, true},
		{"doctor-beside.txt", asTable, []string{"--config", write("beside.yaml", beside)}, false},
	} {
		t.Run(c.golden, func(t *testing.T) {
			stdout, err := examined(c.output, c.args...)
			if c.blocked != (err != nil) || err != nil && err.Error() != "" {
				t.Errorf("%v: exit 1 without a word is wanted: %t", err, c.blocked)
			}
			golden(t, c.golden, stdout)
		})
	}
}

func TestDoctorIsAskedWrongly(t *testing.T) {
	for want, args := range map[string][]string{
		"name an interface, or a configuration with --config": nil,
		"name an interface, or a configuration":               {"eth1", "--config", "file"},
		`--role: "host" is not one of link, edge`:             {"eth1", "--role", "host"},
		"read configuration: open /no/such/file":              {"--config", "/no/such/file"},
	} {
		if stdout, err := examined(asTable, args...); err == nil || !strings.HasPrefix(err.Error(), want) ||
			stdout != "" {
			t.Errorf("%q: %v, %q, want %s", args, err, stdout, want)
		}
	}
}

// A taken address of the metrics is foreseen, and stands in the way of nothing.
func TestDoctorForeseesATakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := &config.Config{Metrics: config.Metrics{Listen: l.Addr().String()}}
	reports := doctor.Source(func(string) (*doctor.Facts, error) { return nil, errors.New("none") }).ExamineConfig(c)
	var out strings.Builder
	writeReports(&out, reports)
	if len(reports) != 1 || reports[0].Blocked() || !strings.Contains(out.String(), "address already in use") ||
		!strings.Contains(out.String(), "do: uelink config set metrics.listen 127.0.0.1:") {
		t.Errorf("%s", out.String())
	}
}
