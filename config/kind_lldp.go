package config

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"uelink/config/schema"
	"uelink/lldp"
	"uelink/wire"
)

// maxText is the largest number of octets of text in a TLV.
const maxText = 255

func errNotWhole(text string) error { return fmt.Errorf("%s is not a number of whole seconds", text) }

// tlvText returns the schema.Kind that parses a text that fits in a TLV.
func tlvText() schema.Kind[string] {
	return schema.Text("text, empty", func(s string) error {
		if len(s) > maxText {
			return fmt.Errorf("the text has %d octets: a TLV holds at most %d", len(s), maxText)
		}
		return nil
	})
}

// policy returns the schema.Kind that parses a Chassis ID or Port ID policy: the source of the id.
func policy(parse func(string) (lldp.Policy, error)) schema.Kind[lldp.Policy] {
	words := schema.Text("mac, ifname, ifalias, ip:ADDRESS, local:TEXT", func(string) error { return nil })
	return schema.NewKind(words.Values, words.JSON, func(s schema.Scalar) (lldp.Policy, error) {
		word, err := words.Parse(s)
		if err != nil {
			return lldp.Policy{}, err
		}
		return parse(word)
	})
}

// capability returns the schema.Kind that parses a system capability by name, in any case of letters.
func capability() schema.Kind[lldp.CapabilitySet] {
	names := (lldp.CapTPMR<<1 - 1).Names()
	all := strings.ToLower(strings.Join(names, ", "))
	return schema.NewKind(all, schema.StringJSON(""), func(s schema.Scalar) (lldp.CapabilitySet, error) {
		for _, name := range names {
			if strings.EqualFold(name, s.Text) {
				set, _ := lldp.CapabilityByName(name)
				return set, nil
			}
		}
		return 0, fmt.Errorf("%q is not one of %s", s.Text, all)
	})
}

// management returns the schema.Kind that parses a management address.
func management() schema.Kind[managementAddress] {
	return schema.NewKind("IP address, auto", schema.StringJSON(""), func(s schema.Scalar) (managementAddress, error) {
		if s.Text == "auto" {
			return managementAddress{auto: true}, nil
		}
		addr, err := netip.ParseAddr(s.Text)
		if err != nil || addr.Zone() != "" {
			return managementAddress{}, fmt.Errorf("%q is neither an IP address nor auto", s.Text)
		}
		return managementAddress{addr: addr.Unmap()}, nil
	})
}

// oui returns the schema.Kind that parses an OUI, written like the first three octets of a MAC address.
func oui() schema.Kind[lldp.OUI] {
	return schema.NewKind("OUI", schema.StringJSON(""), func(s schema.Scalar) (lldp.OUI, error) {
		mac, err := net.ParseMAC(s.Text + ":00:00:00")
		if err != nil || len(mac) != wire.AddrLen {
			return lldp.OUI{}, fmt.Errorf("%q is not an OUI: write three octets, such as \"fa:7a:cb\"", s.Text)
		}
		return lldp.OUI(mac), nil
	})
}

// hexadecimal returns the schema.Kind that parses at most limit octets in hexadecimal.
func hexadecimal(limit int) schema.Kind[[]byte] {
	values := fmt.Sprintf("hexadecimal, at most %d octets", limit)
	return schema.NewKind(values, schema.ScalarJSON(`^([0-9A-Fa-f]{2})*$`), func(s schema.Scalar) ([]byte, error) {
		octets, err := hex.DecodeString(s.Text)
		if err != nil {
			return nil, fmt.Errorf("%q is not hexadecimal: write two digits for each octet, in quotes", s.Text)
		}
		if len(octets) > limit {
			return nil, fmt.Errorf("the value has %d octets: at most %d fit", len(octets), limit)
		}
		return octets, nil
	})
}

// destination returns the schema.Kind that parses an LLDP group address by name.
func destination() schema.Kind[wire.MAC] {
	var names []schema.Word
	for _, da := range []wire.MAC{lldp.NearestBridge, lldp.NearestNonTPMRBridge, lldp.NearestCustomerBridge} {
		names = append(names, schema.Word(lldp.DestinationName(da)))
	}
	return schema.Mapped(schema.Choice(names...), func(name schema.Word) wire.MAC {
		da, _ := lldp.DestinationByName(string(name))
		return da
	})
}
