package control

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"uelink/control/api"
)

// parameters returns the query of a request. A query with a key that is not among keys, or with a repeated key,
// is an error.
func parameters(r *http.Request, keys ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("query", "query: %v", err)
	}
	for key, all := range values {
		if !slices.Contains(keys, key) {
			return nil, badRequest(key, "query: unknown key %q: one of %s is wanted", key, strings.Join(keys, ", "))
		}
		if len(all) > 1 {
			return nil, badRequest(key, "query: %s is there twice", key)
		}
	}
	return values, nil
}

// vlanParameter returns the VLAN number in a query, or 0 if it has none.
func vlanParameter(values url.Values) (uint16, error) {
	text := values.Get("vlan")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n < 1 || n > api.VLANMax {
		return 0, badVLAN(text)
	}
	return uint16(n), nil
}

// switchParameter returns the boolean that the query has under key: true or false; false if the key is missing.
func switchParameter(values url.Values, key string) (bool, error) {
	switch text := values.Get(key); text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, badRequest(key, "query: %s %q: true or false is wanted", key, text)
	}
}

func badVLAN(text string) error {
	return badRequest("vlan", "vlan %s: a number from 1 to %d is wanted", text, api.VLANMax)
}

// badRequest returns an Error of HTTP status 400 that names the wrong field of a request.
func badRequest(field, format string, args ...any) error {
	return &api.Error{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Field: field}
}

// fdbQuery returns the selection of FDB entries in the query of a request.
func fdbQuery(r *http.Request) (q api.FDBQuery, err error) {
	given, err := parameters(r, "bridge", "port", "vlan", "state", "statistics")
	if err != nil {
		return q, err
	}
	q = api.FDBQuery{Bridge: given.Get("bridge"), Port: given.Get("port"), State: given.Get("state")}
	if q.State != "" && q.State != api.FDBStatic && q.State != api.FDBDynamic {
		return q, badRequest("state", "state %q: %s or %s is wanted", q.State, api.FDBDynamic, api.FDBStatic)
	}
	if q.VLAN, err = vlanParameter(given); err != nil {
		return q, err
	}
	q.Statistics, err = switchParameter(given, "statistics")
	return q, err
}

// vlanQuery returns the selection of VLANs in the query of a request.
func vlanQuery(r *http.Request) (q api.VLANQuery, err error) {
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
