package api

import (
	"fmt"
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
