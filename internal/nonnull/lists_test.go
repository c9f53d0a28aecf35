package nonnull

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type inner struct {
	List []int `json:"list"`
}

type outer struct {
	inner
	Own     inner
	Pointer *inner
	None    *inner
	Any     any
	Slice   []inner
	Array   [2]inner
	Map     map[string][]string
	Octets  []byte
	Time    time.Time
	Left    []int `json:",omitempty"`
	hidden  []int
}

// No list is null, wherever it is, and nothing else changes.
func TestLists(t *testing.T) {
	shared := []inner{{}}
	v := outer{Pointer: &inner{}, Any: inner{}, Slice: shared, Map: map[string][]string{"a": nil, "b": {"c"}},
		Time: time.Unix(0, 0).UTC()}
	got, err := json.Marshal(Lists(v))
	want := `{"list":[],"Own":{"list":[]},"Pointer":{"list":[]},"None":null,"Any":{"list":[]},"Slice":[{"list":[]}],` +
		`"Array":[{"list":[]},{"list":[]}],"Map":{"a":[],"b":["c"]},"Octets":null,"Time":"1970-01-01T00:00:00Z"}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s, want\n%s", err, got, want)
	}
	if shared[0].List != nil || v.Pointer.List != nil || v.Map["a"] != nil || v.hidden != nil {
		t.Error("the value itself has changed")
	}
	for _, one := range []any{nil, 7, []string(nil), inner{}, &inner{}, []*inner{nil, {}}} {
		text, err := json.Marshal(Lists(one))
		if err != nil || strings.Count(string(text), "null") > 1 || strings.Contains(string(text), `:null`) {
			t.Errorf("%T: %s, %v", one, text, err)
		}
	}
}
