package topology

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"uelink/config"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files, the schema and the reference")

// golden compares text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *rewrite {
		must(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; write it with -rewrite):\n%s", file, diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files returns the documents in a folder of testdata.
func files(t testing.TB, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no documents in %s: %v", dir, err)
	}
	return all
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	return text
}

// Each document in testdata/bad is refused with exactly the lines beside it.
func TestBadDocuments(t *testing.T) {
	for _, file := range files(t, "bad") {
		_, err := Parse(filepath.Base(file), read(t, file))
		if err == nil {
			t.Errorf("%s is accepted", file)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".golden", err.Error()+"\n")
	}
}

// Each document in testdata/good becomes exactly the configurations and cables beside it.
func TestGoodDocuments(t *testing.T) {
	for _, file := range files(t, "good") {
		d, err := Parse(filepath.Base(file), read(t, file))
		must(t, err)
		var b strings.Builder
		for _, h := range d.Hosts {
			fmt.Fprintf(&b, "# host %s: %s, MTU %d\n", h.Name, h.Address, h.MTU)
		}
		for i := range d.Wires {
			w := &d.Wires[i]
			fmt.Fprintf(&b, "# wire %s: %s, MTU %d, uelink cable %s\n", w.Name, strings.Join(w.Ends, " to "), w.MTU,
				strings.Join(w.arguments("control"), " "))
		}
		for i := range d.Stations {
			made := d.configure(&d.Stations[i], "/run/x/api")
			text, err := made.text()
			must(t, err)
			if _, err := config.Parse(d.Stations[i].Name, text); err != nil {
				t.Errorf("%s: the daemon refuses it: %v", file, err)
			}
			fmt.Fprintf(&b, "---\n%s", text)
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".golden", b.String())
	}
}

// Thousands of hosts, stations and wires are refused by their number alone.
func TestTooMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("stations: [{name: A}, {name: B}]\nhosts:\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "- {name: h%d, station: A}\n", i)
	}
	b.WriteString("wires:\n" + strings.Repeat("- {ends: [A, B]}\n", 100))
	_, err := Parse("many.yaml", []byte(b.String()))
	const want = "many.yaml:3:1: hosts: the list has 5000 entries, and a lab at most 250\n" +
		"many.yaml:5004:1: wires: the list has 100 entries, and a lab at most 64"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// Keys of another document do not grow without end, whatever aliases say.
func TestAliasesInKeys(t *testing.T) {
	for _, text := range []string{
		"a: &x {b: *x}",
		"a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n" +
			"g: [*f,*f,*f,*f,*f,*f,*f,*f,*f]",
	} {
		lab := "hosts: [{name: h1, station: A}]\nstations:\n- name: A\n  config:\n    " +
			strings.ReplaceAll(text, "\n", "\n    ") + "\n"
		if _, err := Parse("", []byte(lab)); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The schema for editors takes what Parse takes, and refuses keys that Parse refuses.
func TestJSONSchema(t *testing.T) {
	golden(t, "../../docs/data/uelink-lab.schema.json", JSONSchema())
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(JSONSchema()))
	must(t, err)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("lab.json", doc))
	s, err := c.Compile("lab.json")
	must(t, err)
	judge := func(file string) error {
		var v any
		must(t, yaml.Load(read(t, file), &v))
		text, err := json.Marshal(v)
		must(t, err)
		v, err = jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		must(t, err)
		return s.Validate(v)
	}
	for _, file := range append(files(t, "good"), "../../deploy/lab.yaml") {
		if err := judge(file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if judge("testdata/bad/nothing.yaml") != nil || judge("testdata/bad/empty.yaml") == nil {
		t.Error("the schema does not ask for hosts")
	}
}

const marker = "<!-- lab reference -->\n\n"

// The document has the reference of all keys.
func TestReference(t *testing.T) {
	const file = "../../docs/LABS.md"
	text := string(read(t, file))
	before, rest, ok := strings.Cut(text, marker)
	_, after, end := strings.Cut(rest, "\n\n")
	if !ok || !end {
		t.Fatalf("%s has no place for the reference", file)
	}
	golden(t, file, before+marker+Reference()+"\n"+after)
}

// The example in the documents is right.
func TestExample(t *testing.T) {
	d, err := Parse("lab.yaml", read(t, "../../deploy/lab.yaml"))
	must(t, err)
	if len(d.Hosts) != 8 || len(d.Stations) != 2 || len(d.Wires) != 1 || d.Wires[0].Faults.Loss != 0.01 {
		t.Errorf("%+v", d)
	}
}

// FuzzParse: whatever the file says, there is an answer, and a lab that is accepted has configurations that daemons
// take.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"good", "bad"} {
		for _, file := range files(f, dir) {
			f.Add(read(f, file))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse("", text)
		if err != nil {
			return
		}
		for i := range d.Stations {
			made := d.configure(&d.Stations[i], "/run/x/api")
			text, err := made.text()
			must(t, err)
			if _, err := config.Parse("", text); err != nil {
				t.Errorf("%v:\n%s", err, text)
			}
		}
	})
}
