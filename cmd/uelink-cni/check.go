package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"

	"uelink/control/api"
)

// check carries out CHECK: it returns an error unless a container still has everything from ADD: its interface and
// addresses, a port of the network that is up, and addresses that IPAM knows as in use.
func check(args *skel.CmdArgs) error {
	c, err := newCall(args)
	if err != nil {
		return err
	}
	r, err := c.conf.previous()
	if err != nil {
		return err
	}
	s, err := openSandbox(args.Netns)
	if err != nil {
		return err
	}
	defer s.close()
	problem, err := s.lacks(c.at.ifname, r)
	switch {
	case err != nil:
		return err
	case problem != "":
		return types.NewError(types.ErrUnknownContainer, problem, "")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	port, err := c.daemon.Port(ctx, c.at.hostEnd())
	switch {
	case err != nil:
		return asked("port "+c.at.hostEnd(), err)
	case port.OperStatus != api.OperUp:
		return types.NewError(types.ErrInternal,
			fmt.Sprintf("port %s is %s: %s", port.Name, port.OperStatus, port.Fault), "")
	case port.Bridge != c.conf.Bridge || c.conf.Bridge == "" && port.XConnect != c.conf.Link:
		return types.NewError(types.ErrInternal,
			fmt.Sprintf("port %s is not in network %s: its bridge is %q, its xconnect leads to %q",
				port.Name, c.conf.Name, port.Bridge, port.XConnect), "")
	}
	return c.ipam.check(ctx)
}

// status returns an error while the plugin cannot serve an ADD: no daemon answers, the bridge or the link is not
// there, or no wanted link is up.
func status(args *skel.CmdArgs) error {
	c, err := newCall(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience/10)
	defer cancel()
	links, err := c.daemon.links(ctx)
	if err != nil {
		return types.NewError(errNotAvailable, err.Error(), "")
	}
	var down []string
	for _, l := range links {
		if l.OperStatus != api.OperUp {
			down = append(down, l.Name)
		}
	}
	if len(links) > 0 && len(down) == len(links) {
		return types.NewError(errNotAvailable, "no link of the network is up: "+strings.Join(down, ", "),
			"network "+c.conf.Name)
	}
	return c.ipam.status(ctx)
}
