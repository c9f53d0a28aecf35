package frames

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// hostsFlag is a list of addresses on the command line.
type hostsFlag []string

// String returns the addresses, separated by commas.
func (h *hostsFlag) String() string { return strings.Join(*h, ",") }

// Type returns the word that stands for the flag's value in the help: "addresses".
func (h *hostsFlag) Type() string { return "addresses" }

// Set adds the MAC and IP addresses in a text, separated by commas, to the list.
func (h *hostsFlag) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		ip, err := netip.ParseAddr(word)
		if err == nil {
			*h = append(*h, ip.String())
			continue
		}
		mac, err := net.ParseMAC(word)
		if err != nil {
			return fmt.Errorf("%q is neither a MAC address nor an IP address", word)
		}
		*h = append(*h, mac.String())
	}
	return nil
}

// kindsFlag is a list of EtherTypes on the command line.
type kindsFlag []uint16

// String returns the EtherTypes in hexadecimal, separated by commas.
func (k *kindsFlag) String() string {
	var words []string
	for _, kind := range *k {
		words = append(words, fmt.Sprintf("%#x", kind))
	}
	return strings.Join(words, ",")
}

// Type returns the word that stands for the flag's value in the help: "ethertypes".
func (k *kindsFlag) Type() string { return "ethertypes" }

// Set adds the EtherTypes in a text, separated by commas, to the list.
func (k *kindsFlag) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		kind, err := strconv.ParseUint(word, 0, 16)
		if err != nil {
			return fmt.Errorf("%q is no EtherType, such as 0x800", word)
		}
		*k = append(*k, uint16(kind))
	}
	return nil
}

// dscpsFlag is a set of DSCPs on the command line: bit n is DSCP n.
type dscpsFlag uint64

func (f *dscpsFlag) Type() string { return "dscps" }

// String returns the DSCPs, separated by commas.
func (f *dscpsFlag) String() string {
	var list []string
	for dscp := range 64 {
		if *f>>dscp&1 != 0 {
			list = append(list, strconv.Itoa(dscp))
		}
	}
	return strings.Join(list, ",")
}

// Set adds the DSCPs in a text, separated by commas, to the set.
func (f *dscpsFlag) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		dscp, err := strconv.ParseUint(word, 10, 8)
		if err != nil || dscp > 63 {
			return fmt.Errorf("%q is no DSCP (0 to 63)", word)
		}
		*f |= 1 << dscp
	}
	return nil
}
