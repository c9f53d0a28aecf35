package lldp

import (
	"fmt"
	"strings"
)

// seen is a neighbour as lldpd shows it.
type seen struct {
	Chassis, Port   string // type and value
	TTL             string // seconds
	PortDescription string
	Name            string
	Description     string
	Capabilities    []string // "Bridge", or "Bridge on"
	Management      []string
	Unknown         []string // "FA,7A,CB 1: C0,01"
}

// The shape of a neighbour in lldpcli's json0, in which everything is a list.
type (
	shown struct {
		Chassis []shownChassis
		Port    []struct{ ID, Descr, TTL []shownValue }
		TLVs    []struct {
			TLV []struct{ OUI, Subtype, Value string } `json:"unknown-tlv"`
		} `json:"unknown-tlvs"`
	}
	shownChassis struct {
		ID, Name, Descr []shownValue
		MgmtIP          []shownValue `json:"mgmt-ip"`
		Capability      []struct {
			Type    string
			Enabled bool
		}
	}
	shownValue struct{ Type, Value string }
)

// only is the type and the value that are the only ones of a list; more than one
// are told apart from every one.
func only(list []shownValue) string { return strings.Join(values(list), "; ") }

func values(list []shownValue) (all []string) {
	for _, v := range list {
		all = append(all, strings.TrimSpace(v.Type+" "+v.Value))
	}
	return all
}

// neighbors are those that lldpd knows on link0.
func (l *lldpd) neighbors() (list []seen) {
	l.T.Helper()
	var all struct{ LLDP []struct{ Interface []shown } }
	l.show(&all, "neighbors", "details")
	for _, entry := range all.LLDP {
		for _, i := range entry.Interface {
			list = append(list, i.seen())
		}
	}
	return list
}

func (i shown) seen() (s seen) {
	for _, c := range i.Chassis {
		s.Chassis, s.Name, s.Description, s.Management = only(c.ID), only(c.Name), only(c.Descr), values(c.MgmtIP)
		for _, entry := range c.Capability {
			s.Capabilities = append(s.Capabilities, entry.Type+map[bool]string{true: " on"}[entry.Enabled])
		}
	}
	for _, p := range i.Port {
		s.Port, s.PortDescription, s.TTL = only(p.ID), only(p.Descr), only(p.TTL)
	}
	for _, t := range i.TLVs {
		for _, u := range t.TLV {
			s.Unknown = append(s.Unknown, fmt.Sprintf("%s %s: %s", u.OUI, u.Subtype, u.Value))
		}
	}
	return s
}
