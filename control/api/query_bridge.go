package api

import (
	"net/url"
	"strconv"
)

// FDBQuery selects entries; "" and 0 mean any.
type FDBQuery struct {
	Bridge     string
	Port       string
	VLAN       uint16
	State      string // FDBStatic or FDBDynamic
	Statistics bool   // with FDBEntry.Updated
}

// FDBDynamic selects learned entries. It is iproute2's word for a state that its output leaves empty.
const FDBDynamic = "dynamic"

// VLANQuery selects VLANs; "" and 0 mean any.
type VLANQuery struct {
	Port       string
	VLAN       uint16
	Compressed bool // as ranges where that is possible
}

// Values returns the URL parameters of a request that asks for the FDB entries in q.
func (q FDBQuery) Values() url.Values {
	return Values(map[string]string{
		"bridge": q.Bridge, "port": q.Port, "vlan": VLANText(q.VLAN), "state": q.State,
		"statistics": switchText(q.Statistics),
	})
}

// Values returns the URL parameters of a request that asks for the VLANs in q.
func (q VLANQuery) Values() url.Values {
	return Values(map[string]string{"port": q.Port, "vlan": VLANText(q.VLAN), "compressed": switchText(q.Compressed)})
}

// Values returns the entries of a map whose value is not empty as URL parameters.
func Values(parameters map[string]string) url.Values {
	out := url.Values{}
	for key, value := range parameters {
		if value != "" {
			out.Set(key, value)
		}
	}
	return out
}

// VLANText returns a VLAN id as text, empty for 0.
func VLANText(n uint16) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(int(n))
}

func switchText(on bool) string {
	if on {
		return "true"
	}
	return ""
}
