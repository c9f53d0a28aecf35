package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"uelink/client"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
)

// A client asks a daemon for its ports, and has LLR of one initialised again.
func ExampleClient() {
	socket, stop := exampleDaemon()
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

// exampleDaemon serves the API for ports that are made up, at the socket that it returns.
func exampleDaemon() (socket string, stop func()) {
	dir, err := os.MkdirTemp("", "uelink")
	if err != nil {
		panic(err)
	}
	socket = filepath.Join(dir, "uelink.sock")
	backend := controltest.New(controltest.Ports(), controltest.Profiles())
	server := control.NewServer(backend, controltest.NewLLDP(), zap.NewNop(), zap.NewAtomicLevel(), api.Status{})
	var l net.Listener
	if l, err = control.Listen(context.Background(), control.Socket{Path: socket, Mode: 0o600}); err != nil {
		panic(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	return socket, func() {
		_ = server.Shutdown(context.Background())
		<-served
		_ = os.RemoveAll(dir)
	}
}
