package docs

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"uelink/llr"
)

// The table of PROTOCOL.md that says what SAI's states and counters mean under selective replay has all of them.
func TestTableOfSelectiveReplayIsWhole(t *testing.T) {
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| SAI-LLR | under selective replay |\n")
	table, _, ok := strings.Cut(rest, "\n\n")
	if !ok {
		t.Fatal("PROTOCOL.md has no table of SAI-LLR under selective replay")
	}
	var names []string
	for i := range llr.TxFlush + 1 {
		names = append(names, i.String())
	}
	for i := range llr.RxNackSent + 1 {
		names = append(names, i.String())
	}
	counters := reflect.TypeFor[llr.Counters]()
	for i := range counters.NumField() {
		if name, ok := strings.CutPrefix(counters.Field(i).Tag.Get("json"), "llr_"); ok {
			names = append(names, strings.ToUpper(name))
		}
	}
	for _, name := range names {
		if !strings.Contains(table, name) {
			t.Errorf("the table has no %s", name)
		}
	}
}
