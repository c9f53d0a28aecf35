package control

import (
	"reflect"
	"strings"
)

// Help returns the meaning of a struct's field as a sentence: the comment that stands at the field in the source.
// It is the one source of the HELP lines of the metrics, of `uelink port --detailed` and of docs/API.md. It is ""
// where the field has no comment.
//
// The comments are in helpOf, which `go test ./control -rewrite` copies from the source.
func Help(of reflect.Type, field string) string { return helpOf(helpKey(of, field)) }

// helpKey returns the key of a field in helpOf: "llr.Counters.TxOK". A generic type goes by its name without
// parameters.
func helpKey(of reflect.Type, field string) string {
	name, _, _ := strings.Cut(of.String(), "[")
	return name + "." + field
}
