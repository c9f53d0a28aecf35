package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
)

// call is a call of the plugin for an attachment.
type call struct {
	conf   *conf
	daemon daemon
	ipam   ipam
	at     attachment
}

// newCall reads what a call for an attachment needs.
func newCall(args *skel.CmdArgs) (*call, error) {
	c, err := readConf(args)
	if err != nil {
		return nil, err
	}
	return &call{c, daemonOf(c), ipamOf(c, args), attachment{c.Name, args.ContainerID, args.IfName}}, nil
}

// add carries out ADD: it joins a container to the network, and prints the result for the runtime. After an error
// nothing is left.
func add(args *skel.CmdArgs) error {
	c, err := newCall(args)
	if err != nil {
		return err
	}
	s, err := openSandbox(args.Netns)
	if err != nil {
		return err
	}
	defer s.close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := c.join(ctx, s)
	if err != nil {
		return err
	}
	return types.PrintResult(r, c.conf.CNIVersion)
}

// join gives the container a veth, an address and a port, and takes back all of it if a step fails. The veth is first:
// its alias says whose the address is, so that GC gives back all that a killed ADD has left.
func (c *call) join(ctx context.Context, s *sandbox) (r *current.Result, err error) {
	exists, err := s.hasInterface(c.at.ifname)
	if err != nil {
		return nil, err
	}
	if exists {
		return nil, types.NewError(types.ErrInvalidEnvironmentVariables,
			fmt.Sprintf("the container has an interface %s already", c.at.ifname), "")
	}
	links, err := c.daemon.links(ctx)
	if err != nil {
		return nil, err
	}
	mtu, err := c.daemon.mtu(links)
	if err != nil {
		return nil, err
	}
	if err := makeVeth(c.at, s, mtu, c.conf.RuntimeConfig.MAC); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = c.undo(err)
		}
	}()
	if r, err = c.ipam.add(ctx); err != nil {
		return nil, err // undo gives back what IPAM may have given
	}
	mac, err := s.configure(c.at.ifname, r)
	if err != nil {
		return nil, err
	}
	if err := c.daemon.addPort(ctx, c.at); err != nil {
		return nil, err
	}
	if err := s.announce(c.at.ifname); err != nil {
		return nil, err
	}
	r.Interfaces = []*current.Interface{
		{Name: c.at.hostEnd(), Mtu: mtu}, {Name: c.at.ifname, Mac: mac.String(), Mtu: mtu, Sandbox: s.path},
	}
	for _, ip := range r.IPs {
		ip.Interface = current.Int(1)
	}
	if r.DNS.IsEmpty() {
		r.DNS = c.conf.DNS
	}
	return r, nil
}

// undo takes back what a failed ADD has made. It returns the error failed, followed by what could not be taken back.
func (c *call) undo(failed error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	left := errors.Join(c.daemon.removePort(ctx, c.at), removeVeth(c.at), c.ipam.release(ctx))
	if left == nil {
		return failed
	}
	var e *types.Error
	if !errors.As(failed, &e) {
		e = types.NewError(types.ErrInternal, failed.Error(), "")
	}
	return types.NewError(e.Code, e.Msg, "and DEL has to remove what is left: "+left.Error())
}
