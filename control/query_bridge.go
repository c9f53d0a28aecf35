package control

import (
	"net/http"
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

// values returns the URL parameters of a request that asks for the FDB entries in q.
func (q FDBQuery) values() url.Values {
	return values(map[string]string{
		"bridge": q.Bridge, "port": q.Port, "vlan": vlanText(q.VLAN), "state": q.State,
		"statistics": switchText(q.Statistics),
	})
}

// values returns the URL parameters of a request that asks for the VLANs in q.
func (q VLANQuery) values() url.Values {
	return values(map[string]string{"port": q.Port, "vlan": vlanText(q.VLAN), "compressed": switchText(q.Compressed)})
}

// values returns the URL parameters with a value that is not empty.
func values(of map[string]string) url.Values {
	out := url.Values{}
	for key, value := range of {
		if value != "" {
			out.Set(key, value)
		}
	}
	return out
}

func vlanText(n uint16) string {
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

func fdbQuery(r *http.Request) (q FDBQuery, err error) {
	given, err := parameters(r, "bridge", "port", "vlan", "state", "statistics")
	if err != nil {
		return q, err
	}
	q = FDBQuery{Bridge: given.Get("bridge"), Port: given.Get("port"), State: given.Get("state")}
	if q.State != "" && q.State != FDBStatic && q.State != FDBDynamic {
		return q, badRequest("state", "state %q: %s or %s is wanted", q.State, FDBDynamic, FDBStatic)
	}
	if q.VLAN, err = vlanParameter(given); err != nil {
		return q, err
	}
	q.Statistics, err = switchParameter(given, "statistics")
	return q, err
}

func vlanQuery(r *http.Request) (q VLANQuery, err error) {
	given, err := parameters(r, "port", "vlan", "compressed")
	if err != nil {
		return q, err
	}
	q.Port = given.Get("port")
	if q.VLAN, err = vlanParameter(given); err != nil {
		return q, err
	}
	q.Compressed, err = switchParameter(given, "compressed")
	return q, err
}
