package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/internal/programtest"
)

// dissector is the plugin for Wireshark in the tree.
const dissector = "../../deploy/wireshark/uelink.lua"

func TestTablesOfTheDissectorAreThose(t *testing.T) {
	text, err := os.ReadFile(dissector)
	if err != nil {
		t.Fatal(err)
	}
	text, err = WithTables(text)
	wantFile(t, dissector, text, err)
}

// tshark runs tshark with the dissector on a capture.
func tshark(t *testing.T, path string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	cmd := exec.Command("tshark", append([]string{"-n", "-X", "lua_script:" + dissector, "-r", path,
		"-o", fmt.Sprintf("ueuet.rendezvous:%d", RendezvousOpcode), "-o", fmt.Sprintf("ueuet.trimmed:%d", TrimmedDSCP),
		"-o", `uat:user_dlts:"User 0 (DLT=147)","uelink_ctlos","0","","0",""`,
		"-o", `uat:user_dlts:"User 1 (DLT=148)","uelink_block","0","","0",""`}, args...)...)
	programtest.NotRoot(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark %q: %v: %s", args, err, stderr.String())
	}
	if s := stderr.String(); strings.Contains(s, "Lua") || strings.Contains(s, "lua:") {
		t.Errorf("tshark: %s", s)
	}
	return out
}

// read is tshark's output for a packet: our fields with their values, and faults.
type read struct {
	fields []string
	faults []string
	errors []string // of the script
}

// readJSON reads the output of tshark -T json, in which keys of an object may be there twice.
func readJSON(t *testing.T, out []byte, known map[string]bool) (list []read) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(out))
	depth, key := 0, ""
	var inObject []bool // of each level: an object, and not an array
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth == 1 {
				list = append(list, read{})
			}
			depth, inObject, key = depth+1, append(inObject, token == json.Delim('{')), ""
			continue
		case json.Delim('}'), json.Delim(']'):
			depth, inObject, key = depth-1, inObject[:len(inObject)-1], ""
			continue
		}
		text, _ := token.(string)
		if inObject[len(inObject)-1] && key == "" {
			key = text
			continue
		}
		list[len(list)-1].take(t, key, text, known)
		if inObject[len(inObject)-1] {
			key = ""
		}
	}
}

// take files a value.
func (r *read) take(t *testing.T, key, text string, known map[string]bool) {
	switch {
	case strings.HasSuffix(key, ".fault"):
		r.faults = append(r.faults, strings.TrimSuffix(key, ".fault")+": "+text)
	case strings.Contains(text, "Lua Error"):
		r.errors = append(r.errors, text)
	case known[key]:
		v, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			t.Errorf("%s has the value %q", key, text)
		}
		r.fields = append(r.fields, fmt.Sprintf("%s=%#x", key, v))
	}
}

// knownFields returns the names of all fields in the vectors.
func knownFields() map[string]bool {
	known := map[string]bool{"lldp.dcbx.feature.app.oui": true}
	for _, v := range all() {
		for _, f := range v.Fields {
			known[f.Name] = true
		}
	}
	return known
}

// asTshark is the fields of a vector as Wireshark shows them: it has the OUI of DCBX's
// applications in one, where the format has other bits in the middle of it.
func asTshark(fields []Field) []string {
	var list []Field
	oui := map[int]uint64{}
	for _, f := range fields {
		switch f.Name {
		case "lldp.dcbx.feature.app.oui_high":
			oui[f.At] = f.Value << 18
		case "lldp.dcbx.feature.app.oui_low":
			list = append(list, Field{Name: "lldp.dcbx.feature.app.oui", Value: oui[f.At-8] | f.Value})
		default:
			list = append(list, f)
		}
	}
	return words(list)
}

// The dissector of Wireshark reads every field of every vector, and finds the same faults.
func TestTsharkReadsEveryField(t *testing.T) {
	list, known := all(), knownFields()
	compared, faults, differ := 0, 0, 0
	for _, dialect := range []string{"seed", "ue1"} {
		out := tshark(t, committed+"/uelink.pcapng", "-T", "json", "-o", "ueuet.dialect:"+dialect)
		packets := readJSON(t, out, known)
		if len(packets) != len(list) {
			t.Fatalf("tshark read %d packets of %d", len(packets), len(list))
		}
		for i, v := range list {
			if v.Dialect != dialect {
				continue
			}
			got, want := packets[i], asTshark(v.Fields)
			slices.Sort(got.fields)
			if !slices.Equal(got.fields, want) || !slices.Equal(got.faults, notOfOthers(v.Faults)) ||
				len(got.errors) > 0 {
				if differ++; differ < 10 {
					t.Errorf("packet %d, %s: tshark reads\n%v %v %v, want\n%v %v", i+1, v.Name, minus(got.fields,
						want), got.faults,
						got.errors, minus(want, got.fields), v.Faults)
				}
			}
			compared += len(want)
			faults += len(v.Faults)
		}
	}
	t.Logf("%d fields and %d faults of %d vectors compared, %d vectors differ", compared, faults, len(list), differ)
}

// notOfOthers leaves out the faults that Wireshark's own dissectors tell in their words.
func notOfOthers(faults []string) (list []string) {
	for _, f := range faults {
		if strings.HasPrefix(f, "ue") {
			list = append(list, f)
		}
	}
	return list
}

// minus returns the elements of a that are not in b.
func minus(a, b []string) (list []string) {
	left := slices.Clone(b)
	for _, s := range a {
		if i := slices.Index(left, s); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			list = append(list, s)
		}
	}
	return list
}

// Loaded twice the dissector works, and its tables match the file that is in the tree.
func TestDissectorLoadedTwice(t *testing.T) {
	text, err := os.ReadFile(dissector)
	if err != nil {
		t.Fatal(err)
	}
	second := t.TempDir() + "/again.lua"
	if err := os.WriteFile(second, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out := tshark(t, committed+"/uelink.pcapng", "-X", "lua_script:"+second, "-Y", "uellr", "-T", "fields", "-e",
		"uellr.seq")
	if !strings.Contains(string(out), "74565") {
		t.Errorf("tshark says %.200s", out)
	}
}
