package main

import (
	"context"
	"errors"
	"slices"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
)

// del removes a container from the network. What is gone already is no error, nor is a container that is gone. What
// can be removed is removed, even if the rest cannot: the runtime calls again.
func del(args *skel.CmdArgs) error {
	c, err := newCall(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return together(c.daemon.removePort(ctx, c.at), removeVeth(c.at), c.ipam.release(ctx))
}

// collect carries out GC: it removes the ports and veths that this plugin has made for this network, except those of
// valid attachments. It also gives the addresses back one by one, because not every IPAM plugin knows GC: host-local
// does not.
func collect(args *skel.CmdArgs) error {
	c, err := newCall(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stale, err := c.stale(ctx)
	problems := []error{err}
	for _, a := range stale {
		problems = append(problems, c.daemon.removePort(ctx, a), removeVeth(a), c.ipam.releaseOf(ctx, a))
	}
	problems = append(problems, removeNameless(c.conf.Name, c.conf.ValidAttachments))
	return together(append(problems, c.ipam.collect(ctx))...)
}

// stale lists the attachments of the network that have a port or a veth, and are not valid.
func (c *call) stale(ctx context.Context) (list []attachment, err error) {
	ports, err := c.daemon.ports(ctx)
	for _, p := range ports {
		list = append(list, attachment{c.conf.Name, p.Labels.Container, p.Labels.IfName})
	}
	veths, listErr := vethsOf(c.conf.Name)
	for _, a := range veths {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return slices.DeleteFunc(list, func(a attachment) bool { return a.isOneOf(c.conf.ValidAttachments) }),
		errors.Join(err, listErr)
}

// together returns several errors as one error of CNI, with the code of the first and the texts of all.
func together(list ...error) error {
	err := errors.Join(list...)
	var e *types.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	return types.NewError(e.Code, err.Error(), e.Details)
}
