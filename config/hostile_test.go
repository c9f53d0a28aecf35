package config

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"uelink/config/schema"
)

// hostile are documents of about n octets that are as dear as can be to whoever reads them.
var hostile = map[string]func(n int) string{
	"flow lists inside each other":    repeating("["),
	"flow mappings inside each other": repeating("{a: "),
	"block lists inside each other":   repeating("- "),
	"complex keys inside each other":  repeating("? "),
	"ever more indentation": func(n int) string {
		return lines(n, func(i int) string { return strings.Repeat(" ", i) + "a:" })
	},
	"unknown keys":            func(n int) string { return lines(n, func(i int) string { return fmt.Sprintf("k%d: 1", i) }) },
	"keys without values":     func(n int) string { return lines(n, func(i int) string { return fmt.Sprintf("%x:", i) }) },
	"long unknown keys":       func(n int) string { return strings.Repeat("k", n/2) + ": {" + repeating("a: 1,")(n/2) + "}" },
	"flow nulls":              func(n int) string { return "{" + repeating("a,")(n) + "}" },
	"flow nulls with colons":  func(n int) string { return "{" + repeating("a:,")(n) + "}" },
	"a flow mapping unclosed": func(n int) string { return "{" + repeating("a: b,")(n) },
	"keys in a flow list":     func(n int) string { return "[" + repeating("a:\n")(n) + "]" },
	"pairs in a flow list":    func(n int) string { return "[" + repeating("a: b,")(n) + "]" },
	"elements without value":  func(n int) string { return "ports:\n" + repeating("-\n")(n) },
	"empty ports":             func(n int) string { return "ports: [" + repeating("{},")(n) + "]" },
	"ports of numbers":        func(n int) string { return "ports: [" + repeating("1,")(n) + "]" },
	"documents":               repeating("---\n"),
	"documents with text":     repeating("---\na\n"),
	"ends of documents":       repeating("a\n...\n"),
	"directives":              repeating("%a b\n"),
	"tabs in quotes":          func(n int) string { return `a: "` + repeating("\t")(n) + `x"` },
	"merge signs":             repeating("<"),
	"quotes":                  repeating("'"),
	"empty lines of a block":  func(n int) string { return "a: |\n  x\n" + repeating("\n")(n) + "b: 1\n" },
	"lines of a block":        func(n int) string { return "a: >\n" + repeating("  x\n")(n) + "b: 1\n" },
	"lines of plain text":     func(n int) string { return "a: x\n" + repeating("  - x\n")(n) + "b: 1\n" },
	"comments":                func(n int) string { return repeating("#\n")(n) + "workers: 1\n" },
	"reserved signs":          repeating("@"),
	"anchors":                 func(n int) string { return lines(n, func(i int) string { return fmt.Sprintf("- &a%d x", i) }) },
	"the same anchor":         repeating("- &a x\n"),
	"aliases without anchor":  func(n int) string { return "ports: [" + repeating("*a,")(n) + "]" },
	"tags":                    repeating("- !a x\n"),
	"aliases of a long list": func(n int) string {
		return "x: &a [" + repeating("{},")(n/2) + "]\nbridges: [" + repeating("{ports: *a},")(n/2) + "]"
	},
	"aliases of many keys": func(n int) string {
		return "x: &a {" + joined(n/2, func(i int) string { return fmt.Sprintf("%x: ,", i) }) + "}\nports: [" + repeating("*a,")(n/2) + "]"
	},
	"merges of many keys": func(n int) string {
		return "x: &a {" + joined(n/2, func(i int) string { return fmt.Sprintf("%x: ,", i) }) + "}\nports:\n" + repeating("- <<: *a\n")(n/2)
	},
	"aliases of long text": func(n int) string {
		return "x: &a " + repeating("y")(n/2) + "\nlldp: {capabilities: [" + repeating("*a,")(n/2) + "]}"
	},
	"addresses": func(n int) string {
		return "lldp: {management_addresses: [" +
			joined(n, func(i int) string { return fmt.Sprintf("10.%d.%d.%d,", i>>16, i>>8&255, i&255) }) + "]}"
	},
	"queues": func(n int) string { return "ports: [{queues: [" + repeating("0-3,")(n) + "]}]" },
	"profiles": func(n int) string {
		return "llr_profiles:\n" + lines(n, func(i int) string { return fmt.Sprintf(" p%d: {}", i) })
	},
	"ports": func(n int) string {
		return "ports:\n" + lines(n, func(i int) string { return fmt.Sprintf("- {name: p%d, interface: i%d, role: edge}", i, i) })
	},
	"xconnects": func(n int) string {
		return "xconnects:\n" + lines(n, func(i int) string { return fmt.Sprintf("- {edge: p%d, link: q%d}", i, i) })
	},
}

// repeating returns a maker of texts that repeat s.
func repeating(s string) func(n int) string {
	return func(n int) string { return strings.Repeat(s, n/len(s)) }
}

func lines(n int, line func(i int) string) string {
	return joined(n, func(i int) string { return line(i) + "\n" })
}

func joined(n int, part func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(part(i))
	}
	return b.String()
}

// hostileMemory is the most that Parse may allocate for a document, in octets. Three documents of the table come to
// 0.6 GB, most of which is garbage at once; with github.com/goccy/go-yaml 0.2 MB of '[' took 10.6 GB.
const hostileMemory = 1 << 30

// Parse reads or refuses the dearest documents in bounded memory, with few lines. (Where a reader takes quadratic time
// this test does not end.)
func TestHostileDocuments(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			data := []byte(text(schema.MaxDocument - 2000))
			if len(data) > schema.MaxDocument {
				t.Fatalf("%d octets are refused for their length", len(data))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse("f", data)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > hostileMemory {
				t.Errorf("%d MB allocated", took>>20)
			}
			if err != nil {
				checkMessage(t, err)
			}
		})
	}
}

// checkMessage checks that a refusal can be read: it has few lines, and they are short.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	said := strings.Split(err.Error(), "\n")
	if len(said) > 51 {
		t.Errorf("%d lines", len(said))
	}
	for _, line := range said {
		if len(line) > 800 {
			t.Errorf("a line of %d octets: %.200s", len(line), line)
		}
	}
}
