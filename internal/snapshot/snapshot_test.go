package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
)

// settings is a struct of exported fields.
type settings struct {
	On     bool
	Small  int8
	Large  uint64
	Name   string
	Octets []byte
	List   []struct{ A, B uint16 }
	Three  [3]int32
	Maybe  *struct{ C string }
}

// machine has a field of each kind.
type machine struct {
	number int16
	big    uint64
	on     bool
	share  float64
	word   string
	octets []byte
	many   [4]int64
	list   []uint32
	inner  struct{ a, b int }
	all    settings
}

func (m *machine) PassState(s *snapshot.State) {
	snapshot.Number(s, "number", &m.number)
	snapshot.Number(s, "big", &m.big)
	s.Bool("on", &m.on)
	s.Float("share", &m.share)
	snapshot.Text(s, "word", &m.word)
	s.Bytes("octets", &m.octets, 8)
	snapshot.Numbers(s, "many", m.many[:])
	snapshot.List(s, "list", &m.list, 3, func(s *snapshot.State, v *uint32) { snapshot.Number(s, "v", v) })
	s.Group("inner", func(s *snapshot.State) {
		snapshot.Number(s, "a", &m.inner.a)
		snapshot.Number(s, "b", &m.inner.b)
		s.Check(m.inner.a >= m.inner.b, "a is %d, less than b", m.inner.a)
	})
	s.Struct("all", &m.all)
}

// full is a machine without a zero field.
func full() *machine {
	m := &machine{number: -3, big: 1<<64 - 1, on: true, share: 0.1, word: "a \"b\"\n", octets: []byte{0, 255},
		many: [4]int64{1, 0, -1 << 63, 2}, list: []uint32{7, 0}}
	m.inner.a, m.inner.b = 5, 4
	m.all = settings{On: true, Small: -128, Large: 9, Name: "x", Octets: []byte("o"),
		List: []struct{ A, B uint16 }{{1, 2}, {}}, Three: [3]int32{0, -1, 0}, Maybe: &struct{ C string }{"c"}}
	return m
}

func TestEveryKindOfFieldIsRestored(t *testing.T) {
	for _, m := range []*machine{full(), {}} {
		fresh := full()
		if err := snapshottest.Renew(m, fresh); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, fresh) {
			t.Errorf("%+v was restored as %+v", m, fresh)
		}
	}
}

func TestEveryFieldOfTheMachineIsFound(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return full() })
}

func TestZeroFieldsAreNotWritten(t *testing.T) {
	saved := string(snapshot.Save("m", &machine{number: 1}))
	for _, name := range []string{"big", "on", "Small", "Maybe.set"} {
		if strings.Contains(saved, name+" ") {
			t.Errorf("%q is in\n%s", name, saved)
		}
	}
}

// Every octet of the text is covered by the checksum, and a text that was cut short is refused.
func TestDamagedStateIsRefused(t *testing.T) {
	saved := snapshot.Save("m", full())
	for i := range saved {
		for _, bit := range []byte{1, 0x20, 0x80} {
			damaged := bytes.Clone(saved)
			damaged[i] ^= bit
			if err := snapshot.Restore("m", damaged, &machine{}); err == nil {
				t.Fatalf("bit %#x of octet %d was not missed", bit, i)
			}
		}
		if err := snapshot.Restore("m", saved[:i], &machine{}); err == nil {
			t.Fatalf("a state cut to %d octets was restored", i)
		}
	}
	if err := snapshot.Restore("m", append(saved, saved...), &machine{}); !errors.Is(err, snapshot.ErrDamaged) {
		t.Errorf("two states in one: %v", err)
	}
}

func TestOtherVersionAndOtherKindAreRefused(t *testing.T) {
	saved := snapshot.Save("m", full())
	if err := snapshot.Restore("n", saved, &machine{}); !errors.Is(err, snapshot.ErrKind) {
		t.Errorf("another kind: %v", err)
	}
	later := bytes.Replace(saved, fmt.Appendf(nil, "state %d", snapshot.Version), []byte("state 99"), 1)
	if err := snapshot.Restore("m", later, &machine{}); !errors.Is(err, snapshot.ErrVersion) {
		t.Errorf("version 99: %v", err)
	}
}

// What a field cannot hold is refused with the name of the field.
func TestBadFieldsAreRefusedByName(t *testing.T) {
	for body, want := range map[string]string{
		"number 32768":              "number: invalid value: 32768",
		"number x":                  "number: invalid value: x",
		"number 1 2":                "number: invalid value",
		"big -1":                    "big: invalid value",
		"on yes":                    "on: invalid value",
		"share NaN":                 "share: invalid value",
		"word x":                    "word: invalid value",
		"octets 0":                  "octets: invalid value",
		"octets 010203040506070809": "octets: invalid value",
		"many 1 2 3 4 5":            "many: invalid value",
		"many 1 x":                  "many: invalid value",
		"list {\nitems 4\n}":        "list: invalid value: 4 items",
		"list {\nitems -1\n}":       "list: invalid value: -1 items",
		"list {\nitems 1\n0 {\nv 4294967296\n}\n}": "list.0.v: invalid value",
		"inner {\na 1\nb 2\n}":                     "inner: invalid value: a is 1",
		"inner 5":                                  "inner: invalid value: the value must be a group of fields in braces",
		"inner {\na 1\nc 2\n}":                     "inner.c: unknown field",
		"inner {\na 1":                             "inner: unknown field",
		"newer 5":                                  "newer: unknown field",
		"big 1\nnumber 1":                          "number: unknown field",
		"all {\nSmall 128\n}":                      "all.Small: invalid value",
		"all {\nMore 1\n}":                         "all.More: unknown field",
		"all {\nList {\nitems 70000\n}\n}":         "all.List: invalid value",
	} {
		err := snapshottest.Restore([]byte(body), &machine{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", body, err, want)
		}
	}
}

// older is a machine of an older version, which lacks most fields.
type older struct{ number int16 }

func (m *older) PassState(s *snapshot.State) { snapshot.Number(s, "number", &m.number) }

// A newer version reads the state of an older one; an older one reads the state of a newer one without new values.
func TestVersionsReadEachOther(t *testing.T) {
	fresh := full()
	if err := snapshot.Restore("m", snapshot.Save("m", &older{7}), fresh); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fresh, &machine{number: 7}) {
		t.Errorf("restored %+v", fresh)
	}
	err := snapshot.Restore("m", snapshot.Save("m", &machine{number: 7, on: true}), &older{})
	if !errors.Is(err, snapshot.ErrUnknown) || !strings.Contains(err.Error(), "on: ") {
		t.Errorf("a field of a newer version: %v", err)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(full()))
	f.Fuzz(func(t *testing.T, body []byte) {
		var m, again machine
		if snapshottest.Restore(body, &m) != nil {
			return
		}
		if err := snapshottest.Renew(&m, &again); err != nil {
			t.Fatal(err)
		}
	})
}
