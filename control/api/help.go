package api

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// Help returns the meaning of a struct's field as a sentence: the comment that stands at the field in the source.
// It is the one source of the HELP lines of the metrics, of `uelink port --detailed` and of docs/API.md. It is ""
// where the field has no comment.
//
// The comments are in help.json, to which `go test ./control/api -rewrite` copies them from the source.
func Help(t reflect.Type, field string) string { return comments()[helpKey(t, field)] }

//go:embed help.json
var helpJSON []byte

// comments returns the comments of fields by helpKey.
var comments = sync.OnceValue(func() (help map[string]string) {
	_ = json.Unmarshal(helpJSON, &help) // a test has written the file, and compares it
	return help
})

// helpKey returns the key of a field in help.json: "llr.Counters.TxOK". A generic type goes by its name without
// parameters.
func helpKey(t reflect.Type, field string) string {
	name, _, _ := strings.Cut(t.String(), "[")
	return name + "." + field
}
