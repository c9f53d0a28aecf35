package traffic

import (
	"fmt"
	"strconv"

	"uelink/wire"
)

// imix is the usual mix, 7:4:1 of 64, 594 and 1518 octets, here without the FCS and spread out.
const imix = "imix"

// sweep is every size from the smallest to the largest, repeated.
const sweep = "sweep"

// parseSizes parses the option size: a number of octets, "imix" or "sweep". It returns the lengths of the frames
// to send, a pattern to repeat. A length is the whole frame without FCS, VLAN tags included, so an interface
// carries up to MTU + 14. No length is below least.
func parseSizes(size string, mtu, least int) ([]int, error) {
	largest := mtu + wire.HeaderLen
	pattern, err := sizePattern(size, largest, least)
	if err != nil {
		return nil, err
	}
	for _, n := range pattern {
		if n < least || n > largest {
			return nil, fmt.Errorf("size %s: frames of %d octets, but an MTU of %d carries %d to %d",
				size, n, mtu, least, largest)
		}
	}
	return pattern, nil
}

// sizePattern returns the sizes of the frames in turn: of imix, of sweep from least to largest, or one number.
func sizePattern(size string, largest, least int) ([]int, error) {
	switch size {
	case imix:
		pattern := []int{60, 590, 60, 60, 590, 60, 1514, 60, 590, 60, 60, 590}
		for i, n := range pattern {
			pattern[i] = max(n, least)
		}
		return pattern, nil
	case sweep:
		pattern := make([]int, 0, max(0, largest-least+1))
		for n := least; n <= largest; n++ {
			pattern = append(pattern, n)
		}
		return pattern, nil
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		return nil, fmt.Errorf("size %q: want a number of octets, %q or %q", size, imix, sweep)
	}
	return []int{n}, nil
}

// CheckSize returns an error if the option size (octets, "imix" or "sweep") has frames that an interface with that
// MTU does not carry, or cannot be parsed.
func CheckSize(size string, mtu int) error {
	_, err := parseSizes(size, mtu, wire.MinFrameLen)
	return err
}
