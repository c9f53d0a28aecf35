package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
)

// ipam calls the plugin that gives addresses in a network. Without such a plugin containers have no addresses.
type ipam struct {
	plugin string
	stdin  []byte
}

func ipamOf(c *conf, args *skel.CmdArgs) ipam { return ipam{c.IPAM.Type, args.StdinData} }

// add returns addresses and routes for an attachment; an empty result if the network has no IPAM plugin. A plugin that
// gives no address is an error.
func (i ipam) add(ctx context.Context) (*current.Result, error) {
	if i.plugin == "" {
		return &current.Result{CNIVersion: current.ImplementedSpecVersion}, nil
	}
	given, err := invoke.DelegateAdd(ctx, i.plugin, i.stdin, nil)
	if err != nil {
		return nil, i.failed(err)
	}
	r, err := current.NewResultFromResult(given)
	if err == nil && len(r.IPs) == 0 {
		err = types.NewError(types.ErrInternal, "IPAM plugin "+i.plugin+" has given no address", "")
	}
	return r, err
}

// release gives the addresses of an attachment back.
func (i ipam) release(ctx context.Context) error {
	if i.plugin == "" {
		return nil
	}
	return i.failed(invoke.DelegateDel(ctx, i.plugin, i.stdin, nil))
}

// releaseOf gives back the addresses of an attachment other than that of the call.
func (i ipam) releaseOf(ctx context.Context, a attachment) error {
	if i.plugin == "" {
		return nil
	}
	folders := os.Getenv("CNI_PATH")
	path, err := invoke.FindInPath(i.plugin, filepath.SplitList(folders))
	if err != nil {
		return err
	}
	return i.failed(invoke.ExecPluginWithoutResult(ctx, path, i.stdin,
		&invoke.Args{Command: "DEL", ContainerID: a.container, IfName: a.ifname, Path: folders}, nil))
}

// check returns an error if the addresses of an attachment are not in use by it.
func (i ipam) check(ctx context.Context) error {
	if i.plugin == "" {
		return nil
	}
	return i.failed(invoke.DelegateCheck(ctx, i.plugin, i.stdin, nil))
}

// collect makes the plugin give back what no valid attachment has; status asks whether it can give addresses. Plugins
// older than CNI 1.1 know neither.
func (i ipam) collect(ctx context.Context) error {
	if i.plugin == "" {
		return nil
	}
	return i.failed(unlessUnknown(invoke.DelegateGC(ctx, i.plugin, i.stdin, nil)))
}

func (i ipam) status(ctx context.Context) error {
	if i.plugin == "" {
		return nil
	}
	return i.failed(unlessUnknown(invoke.DelegateStatus(ctx, i.plugin, i.stdin, nil)))
}

// failed returns the error of a call of the IPAM plugin. An error without a code gets one, which CNI demands.
func (i ipam) failed(err error) error {
	var e *types.Error
	if errors.As(err, &e) && e.Code == 0 {
		return types.NewError(types.ErrInternal, "IPAM plugin "+i.plugin+": "+e.Msg, e.Details)
	}
	return err
}

// unlessUnknown returns err, but nil if err says that the plugin does not know the command or the version of CNI.
func unlessUnknown(err error) error {
	var e *types.Error
	unknown := []uint{types.ErrInvalidEnvironmentVariables, types.ErrIncompatibleCNIVersion}
	if errors.As(err, &e) && slices.Contains(unknown, e.Code) {
		return nil
	}
	return err
}
