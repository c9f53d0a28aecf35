package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/cmd/uelink/doctor"
	"uelink/dataplane/netdev"
	"uelink/dataplane/quirks"
)

// kept is the facts of a report, as far as they can be read again. The others follow from them.
type kept struct {
	doctor.Facts
	Abilities struct {
		XDPFeatures string `json:"xdp_features"`
	} `json:"abilities"`
	Quirks json.RawMessage `json:"quirks"`
}

// factsOf is the facts of the first report of a file.
func factsOf(t *testing.T, file string) *doctor.Facts {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var reports []struct{ Facts kept }
	if err := json.Unmarshal(text, &reports); err != nil || len(reports) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	k := reports[0].Facts
	features := netdev.Features{Asked: true}
	for x := netdev.XDP(1); x.String() != "none"; x <<= 1 {
		if strings.Contains(" "+k.Abilities.XDPFeatures+" ", " "+x.String()+" ") {
			features.XDP |= x
		}
	}
	k.Facts.Quirks = append([]quirks.Quirk{}, quirks.FindAll(k.Driver.Name)...)
	k.Facts.SetFeatures(features)
	return &k.Facts
}

// What is kept of the drivers that `make nics` tries is what the doctor makes of the same facts now. What is not a fact
// -update writes anew.
func TestDoctorOfDriversThatWereTried(t *testing.T) {
	const dir = "../../lab/e2e/nics/testdata/doctor"
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing is kept in %s: %v", dir, err)
	}
	for _, file := range files {
		f := factsOf(t, file)
		look := func(string) (*doctor.Facts, error) { return f, nil }
		for kind, output := range map[string]format{".json": asJSON, ".txt": asTable} {
			said, err := examinedBy(look, output, f.Interface)
			if err != nil {
				t.Error(err)
			}
			golden(t, filepath.Join("..", strings.TrimSuffix(file, ".json")+kind), said)
		}
	}
}
