package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"uelink/client"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// A client asks a daemon for its ports, and has LLR of one initialised again.
func ExampleClient() {
	socket, _, stop := exampleDaemon()
	defer stop()

	c := client.NewClient(socket)
	defer c.Close()
	ctx := context.Background()
	ports, err := c.Ports(ctx)
	if err != nil {
		fmt.Println(err) // *NoDaemonError: nobody is there; *Error: the daemon refuses
		return
	}
	for _, p := range ports {
		if p.LLR != nil {
			fmt.Println(p.Name, p.OperStatus, p.LLR.TxStatus, p.LLR.Counters.TxOK)
		}
	}
	fmt.Println(c.ReinitLLR(ctx, "link9"))

	var refused *api.Error
	fmt.Println(errors.As(c.ReinitLLR(ctx, "edge0"), &refused), refused.Status)
	// Output:
	// link0 up ADVANCE 7650079
	// link1 down FLUSH 0
	// port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)
	// true 409
}

// A program adds the port of a container to a bridge. The keys are those of the configuration file.
func ExampleClient_AddPorts() {
	socket, _, stop := exampleDaemon()
	defer stop()

	c := client.NewClient(socket)
	defer c.Close()
	done, err := c.AddPorts(context.Background(), api.PortAddition{
		Name: "web",
		Ports: []map[string]any{{
			"name": "web", "interface": "vethweb", "role": "edge",
			"labels": model.Labels{Owner: "example", Container: "web", IfName: "eth0"},
		}},
		Bridges: []map[string]any{{"name": "lan", "ports": []string{"web"}}},
	})
	if err != nil {
		fmt.Println(err) // *Error: the daemon refuses, and has changed nothing
		return
	}
	fmt.Println(done.Name, done.Ports, done.Changed)
	// Output:
	// web [web] true
}

// A program follows the events of a daemon, also past an upgrade of it.
func ExampleClient_Watch() {
	socket, daemon, stop := exampleDaemon()
	defer stop()

	c := client.NewClient(socket)
	defer c.Close()
	w, err := c.Watch(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	daemon.Emit(model.Event{Port: "link0", Kind: model.EventOperStatus, Text: "down"}, time.Second)
	e, err := w.Next()
	fmt.Println(e.Port, e.Kind, e.Text, err)
	// Output:
	// link0 oper_status down <nil>
}

// exampleChanger makes up ports as a daemon adds them.
type exampleChanger struct{ control.PortChanger }

// AddPorts returns the names of the ports in an addition.
func (exampleChanger) AddPorts(a api.PortAddition, _ control.Caller) (api.PortsChanged, error) {
	done := api.PortsChanged{Name: a.Name, Changed: true}
	for _, p := range a.Ports {
		done.Ports = append(done.Ports, fmt.Sprint(p["name"]))
	}
	return done, nil
}

// exampleDaemon serves the API for ports that are made up, at the socket that it returns.
func exampleDaemon() (socket string, backend *controltest.Backend, stop func()) {
	dir, err := os.MkdirTemp("", "uelink")
	if err != nil {
		panic(err)
	}
	socket = filepath.Join(dir, "uelink.sock")
	backend = controltest.New(controltest.Ports(), controltest.Profiles())
	server := control.NewServer(backend, controltest.NewLLDP(), zap.NewNop(), zap.NewAtomicLevel(), api.Status{})
	server.SetPortChanger(exampleChanger{})
	var l net.Listener
	if l, err = control.Listen(context.Background(), control.Socket{Path: socket, Mode: 0o600}); err != nil {
		panic(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	return socket, backend, func() {
		_ = server.Shutdown(context.Background())
		<-served
		_ = os.RemoveAll(dir)
	}
}
