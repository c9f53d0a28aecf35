package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"uelink/control"
	"uelink/netns"
)

// daemon is a uelinkd.
type daemon struct {
	*process
	client *control.Client
}

// daemonText is a configuration. The profile is the default one unless said.
const daemonText = `log: {level: warn, format: json}
control: {socket: %q}
%s
llr_profiles: {bench: {%s}}
ports:
  - {name: link0, interface: link0, role: link, llr: {mode: static, %s, profile: bench}%s}
  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}]
`

// daemonConfig is what a benchmark sets; empty is the default.
type daemonConfig struct {
	llr     string // local and remote
	profile string
	top     string // lines at the top level
	port    string // of both ports, with a comma before it
}

// startDaemon starts bin/uelinkd and waits for its API.
func startDaemon(ns *netns.NS, cpu int, dir, program string, c daemonConfig) (*daemon, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	socket, file := filepath.Join(dir, "api"), filepath.Join(dir, "uelink.yaml")
	text := fmt.Sprintf(daemonText, socket, c.top, c.profile, c.llr, c.port, c.port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	p, err := startOn(ns, strconv.Itoa(cpu), program, "--config", file)
	if err != nil {
		return nil, err
	}
	d := &daemon{process: p, client: control.NewClient(socket)}
	return d, p.await("answer of its API", func() bool {
		ports, err := d.client.Ports(context.Background())
		return err == nil && len(ports) == 2 && ports[0].OperStatus == "up" && ports[1].OperStatus == "up"
	})
}

func (d *daemon) stop() error {
	d.client.Close()
	return d.process.stop()
}
