package control

import (
	"fmt"
	"strings"
)

// Numbers is a set of priorities, virtual channels or queues: their numbers, the lowest first. It is an array in JSON
// also when it is empty.
type Numbers []int

// numbers returns the numbers of the bits that are set.
func numbers(set uint32) Numbers {
	list := Numbers{}
	for bit := range 32 {
		if set>>bit&1 != 0 {
			list = append(list, bit)
		}
	}
	return list
}

// String returns "1,3", or "none".
func (n Numbers) String() string {
	if len(n) == 0 {
		return "none"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(n)), "[]"), " ", ",")
}

// orNone returns "a, b", or "none".
func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
