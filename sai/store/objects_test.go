package store

import "uelink/sai"

// attr returns an attribute with its value.
func attr(id uint32, value sai.Value) sai.Set { return sai.Set{ID: id, Value: value} }

// pair returns an entry of a map.
func pair(key, value uint8) sai.Pair { return sai.Pair{Key: key, Value: value} }

// entry returns the name of a route.
func entry(router sai.OID, prefix string) sai.Entry { return sai.Entry{Router: router, Prefix: prefix} }

// notice returns a notification of a port.
func notice(port sai.OID, state, fault int) sai.PortNotification {
	return sai.PortNotification{Port: port, State: state, Error: fault}
}
