package config

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"uelink/lldp"
	"uelink/wire"
)

// maxText is the octets of a TLV that holds text.
const maxText = 255

func errNotWhole(text string) error { return fmt.Errorf("%s is not a number of whole seconds", text) }

// tlvText is text that a TLV holds.
func tlvText() kind[string] {
	return text("text, empty", func(s string) error {
		if len(s) > maxText {
			return fmt.Errorf("this is %d octets long: a TLV holds %d", len(s), maxText)
		}
		return nil
	})
}

// policy is what an id is made of.
func policy(parse func(string) (lldp.Policy, error)) kind[lldp.Policy] {
	words := text("mac, ifname, ifalias, ip:ADDRESS, local:TEXT", func(string) error { return nil })
	return kind[lldp.Policy]{words.values, func(s scalar) (lldp.Policy, error) {
		word, err := words.parse(s)
		if err != nil {
			return lldp.Policy{}, err
		}
		return parse(word)
	}}
}

// capability is one of a system, in any case of letters.
func capability() kind[lldp.CapabilitySet] {
	names := (lldp.CapTPMR<<1 - 1).Names()
	all := strings.ToLower(strings.Join(names, ", "))
	return kind[lldp.CapabilitySet]{all, func(s scalar) (lldp.CapabilitySet, error) {
		for _, name := range names {
			if strings.EqualFold(name, s.text) {
				set, _ := lldp.CapabilityByName(name)
				return set, nil
			}
		}
		return 0, fmt.Errorf("%q is not one of %s", s.text, all)
	}}
}

// management is a management address.
func management() kind[managementAddress] {
	return kind[managementAddress]{"IP address, auto", func(s scalar) (managementAddress, error) {
		if s.text == "auto" {
			return managementAddress{auto: true}, nil
		}
		addr, err := netip.ParseAddr(s.text)
		if err != nil || addr.Zone() != "" {
			return managementAddress{}, fmt.Errorf("%q is neither an IP address nor auto", s.text)
		}
		return managementAddress{addr: addr.Unmap()}, nil
	}}
}

// oui is an OUI as the first three octets of an address are written.
func oui() kind[lldp.OUI] {
	return kind[lldp.OUI]{"OUI", func(s scalar) (lldp.OUI, error) {
		mac, err := net.ParseMAC(s.text + ":00:00:00")
		if err != nil || len(mac) != wire.AddrLen {
			return lldp.OUI{}, fmt.Errorf("%q is not an OUI: write three octets, such as \"fa:7a:cb\"", s.text)
		}
		return lldp.OUI(mac), nil
	}}
}

// hexadecimal is at most limit octets.
func hexadecimal(limit int) kind[[]byte] {
	values := fmt.Sprintf("hexadecimal, at most %d octets", limit)
	return kind[[]byte]{values, func(s scalar) ([]byte, error) {
		octets, err := hex.DecodeString(s.text)
		if err != nil {
			return nil, fmt.Errorf("%q is not hexadecimal: write two digits for each octet, in quotes", s.text)
		}
		if len(octets) > limit {
			return nil, fmt.Errorf("this is %d octets: at most %d fit", len(octets), limit)
		}
		return octets, nil
	}}
}

// destination is a group address by name.
func destination() kind[wire.MAC] {
	var names []word
	for _, da := range []wire.MAC{lldp.NearestBridge, lldp.NearestNonTPMRBridge, lldp.NearestCustomerBridge} {
		names = append(names, word(lldp.DestinationName(da)))
	}
	return mapped(choice(names...), func(name word) wire.MAC {
		da, _ := lldp.DestinationByName(string(name))
		return da
	})
}
