package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/containernetworking/cni/pkg/types"

	"uelink/client"
	"uelink/control/api"
	"uelink/dataplane/model"
)

// Bounds of the wait for a daemon that starts again, or is busy, and for a port that comes up.
const (
	patience = 20 * time.Second
	every    = 50 * time.Millisecond
)

// errNotAvailable is CNI's code of a plugin that cannot serve an ADD.
const errNotAvailable = 50

// daemon is the uelinkd of a network.
type daemon struct {
	*client.Client
	conf *conf
}

func daemonOf(c *conf) daemon { return daemon{client.NewClient(c.Socket), c} }

// patiently repeats f until it succeeds, or fails for a reason that does not pass by itself: systemd starts a killed
// daemon again, and an addition that is repeated changes nothing.
func patiently(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || !passes(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(every):
		}
	}
}

// passes reports whether an error may pass by itself: the daemon is away or busy.
func passes(err error) bool {
	var refused *api.Error
	if errors.As(err, &refused) {
		return refused.Status == http.StatusServiceUnavailable ||
			strings.Contains(refused.Message, "the daemon is busy")
	}
	return true // the daemon has not answered
}

// asked turns the error of a request to the daemon into an error of CNI, which names the request; nil stays nil. The
// runtime tries again after an error that may pass by itself.
func asked(request string, err error) error {
	code := types.ErrInternal
	if err == nil {
		return nil
	}
	if passes(err) {
		code = types.ErrTryAgainLater
	}
	return types.NewError(code, request+": "+err.Error(), "")
}

// addPort adds the port of an attachment, and waits until it can carry frames, or returns an error at the end of ctx.
func (d daemon) addPort(ctx context.Context, a attachment) error {
	err := patiently(ctx, func() error { _, err := d.AddPorts(ctx, a.addition(d.conf)); return err })
	if err != nil {
		return asked("add the port", err)
	}
	for {
		port, err := d.Port(ctx, a.hostEnd())
		if err == nil && port.OperStatus == api.OperUp {
			return nil
		}
		select {
		case <-ctx.Done():
			return types.NewError(types.ErrTryAgainLater, fmt.Sprintf("port %s does not come up: %s %s", a.hostEnd(),
				port.OperStatus, port.Fault), "")
		case <-time.After(every):
		}
	}
}

// removePort removes the port of an attachment. A missing port is no error.
func (d daemon) removePort(ctx context.Context, a attachment) error {
	return asked("remove the port", patiently(ctx, func() error {
		_, err := d.RemovePorts(ctx, a.hostEnd())
		var refused *api.Error
		if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
			return nil
		}
		return err
	}))
}

// ports returns the ports of the network made by this plugin.
func (d daemon) ports(ctx context.Context) (list []api.Port, err error) {
	err = patiently(ctx, func() (err error) {
		list, err = d.PortsWith(ctx, model.Labels{Owner: owner, Network: d.conf.Name})
		return err
	})
	return list, asked("list the ports", err)
}

// links returns the links of the network: the one that is configured, or all of the bridge. A bridge or a link that the
// daemon does not have is an error.
func (d daemon) links(ctx context.Context) (links []api.Port, err error) {
	var all []api.Port
	err = patiently(ctx, func() (err error) { all, err = d.Ports(ctx); return err })
	if err != nil {
		return nil, asked("list the ports", err)
	}
	if d.conf.Bridge != "" {
		err := patiently(ctx, func() error { _, err := d.Client.Bridge(ctx, d.conf.Bridge); return err })
		if err != nil {
			return nil, asked("bridge "+d.conf.Bridge, err)
		}
	}
	links = slices.DeleteFunc(all, func(p api.Port) bool {
		other := d.conf.Bridge != "" && p.Bridge != d.conf.Bridge || d.conf.Link != "" && p.Name != d.conf.Link
		return p.Role != "link" || other
	})
	if d.conf.Link != "" && len(links) == 0 {
		return nil, types.NewError(types.ErrInvalidNetworkConfig,
			fmt.Sprintf("uelinkd has no link %s here", d.conf.Link),
			"network "+d.conf.Name)
	}
	return links, nil
}

// mtu returns the MTU of the veth: the MTU of the configuration, or without one the largest that all present links of
// the network carry, 1500 without a link. A configured MTU too large for a link is an error.
func (d daemon) mtu(links []api.Port) (int, error) {
	mtu := d.conf.MTU
	for _, l := range links {
		switch carried := l.CarriedMTU; {
		case carried == 0:
		case d.conf.MTU > carried:
			return 0, types.NewError(types.ErrInvalidNetworkConfig,
				fmt.Sprintf("mtu %d: link %s carries at most %d: raise the MTU of its interface %s, or lower mtu",
					d.conf.MTU, l.Name, carried, l.Interface), "network "+d.conf.Name)
		case mtu == 0 || carried < mtu:
			mtu = carried
		}
	}
	if mtu == 0 {
		mtu = 1500 // no link is there yet
	}
	return mtu, nil
}
