package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"uelink/internal/netns"
	"uelink/lab/topology"
)

// Paths and names of the lab, which do not change from run to run.
const (
	labDir    = "/run/uelink-lab"      // symbolic link to the directory with configurations and sockets
	labLock   = "/run/uelink-lab.lock" // locked by the process of the lab, whose ID is in the file
	labLog    = "/run/uelink-lab.log"  // standard error of the lab
	labNames  = "lab.json"             // file in labDir: the Lab as JSON
	labPrefix = "uelink-lab-"          // prefix of the names of namespaces
)

// Lab is a lab that stays, as `uelink lab up` prints it.
type Lab struct {
	PID        int               `json:"pid"`                // number of the process that ends the lab at SIGTERM
	Protocol   string            `json:"protocol,omitempty"` // of the link, in a lab without a file: llr or hippi6400
	Sockets    map[string]string `json:"sockets"`            // paths of the API sockets, by station: A, B
	Namespaces map[string]string `json:"namespaces"`         // their names, by name in the lab: hostA, A, wire, B, hostB
	Addresses  map[string]string `json:"addresses"`          // of hostA and hostB, without prefix length

	topology.View // the names of a lab that a file describes

	dir string // directory with configurations and sockets
}

// labHosts are the addresses of the hosts of a lab without a file, each with its prefix length.
var labHosts = [2]string{"10.77.0.1/24", "10.77.0.2/24"}

// labOptions is how a lab is made.
type labOptions struct {
	Options
	document *topology.Document // topology of a lab that a file describes; nil: the two stations of the demo
	patience time.Duration      // how long a lab that a file describes waits for its links; 0: not at all
}

// runLab builds a lab under fixed names, calls ready with the names when the links are up, blocks until ctx ends, and
// removes everything. Errors: *Error, or the error of the failed part; a lab that is up already.
func runLab(ctx context.Context, o labOptions, ready func(Lab) error) (err error) {
	lock, err := lockLab()
	if err != nil {
		return explained(err)
	}
	defer func() {
		_, left := removeRemains(lock)
		err = errors.Join(err, left, lock.Close())
	}()
	if o.document != nil {
		return explained(o.runFile(ctx, ready))
	}
	return With(ctx, o.Options, func(ctx context.Context, b *Bed) error {
		l, err := b.demo.lab()
		if err != nil {
			return err
		}
		return l.stay(ctx, ready)
	})
}

// runFile builds the lab that a document describes, and otherwise does the same as runLab. A daemon or cable that ends
// does not end the lab; the log names it.
func (o *labOptions) runFile(ctx context.Context, ready func(Lab) error) (err error) {
	if err := o.findPrograms(); err != nil {
		return err
	}
	if err := checkKernel(); err != nil {
		return err
	}
	dir, err := makeDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeDir(dir)) }()
	running, err := topology.Start(o.document, dir, topology.Programs{Tool: o.Tool, Daemon: o.Daemon})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Close()) }()
	running.Report(func(err error) { fmt.Fprintln(os.Stderr, "uelink lab:", err) })
	if o.patience > 0 {
		waiting, cancel := context.WithTimeoutCause(ctx, o.patience,
			fmt.Errorf("the lab did not come up within %v", o.patience))
		defer cancel()
		if err := running.Wait(waiting); err != nil {
			return err
		}
	}
	l := Lab{PID: os.Getpid(), Sockets: running.Sockets(labDir), Namespaces: map[string]string{},
		Addresses: map[string]string{}, View: running.View(labDir), dir: dir}
	for name, ns := range running.Namespaces() {
		l.Namespaces[name] = ns
	}
	for _, h := range l.Hosts {
		l.Addresses[h.Name] = addressOf(h)
	}
	return l.stay(ctx, ready)
}

// stay makes symbolic links with fixed names to the lab's namespaces and directory, calls ready, blocks until ctx ends,
// ends the processes in the namespaces, and removes the links. When stay is called, Namespaces has the real names of
// the namespaces; stay replaces these by the names of the links.
func (l Lab) stay(ctx context.Context, ready func(Lab) error) error {
	var spaces []string
	defer func() {
		for name := range l.Namespaces {
			_ = os.Remove(filepath.Join(netns.Dir, labPrefix+name))
		}
		_ = os.Remove(labDir)
	}()
	for name, ns := range l.Namespaces {
		path := filepath.Join(netns.Dir, ns)
		spaces = append(spaces, path)
		if err := os.Symlink(path, filepath.Join(netns.Dir, labPrefix+name)); err != nil {
			return err
		}
		l.Namespaces[name] = labPrefix + name
	}
	if err := os.Symlink(l.dir, labDir); err != nil {
		return err
	}
	if err := l.save(); err != nil {
		return err
	}
	if err := ready(l); err != nil {
		return err
	}
	<-ctx.Done()
	err := netns.EndProcesses(stopPatience, spaces...)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return errors.Join(cause, err)
	}
	return err
}

// lab gives the hosts of the demo their IP addresses, and returns the lab with the real names of its namespaces.
func (d *demo) lab() (Lab, error) {
	t := d.spaces
	l := Lab{PID: os.Getpid(), Protocol: d.options.Protocol, Sockets: map[string]string{}, dir: d.dir,
		Namespaces: map[string]string{"hostA": t.hosts[0].Name(), "A": t.stations[0].Name(), "wire": t.wire.Name(),
			"B": t.stations[1].Name(), "hostB": t.hosts[1].Name()},
		Addresses: map[string]string{"hostA": "10.77.0.1", "hostB": "10.77.0.2"}}
	for i, host := range t.hosts {
		if err := host.AddAddr("eth0", labHosts[i]); err != nil {
			return l, err
		}
	}
	for _, s := range d.stations {
		l.Sockets[s.name] = filepath.Join(labDir, s.name, filepath.Base(s.daemon.Socket))
	}
	return l, nil
}

// save writes the lab into its directory, for `uelink lab status`.
func (l *Lab) save() error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, labNames), text, 0o600)
}
