// Package main is sbom, which lists the Go modules that programs are built of, as an SPDX 2.3 document in JSON on
// standard output. `make release` runs sbom.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// document is an SPDX 2.3 document, as far as it is needed here.
type document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []pkg          `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

// creation is when and by which program a document was made.
type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

// pkg is a program, a Go module, or the Go toolchain with the standard library.
type pkg struct {
	ID       string     `json:"SPDXID"`
	Name     string     `json:"name"`
	Version  string     `json:"versionInfo"`
	Download string     `json:"downloadLocation"`
	Analyzed bool       `json:"filesAnalyzed"`
	License  string     `json:"licenseConcluded"`
	Refs     []external `json:"externalRefs,omitempty"`
	Comment  string     `json:"comment,omitempty"`
}

// external is a reference to a package outside of the document: here its package URL.
type external struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

// relationship is a relation of Type, such as DEPENDS_ON, from one element to another, by their SPDX IDs.
type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// unknown is the value of SPDX for a fact that the document does not give.
const unknown = "NOASSERTION"

// main prints the SPDX document of the programs that the arguments name.
func main() {
	name := flag.String("name", "uelink", "name of the document")
	version := flag.String("version", "", "version of the programs")
	at := flag.Int64("time", 0, "time that the document gives as its creation, in seconds since 1970")
	flag.Parse()
	doc, err := list(*name, *version, time.Unix(*at, 0).UTC(), flag.Args())
	if err == nil {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		err = out.Encode(doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// list returns the SPDX document of the modules of programs. name is the document's name and at its time of creation;
// programs are paths of executable files, and version is the version of all of them.
func list(name, version string, at time.Time, programs []string) (document, error) {
	d := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: "https://spdx.org/spdxdocs/" + name,
		Creation:  creation{at.Format(time.RFC3339), []string{"Tool: uelink-sbom"}},
	}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return d, fmt.Errorf("modules of %s: %w", path, err)
		}
		d.addProgram(filepath.Base(path), version, info)
	}
	slices.SortFunc(d.Packages, func(a, b pkg) int { return strings.Compare(a.ID, b.ID) })
	return d, nil
}

// addProgram adds a program, the standard library and the modules that it has been built of, with the relations: the
// document describes the program, and the program depends on each of the others.
func (d *document) addProgram(name, version string, info *debug.BuildInfo) {
	program := d.add(pkg{Name: name, Version: version})
	d.relate(d.ID, "DESCRIBES", program)
	toolchain := strings.TrimPrefix(info.GoVersion, "go")
	d.relate(program, "DEPENDS_ON", d.add(pkg{Name: "stdlib", Version: toolchain, Refs: purl("stdlib", toolchain)}))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.relate(program, "DEPENDS_ON", d.add(pkg{Name: m.Path, Version: m.Version, Refs: purl(m.Path, m.Version),
			Comment: "go.sum: " + m.Sum}))
	}
}

// add adds a package unless it is there, and returns its ID.
func (d *document) add(p pkg) (id string) {
	id = "SPDXRef-" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '.' {
			return r
		}
		return '-'
	}, p.Name+"-"+p.Version)
	for {
		i := slices.IndexFunc(d.Packages, func(q pkg) bool { return q.ID == id })
		if i < 0 {
			break
		}
		if d.Packages[i].Name == p.Name && d.Packages[i].Version == p.Version {
			return id
		}
		id += "-" // the ID is taken by another package whose name differs only in letters that an ID cannot have
	}
	p.ID, p.Download, p.License = id, unknown, unknown
	d.Packages = append(d.Packages, p)
	return id
}

// relate adds a relation between two elements, by their SPDX IDs.
func (d *document) relate(from, relation, to string) {
	d.Relationships = append(d.Relationships, relationship{from, relation, to})
}

// purl returns the reference to a Go module by its package URL.
func purl(path, version string) []external {
	locator := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return []external{{"PACKAGE-MANAGER", "purl", locator}}
}
