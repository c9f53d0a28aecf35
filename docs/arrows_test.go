package docs

import (
	"flag"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the generated parts of the documents instead of comparing with them")

// arrow says what the packages of a group import of ours, besides what is in the group's own
// directory: those that are named, and with /... what is below one, too.
type arrow struct {
	from string
	to   string
}

// arrows is the way that imports go. The first line that names a package counts.
var arrows = []arrow{
	{"wire/...", "wire/..."},
	{"llr", "wire internal/snapshot"}, {"cbfc", "wire internal/snapshot"},
	{"hippi", "internal/snapshot wire wire/micropacket"},
	{"dataplane/bridge", "wire internal/snapshot"}, {"dataplane/trim", "wire"}, {"dataplane/acd", "wire internal/snapshot"},
	{"dataplane/partner", "wire internal/snapshot"}, {"dataplane/pfc", "wire internal/snapshot"},
	{"dataplane/remedy", "dataplane/partner wire"},
	{"dataplane/trouble", "dataplane/attach dataplane/frame dataplane/model internal/snapshot wire"},
	{"dataplane/negotiation", "wire internal/snapshot"}, {"dataplane/sched", "wire internal/snapshot"},
	{"dataplane/qos", "wire/..."}, {"dataplane/checksum", ""}, {"dataplane/segment", "dataplane/checksum"},
	{"dataplane/vnet", "dataplane/frame dataplane/segment wire"},
	{"dataplane/frame", "internal/snapshot"}, {"dataplane/attach", ""}, {"dataplane/ethtool", ""}, {"dataplane/netdev", ""}, {"dataplane/quirks", ""},
	{"dataplane/fault", "dataplane/fault/netem dataplane/fault/rule dataplane/frame wire"}, {"dataplane/fault/rule", "internal/spelling wire wire/micropacket"}, {"dataplane/fault/netem", "wire"}, {"dataplane/fault/analyzer", "dataplane/fault/rule wire wire/micropacket"}, {"dataplane/mem", "dataplane/frame"}, {"dataplane/pcap", "dataplane/checksum dataplane/frame"},
	{"dataplane/xsk", "bpf dataplane/attach dataplane/ethtool dataplane/frame internal/snapshot"},
	{"dataplane/netif", "bpf dataplane/attach dataplane/checksum dataplane/ethtool dataplane/frame dataplane/netdev dataplane/quirks " +
		"dataplane/vnet dataplane/xsk internal/announce internal/dump internal/netns wire"},
	{"dataplane/model", "cbfc dataplane/attach dataplane/bridge dataplane/frame dataplane/pfc dataplane/qos " +
		"dataplane/sched dataplane/trim hippi internal/events llr wire"},
	{"dataplane/path", "bpf cbfc dataplane/acd dataplane/attach dataplane/bridge dataplane/checksum dataplane/frame dataplane/model " +
		"dataplane/negotiation dataplane/netif dataplane/partner " +
		"dataplane/pfc dataplane/place dataplane/qos dataplane/remedy dataplane/sched dataplane/trim dataplane/trouble dataplane/xsk " +
		"hippi internal/events " +
		"internal/snapshot llr wire wire/micropacket"},
	{"dataplane/...", "bpf internal/events internal/snapshot dataplane/... hippi llr cbfc wire"},
	{"bpf/...", "dataplane/attach"}, {"internal/events", ""}, {"internal/snapshot/...", "internal/snapshot"}, {"internal/netns/...", "internal/netns"}, {"internal/table", ""}, {"internal/history", ""}, {"internal/nonnull", ""}, {"internal/printable", ""}, {"internal/spelling", ""}, {"internal/spool", ""},
	{"internal/announce", "dataplane/checksum internal/dump wire"}, {"internal/dump", ""}, {"internal/bounded", ""}, {"internal/programtest", ""}, {"internal/manualtest", "internal/netns/nstest"},
	{"lldp/dcbx", "internal/snapshot"}, {"lldp/dcbnl/dcbnltest", "internal/netns/..."},
	{"lldp/agent", "internal/events lldp/... wire"}, {"lldp/station", "internal/dump internal/events internal/snapshot lldp/... wire"},
	{"lldp/...", "internal/snapshot lldp/... wire"},
	{"config/schema", "internal/spelling"},
	{"config/edit", ""}, {"config/...", "config/edit config/schema bpf dataplane/... hippi lldp/... llr cbfc wire/..."},
	{"client", "control/api dataplane/model sai"}, {"control/api", "cbfc dataplane/bridge dataplane/frame dataplane/model dataplane/qos dataplane/trim hippi lldp/... llr sai wire"},
	{"control/status", "control/api dataplane/remedy hippi lldp/dcbx llr"}, {"control/controltest", "bpf dataplane/... hippi lldp/... llr cbfc wire/..."},
	{"sai", ""}, {"sai/store", "cbfc dataplane/... internal/snapshot llr sai wire"},
	{"sonic", "config/schema sai"}, {"sonic/session", "client control/api sai/... sonic"},
	{"control/...", "control/... internal/bounded internal/nonnull internal/printable dataplane/... hippi lldp/... llr cbfc sai/... wire"},
	{"cmd/uelinkd", "config/... control/... dataplane/... internal/bounded internal/history internal/printable internal/snapshot " +
		"internal/spool internal/table lldp/... cbfc sai/..."},
	{"cmd/uelink-cni", "client control/api dataplane/model internal/announce internal/dump internal/netns"},
	{"cmd/uelink/doctor", "bpf config dataplane/... wire"}, {"cmd/uelink/support", "client config internal/printable cmd/uelink/view control/api dataplane/... internal/netns lldp/... llr"},
	{"cmd/uelink/frames", "client cmd/uelink/view control/api internal/nonnull lab/decode"}, {"cmd/uelink/top", "cmd/uelink/view control/api internal/printable internal/table"},
	{"cmd/uelink/view", "client control/api dataplane/... hippi internal/table lldp/... llr sai"},
	{"cmd/uelink", "cbfc client cmd/uelink/... config control/api control/status dataplane/... hippi internal/... lab/cable lab/conformance lab/decode " +
		"lab/demo lab/traffic lldp/... llr sai sonic/... wire/..."},
	{"lab/simulated", "cbfc dataplane/... llr wire"},
	{"lab/cable", "bpf dataplane/... internal/bounded internal/events internal/netns internal/spool internal/table lab/bench/report wire"},
	{"lab/decode", "lldp/... wire/..."}, {"lab/sbom", ""}, {"lab/modulezip", ""}, {"lab/vectors", ""}, {"lab/comparison", ""}, {"lab/goodput", ""},
	{"lab/traffic", "bpf dataplane/... internal/netns internal/nonnull internal/table wire/..."},
	{"lab/rig", "client control/api internal/netns"},
	{"lab/topology", "cbfc client config/... control/api dataplane/... internal/... lab/cable lab/rig wire"},
	{"lab/demo", "cbfc client config/schema control/api dataplane/... internal/... lab/cable lab/rig lab/topology lab/traffic llr wire"},
	{"lab/explore", "cbfc llr wire"},
	{"lab/conformance/mutants", ""},
	{"lab/conformance/plan", "client control/api dataplane/fault/analyzer internal/netns internal/table lab/cable lab/rig lab/traffic llr sai wire"},
	{"lab/conformance", "cbfc client control/api dataplane/... lab/conformance/plan lab/demo lab/simulated lab/traffic llr wire"},
	{"lab/bench/report", ""},
	{"lab/bench/...", "client control/api dataplane/... internal/netns lab/bench/... lab/cable lab/rig lab/traffic hippi wire/..."},
	{"lab/e2e/nics/...", "client control/api internal/netns lab/cable lab/e2e/nics/... lab/traffic wire"},
	{"lab/e2e/bed", "client control/api dataplane/ethtool internal/netns/... internal/programtest lab/bench/kernel lab/cable lab/rig lab/traffic llr wire"},
	{"lab/e2e/...", ""}, {"docs", ""},
}

// pure is the machines that know no clock, lock, thread, file or logger.
var pure = []string{
	"wire", "wire/micropacket", "llr", "cbfc", "hippi", "dataplane/pfc", "lldp/dcbx", "lldp/dcbx/dialect", "lldp/dcbx/ieee", "dataplane/acd", "dataplane/bridge", "dataplane/trim", "dataplane/partner",
	"dataplane/trouble", "dataplane/negotiation", "dataplane/sched", "dataplane/qos", "dataplane/checksum", "dataplane/segment", "dataplane/fault/netem", "dataplane/fault/rule", "dataplane/fault/analyzer", "sonic",
}

// impure is what a pure machine may not import.
var impure = []string{
	"context", "log", "log/slog", "math/rand", "os", "sync", "sync/atomic", "syscall", "go.uber.org/zap", "golang.org/x/sys/unix",
}

// imports is what each package of the tree imports, but its tests: by its directory.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if base := e.Name(); base == "testdata" || base == "bin" || base != ".." && strings.HasPrefix(base, ".") {
			return fs.SkipDir
		}
		// ImportDir gives what it has found together with the error that there is none but tests.
		if p, _ := build.Default.ImportDir(name, 0); p != nil && len(p.GoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			dir, _ := filepath.Rel("..", name)
			all[filepath.ToSlash(dir)] = p.Imports
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ours is those of some imports that are packages of the tree, by their directories.
func ours(list []string) (dirs []string) {
	for _, i := range list {
		if dir, ok := strings.CutPrefix(i, "uelink/"); ok {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// names tells whether a pattern names a directory.
func names(pattern, dir string) bool {
	above, below := strings.CutSuffix(pattern, "/...")
	return dir == above || below && strings.HasPrefix(dir, above+"/")
}

// wrongWay tells which import of a package goes against the arrows; all is every package's.
func wrongWay(all map[string][]string) (problems []string) {
	for dir, list := range all {
		i := slices.IndexFunc(arrows, func(a arrow) bool { return names(a.from, dir) })
		if i < 0 {
			problems = append(problems, dir+": no arrow names this package: say in docs/arrows_test.go what it may import")
			continue
		}
		for _, to := range ours(list) {
			if !slices.ContainsFunc(strings.Fields(arrows[i].to), func(p string) bool { return names(p, to) }) {
				problems = append(problems, fmt.Sprintf("%s imports %s, which goes against the arrows of docs/ARCHITECTURE.md", dir,
					to))
			}
		}
		for _, other := range list {
			if slices.Contains(pure, dir) && slices.Contains(impure, other) {
				problems = append(problems, fmt.Sprintf("%s imports %s, and is to be a pure machine: pass what it needs "+
					"as an argument", dir, other))
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// TestArrows holds imports to the arrows.
func TestArrows(t *testing.T) {
	for _, p := range wrongWay(imports(t)) {
		t.Error(p)
	}
}

// TestDaemonNeedsNothingOfTheLab follows the imports of cmd/uelinkd.
func TestDaemonNeedsNothingOfTheLab(t *testing.T) {
	all := imports(t)
	needed := map[string]bool{}
	var add func(dir string)
	add = func(dir string) {
		if needed[dir] {
			return
		}
		needed[dir] = true
		for _, d := range ours(all[dir]) {
			add(d)
		}
	}
	add("cmd/uelinkd")
	for dir := range needed {
		if names("lab/...", dir) {
			t.Errorf("cmd/uelinkd needs %s: no package of the daemon may import a package of lab", dir)
		}
	}
}

// Imports against the arrows are told.
func TestArrowsTheWrongWay(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"llr", "uelink/dataplane", "llr imports dataplane, which goes against the arrows of docs/ARCHITECTURE.md"},
		{"dataplane", "uelink/config", "dataplane imports config, which goes against the arrows of docs/ARCHITECTURE.md"},
		{"wire", "uelink/llr", "wire imports llr, which goes against the arrows of docs/ARCHITECTURE.md"},
		{"llr", "sync", "llr imports sync, and is to be a pure machine: pass what it needs as an argument"},
		{"shed", "fmt", "shed: no arrow names this package: say in docs/arrows_test.go what it may import"},
		{"llr", "uelink/wire", ""},
		{"wire/uet", "uelink/wire/layout", ""},
		{"dataplane", "sync", ""},
	} {
		got := strings.Join(wrongWay(map[string][]string{c.from: {c.to}}), "; ")
		if got != c.want {
			t.Errorf("%s imports %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// TestArrowsOfTheArchitecture holds the table of imports in ARCHITECTURE.md to the tree.
func TestArrowsOfTheArchitecture(t *testing.T) {
	all := imports(t)
	var b strings.Builder
	b.WriteString("\n| package | imports of ours |\n|---|---|\n")
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if list := ours(all[dir]); len(list) > 0 {
			fmt.Fprintf(&b, "| `%s` | %s |\n", dir, strings.Join(list, ", "))
		}
	}
	generated(t, "ARCHITECTURE.md", "arrows", b.String()+"\n")
}

// generated compares what stands between the markers of a name in a document with what it should
// be, or writes it.
func generated(t *testing.T, file, name, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	open, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, opened := strings.Cut(string(text), open)
	is, after, closed := strings.Cut(rest, end)
	switch {
	case !opened || !closed:
		t.Fatalf("docs/%s has no part between %q and %q", file, open, end)
	case is == want:
	case *rewrite:
		if err := os.WriteFile(file, []byte(before+open+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the part %q of docs/%s is stale: go test ./docs -rewrite writes it", name, file)
	}
}
