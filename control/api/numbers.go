package api

import (
	"fmt"
	"strconv"
	"strings"
)

// Numbers is a set of priorities, virtual channels or queues: their numbers, the lowest first. It is an array in JSON
// also when it is empty.
type Numbers []int

// numbers returns the positions of the 1 bits of set, in ascending order.
func numbers(set uint32) Numbers {
	list := Numbers{}
	for bit := range 32 {
		if set>>bit&1 != 0 {
			list = append(list, bit)
		}
	}
	return list
}

// String returns the numbers as "1,3", or "none".
func (n Numbers) String() string {
	if len(n) == 0 {
		return "none"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(n)), "[]"), " ", ",")
}

// orNone returns the texts joined as "a, b", or "none" for an empty list.
func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// Short returns a rate with a unit, in at most five characters: 0, 312, 1.5k, 22.4M.
func Short(n float64) string {
	if n < 999.5 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	for _, unit := range []string{"k", "M", "G", "T"} {
		if n /= 1000; n < 999.5 || unit == "T" {
			digits := 1
			if n >= 99.95 {
				digits = 0
			}
			return strconv.FormatFloat(n, 'f', digits, 64) + unit
		}
	}
	return ""
}
