package controltest

import (
	"reflect"
	"slices"

	"uelink/dataplane/model"
)

// Counted returns a backend with the ports and bridges of NewBridged in which every counter of the port link0, of
// the bridge br0 and of its port link0 has a number of its own. keys has the counters' JSON keys by these numbers.
// A listing of a port and a bridge must show each number.
func Counted() (b *Backend, keys map[uint64]string) {
	b, keys = NewBridged(), map[uint64]string{}
	port := &b.ports[slices.IndexFunc(b.ports, func(p model.PortState) bool { return p.Name == "link0" })]
	bridge := &b.bridges[slices.IndexFunc(b.bridges, func(s model.BridgeState) bool { return s.Name == "br0" })]
	isLink0 := func(p model.BridgePortState) bool { return p.Port == "link0" }
	member := &bridge.Ports[slices.IndexFunc(bridge.Ports, isLink0)]
	for _, counters := range []any{
		&port.Counters, &port.Sockets.Stats, &port.LLR.Counters, &port.QueueStats[0].QueueCounters,
		&bridge.Counters, &member.Counters, &port.CBFC.Counters, &port.CBFC.VCs[0].Counters,
	} {
		number(reflect.ValueOf(counters).Elem(), keys)
	}
	return b, keys
}

// firstNumber is larger than any other number in the state.
const firstNumber = 7_000_001

// number sets each counter of a struct, and of the structs in it, to the next unused number, and records in keys
// the counter's JSON key by that number.
func number(counters reflect.Value, keys map[uint64]string) {
	for i := range counters.NumField() {
		switch counters.Field(i).Kind() {
		case reflect.Struct:
			number(counters.Field(i), keys)
		case reflect.Uint64:
			n := uint64(firstNumber + len(keys))
			counters.Field(i).SetUint(n)
			keys[n] = counters.Type().Field(i).Tag.Get("json")
		}
	}
}
