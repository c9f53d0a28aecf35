package main

import (
	"errors"
	"fmt"

	"uelink/internal/netns"
	"uelink/wire"
)

// The two cores: the forwarder has deviceCPU, the generator loadCPU.
const (
	loadCPU   = 0
	deviceCPU = 1
)

// edgeMTU fits the longest frame of the tables. With the shim, the frame still fits a veth with native XDP.
const edgeMTU = 3400 - wire.HeaderLen

// bed is the namespaces for one forwarder:
//
//	load                device               load
//	     gen0 ~ edge0 [forwarder] link0 ~ part0
//	     gen1 ~ edge1 [         ] link1 ~ part1
type bed struct{ load, device *netns.NS }

// newBed makes the network namespaces for one forwarder, "load" and "device", and joins them by veths: two veths,
// an edge and a link, for each of a number of links. After an error, everything is removed.
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

// nth returns an interface's name, which is also the name of its port: name followed by the number i, such as
// "link0".
func nth(name string, i int) string { return fmt.Sprint(name, i) }

// close closes both namespaces, which ends the processes in them.
func (b *bed) close() error {
	var problems []error
	for _, ns := range []*netns.NS{b.load, b.device} {
		if ns != nil {
			problems = append(problems, ns.Close())
		}
	}
	return errors.Join(problems...)
}

// index returns the kernel's index of an interface in the namespace of the load.
func (b *bed) index(ifname string) (int, error) {
	i, err := b.load.Ifindex(ifname)
	if err != nil {
		return 0, fmt.Errorf("find %s: %w", ifname, err)
	}
	return i, nil
}

// indexes returns the kernel's indexes of the interfaces name0, name1 and so on, as many as there are links, in
// the namespace of the load.
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
