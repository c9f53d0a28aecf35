package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"uelink/dataplane/qos"
)

// schedulerType is SONiC's type of a scheduler.
type schedulerType uint8

const (
	dwrr schedulerType = iota
	strict
)

// String is the type's word in the configuration.
func (t schedulerType) String() string { return [...]string{"dwrr", "strict"}[t] }

// numbers is a number from 0 to last, or a range of them; noun is what they are.
func numbers(noun string, last int) kind[span] {
	values := fmt.Sprintf("0 to %d, or a range such as %d-%d", last, last/2, last)
	return kind[span]{values, func(s scalar) (span, error) {
		numbers, ok := numberRange(s.text, last)
		if !ok {
			return span{}, fmt.Errorf("%q is not %s: write %s", s.text, noun, values)
		}
		return numbers, nil
	}}
}

// priorities is PCP, a range of them, or PCP/DEI, as numbers PCP << 1 | DEI.
func priorities() kind[span] {
	const values = "0 to 7, a range such as 0-3, or with DEI such as 5/1"
	return kind[span]{values, func(s scalar) (span, error) {
		text, dei, exact := strings.Cut(s.text, "/")
		pcp, ok := numberRange(text, 7)
		p := span{first: pcp.first << 1, last: pcp.last<<1 | 1, exact: exact}
		if exact {
			one, is := numberRange(dei, 1)
			ok = ok && is && pcp.first == pcp.last && one.first == one.last
			p.first |= one.first
			p.last = p.first
		}
		if !ok {
			return span{}, fmt.Errorf("%q is not a PCP: write %s", s.text, values)
		}
		return p, nil
	}}
}

// uetKinds is a kind of UET packet, as its number.
func uetKinds() kind[span] {
	kinds := make([]qos.UETKind, qos.UETKinds)
	for i := range kinds {
		kinds[i] = qos.UETKind(i)
	}
	return mapped(choice(kinds...), func(k qos.UETKind) span { return span{first: int(k), last: int(k)} })
}

// numberRange reads N or N-M with 0 <= N <= M <= last.
func numberRange(text string, last int) (numbers span, ok bool) {
	low, high, is := strings.Cut(text, "-")
	if !is {
		high = low
	}
	first, err := strconv.ParseUint(low, 10, 16)
	if err != nil {
		return span{}, false
	}
	end, err := strconv.ParseUint(high, 10, 16)
	return span{first: int(first), last: int(end)}, err == nil && first <= end && int(end) <= last
}

// The rates that a port can be limited to, bits a second.
const (
	minRate = 8e3
	maxRate = 400e9
)

// bitRate is bits a second with a unit, or 0.
func bitRate() kind[uint64] {
	units := []unit{{"Gbps", 1e9}, {"Mbps", 1e6}, {"Kbps", 1e3}, {"kbps", 1e3}, {"bps", 1}}
	const values = "0, or 8Kbps to 400Gbps, with a unit: bps, Kbps, Mbps, Gbps"
	return kind[uint64]{values, func(s scalar) (uint64, error) {
		n, ok := quantity(s.text, units)
		switch {
		case !ok || n != 0 && !strings.HasSuffix(s.text, "bps"):
			return 0, fmt.Errorf("%q is not a rate: write a number and a unit, such as 100Mbps or 2.5Gbps", s.text)
		case n != 0 && (n < minRate || n > maxRate):
			return 0, fmt.Errorf("%s is out of range: %s", s.text, values)
		}
		return uint64(n), nil
	}}
}

// autoBurst is the burst of a port that leaves it to its rate.
const autoBurst = -1

// burst is a size, or the word auto.
func burst() kind[int64] {
	k := size(0, math.MaxUint32)
	return kind[int64]{"auto, " + k.values, func(s scalar) (int64, error) {
		if s.text == "auto" {
			return autoBurst, nil
		}
		return k.parse(s)
	}}
}
