package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"uelink/internal/netns"
	"uelink/internal/table"
)

// Paths and names of the lab, which do not change from run to run.
const (
	labDir    = "/run/uelink-lab"      // symbolic link to the directory with configurations and sockets
	labLock   = "/run/uelink-lab.lock" // locked by the process of the lab, whose ID is in the file
	labLog    = "/run/uelink-lab.log"  // standard error of the lab
	labPrefix = "uelink-lab-"          // of namespaces
)

// Lab is a demo that stays, as `uelink lab up` prints it.
type Lab struct {
	PID        int               `json:"pid"`        // of the process that ends the lab at SIGTERM
	Protocol   string            `json:"protocol"`   // of the link: llr or hippi6400
	Sockets    map[string]string `json:"sockets"`    // of the API, by station: A, B
	Namespaces map[string]string `json:"namespaces"` // by the name in the picture: hostA, A, wire, B, hostB
	Addresses  map[string]string `json:"addresses"`  // of the hosts on the link, without prefix length: hostA, hostB
}

// labHosts are the addresses of the hosts with the length of their prefix.
var labHosts = [2]string{"10.77.0.1/24", "10.77.0.2/24"}

// runLab builds the demo of o (hosts, daemons, wire) under fixed names, calls ready with the names when the link
// is up, blocks until ctx ends, and removes everything. Errors: *Error, or the error of the failed part; a lab
// that is up already.
func runLab(ctx context.Context, o Options, ready func(Lab) error) error {
	lock, err := lockLab()
	if err != nil {
		return explained(err)
	}
	defer lock.Close()
	return With(ctx, o, func(ctx context.Context, b *Bed) error {
		l, err := b.demo.name()
		defer l.unname()
		if err != nil {
			return err
		}
		if err := ready(l); err != nil {
			return err
		}
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			return cause
		}
		return nil
	})
}

// name gives the hosts their IP addresses, and makes symbolic links with fixed names to the demo's namespaces and
// directory. It returns the names and addresses, also with an error: those given so far.
func (d *demo) name() (Lab, error) {
	l := Lab{PID: os.Getpid(), Protocol: d.options.Protocol, Sockets: map[string]string{}, Namespaces: map[string]string{},
		Addresses: map[string]string{}}
	for i, host := range d.topology.hosts {
		if err := host.AddAddr("eth0", labHosts[i]); err != nil {
			return l, err
		}
	}
	l.Addresses["hostA"], l.Addresses["hostB"] = "10.77.0.1", "10.77.0.2"
	t := d.topology
	for name, ns := range map[string]*netns.NS{
		"hostA": t.hosts[0], "A": t.stations[0], "wire": t.wire, "B": t.stations[1], "hostB": t.hosts[1],
	} {
		l.Namespaces[name] = labPrefix + name
		if err := link(ns.Path(), filepath.Join(netns.Dir, labPrefix+name)); err != nil {
			return l, err
		}
	}
	for _, s := range d.stations {
		l.Sockets[s.name] = filepath.Join(labDir, s.name, filepath.Base(s.daemon.Socket))
	}
	return l, link(d.dir, labDir)
}

// unname removes the symbolic links with fixed names that lead to the demo's namespaces and directory.
func (l Lab) unname() {
	for _, name := range l.Namespaces {
		_ = os.Remove(filepath.Join(netns.Dir, name))
	}
	_ = os.Remove(labDir)
}

// link makes a symbolic link at the path at, which leads to path. A link left there by a killed lab is replaced.
func link(path, at string) error {
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(path, at)
}

// WriteTable prints the names, sockets and addresses of the lab as a table, and the commands to try next.
func (l Lab) WriteTable(w io.Writer) error {
	t := table.Table{Titles: []string{"", "Namespace", "Socket or Address"}}
	for _, name := range []string{"hostA", "A", "wire", "B", "hostB"} {
		t.Add(name, l.Namespaces[name], l.Sockets[name]+l.Addresses[name])
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
uelink --socket %s %s interface
ip netns exec %s ping %s
uelink lab down
`, l.Sockets["A"], strings.TrimSuffix(l.Protocol, "6400"), l.Namespaces["hostA"], l.Addresses["hostB"])
	return err
}
