package acd

import (
	"fmt"
	"time"

	"uelink/wire"
)

// When an address counts as unanswered. A host that gets no answer asks once a second: Linux three times for each
// address, and again when another packet is to leave. Whoever gets an answer asks once.
const (
	askedLeast = 3                       // questions at least
	askedSpan  = 1500 * time.Millisecond // between the first and the last question at least
	askedBreak = 5 * time.Second         // after a longer break the questions are counted again
)

// AskedLast is the time after the last question in which an address counts as unanswered.
const AskedLast = 10 * time.Second

// askedMax is how many addresses Asked keeps; the one asked for longest ago is forgotten first.
const askedMax = 8

// Asked holds the IPv4 addresses for which a host asks by ARP and gets no answer. All frames for the host have to be
// seen. The zero value is a host that has not asked.
type Asked struct {
	list [askedMax]question
	any  bool // list has a question
}

// question is an address that a host has asked for.
type question struct {
	ip          uint32
	vlan        uint16
	n           uint8     // questions; 0: free
	first, last wire.Time // times of the first and of the last question
}

// Asks records that the host asks for an address in a VLAN. The first question, or one after a long break, begins a new
// count, in a free place or in that of the address asked for longest ago.
func (a *Asked) Asks(ip uint32, vlan uint16, now wire.Time) {
	at := &a.list[0]
	for i := range a.list {
		q := &a.list[i]
		if q.n > 0 && q.ip == ip && q.vlan == vlan {
			at = q
			break
		}
		if q.n == 0 || at.n > 0 && q.last < at.last {
			at = q
		}
	}
	if at.n == 0 || at.ip != ip || at.vlan != vlan || now.Sub(at.last) > askedBreak {
		*at = question{ip: ip, vlan: vlan, first: now}
	}
	at.n, at.last, a.any = min(at.n+1, askedLeast), now, true
}

// Answered records that somebody uses an address: its questions are forgotten.
func (a *Asked) Answered(ip uint32, vlan uint16) {
	if !a.any {
		return
	}
	a.any = false
	for i := range a.list {
		if q := &a.list[i]; q.ip == ip && q.vlan == vlan {
			*q = question{}
		} else {
			a.any = a.any || q.n > 0
		}
	}
}

// Unanswered returns, as text, the addresses for which the host asks in vain: often enough, for long enough, and
// lately.
func (a *Asked) Unanswered(now wire.Time) (list []string) {
	for i := range a.list {
		q := &a.list[i]
		if q.n >= askedLeast && q.last.Sub(q.first) >= askedSpan && now.Sub(q.last) <= AskedLast {
			list = append(list, addressText(q.ip, q.vlan))
		}
	}
	return list
}

// addressText returns an address, with its VLAN if there is one.
func addressText(ip uint32, vlan uint16) string {
	text := fmt.Sprintf("%d.%d.%d.%d", ip>>24, ip>>16&0xFF, ip>>8&0xFF, ip&0xFF)
	if vlan != 0 {
		text += fmt.Sprintf(" in VLAN %d", vlan)
	}
	return text
}
