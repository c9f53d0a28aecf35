package main

import (
	"errors"
	"fmt"

	"uelink/netns"
	"uelink/wire"
)

// Two cores: what is measured has one, what makes the load the other.
const (
	loadCPU   = 0
	deviceCPU = 1
)

// edgeMTU lets the longest frame of the tables through; with the shim it is
// within what a veth with native XDP takes.
const edgeMTU = 3400 - wire.HeaderLen

// bed is where one forwarder is measured alone:
//
//	load                device               load
//	     gen0 ~ edge0 [forwarder] link0 ~ part0
//	     gen1 ~ edge1 [         ] link1 ~ part1
type bed struct{ load, device *netns.NS }

// newBed makes one for so many links.
func newBed(name string, links int) (b *bed, err error) {
	b = &bed{}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.load, err = netns.New(name + "-load"); err != nil {
		return b, err
	}
	if b.device, err = netns.New(name); err != nil {
		return b, err
	}
	for i := range links {
		if err := errors.Join(
			netns.Veth(b.load, nth("gen", i), b.device, nth("edge", i), edgeMTU),
			netns.Veth(b.device, nth("link", i), b.load, nth("part", i), edgeMTU+wire.Overhead)); err != nil {
			return b, err
		}
	}
	return b, nil
}

// nth is the name of an interface, and of the port on it.
func nth(name string, i int) string { return fmt.Sprint(name, i) }

func (b *bed) close() error {
	var problems []error
	for _, ns := range []*netns.NS{b.load, b.device} {
		if ns != nil {
			problems = append(problems, ns.Close())
		}
	}
	return errors.Join(problems...)
}

// index is the index of an interface in the load's namespace.
func (b *bed) index(ifname string) (int, error) {
	i, err := b.load.Ifindex(ifname)
	if err != nil {
		return 0, fmt.Errorf("find %s: %w", ifname, err)
	}
	return i, nil
}

// indexes is the indexes of so many interfaces of a name in the load's namespace.
func (b *bed) indexes(name string, links int) (list []int, err error) {
	for i := range links {
		index, err := b.index(nth(name, i))
		if err != nil {
			return nil, err
		}
		list = append(list, index)
	}
	return list, nil
}
