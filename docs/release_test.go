package docs

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/internal/netns/nstest"
)

var wholeRelease = flag.Bool("release.whole", false, "TestReleaseIsTheSameTwice makes two whole releases")

// Two clones of a commit, in folders of different names, with different umasks, time zones and languages, give the same
// release: all its files have the same checksums. The signature is right, and a file that has been changed is refused.
// The lists of modules have each module of each program, and lintian and rpmlint have nothing to say.
func TestReleaseIsTheSameTwice(t *testing.T) {
	if !*wholeRelease {
		t.Skip("skipped, missing minisign: make test-all installs it (-release.whole)")
	}
	for _, program := range []string{"buildah", "minisign", "lintian", "rpmlint"} {
		if _, err := exec.LookPath(program); err != nil {
			nstest.Missing(t, program+": apt-get install "+program)
		}
	}
	origin := newCopied(t)
	origin.commit()
	two := copied{t, filepath.Join(t.TempDir(), "another folder")}
	two.runIn(t.TempDir(), "git", "clone", "-q", origin.dir, two.dir)
	keys := t.TempDir()
	origin.runIn(keys, "minisign", "-G", "-W", "-s", "key", "-p", "key.pub")
	key := "KEY=" + filepath.Join(keys, "key")

	origin.run("env", "TZ=UTC", "LC_ALL=C", "sh", "-c", "umask 022 && exec make release TAG=v0.1.0 "+key)
	two.run("env", "TZ=Asia/Tokyo", "LC_ALL=C.UTF-8", "GOCACHE="+t.TempDir(), "sh", "-c",
		"umask 077 && exec make release TAG=v0.1.0 "+key)
	first, second := release{origin, filepath.Join(keys, "key.pub")}, release{two, filepath.Join(keys, "key.pub")}
	if diff := cmp.Diff(first.sums(), second.sums()); diff != "" {
		t.Errorf("two clones give two releases (-one +two):\n%s", diff)
	}
	t.Logf("SHA256SUMS of both:\n%s", first.sums())
	first.hasAll()
	first.isSigned()
	for _, arch := range []string{"amd64", "arm64"} {
		first.namesModules(arch)
	}
	first.isLinted()
	origin.imports(filepath.Join(origin.dir, "bin/release/proxy"))
	second.refusesChanges()
}

// release is what make release has made in a clone, with the public key of the signature.
type release struct {
	copied
	key string
}

// path returns the path of a file of the release.
func (r release) path(name string) string { return filepath.Join(r.dir, "bin/release", name) }

// sums returns the checksums.
func (r release) sums() string {
	r.t.Helper()
	text, err := os.ReadFile(r.path("SHA256SUMS"))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// hasAll reports a problem for each file that docs/RELEASES.md names and the release lacks.
func (r release) hasAll() {
	r.t.Helper()
	for _, name := range []string{
		"uelink_0.1.0_amd64.deb", "uelink_0.1.0_arm64.deb", "uelink-0.1.0-1.x86_64.rpm", "uelink-0.1.0-1.aarch64.rpm",
		"uelink_0.1.0_amd64.oci.tar", "uelink_0.1.0_arm64.oci.tar", "uelink-v0.1.0-linux-amd64.tar.gz",
		"uelink-v0.1.0-linux-arm64.tar.gz", "uelink-v0.1.0-linux-amd64.spdx.json", "uelink-v0.1.0-linux-arm64.spdx.json",
		"uelink-v0.1.0-source.tar.gz", "proxy/example.org/ue/!link/@v/v0.1.0.zip",
	} {
		if !strings.Contains(r.sums(), "  "+name+"\n") {
			r.t.Errorf("the release has no %s", name)
		}
	}
	for _, pattern := range []string{"libsai-uelink_0.1.0_*.deb", "libsai-uelink-0.1.0-1.*.rpm"} {
		if found, _ := filepath.Glob(r.path(pattern)); len(found) != 1 {
			r.t.Errorf("%s: %v", pattern, found)
		}
	}
}

// verify checks signature and checksums as docs/RELEASES.md says.
func (r release) verify() (string, error) {
	cmd := exec.Command("sh", "-c", "minisign -V -p '"+r.key+
		"' -m SHA256SUMS && sha256sum --check --quiet --ignore-missing SHA256SUMS")
	cmd.Dir = r.path("")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// isSigned reports a problem unless signature and checksums are right.
func (r release) isSigned() {
	r.t.Helper()
	if out, err := r.verify(); err != nil || !strings.Contains(out, "uelink v0.1.0") {
		r.t.Errorf("the release is not signed as uelink v0.1.0: %v\n%s", err, out)
	}
}

// refusesChanges reports a problem unless a changed package, and then a changed list of checksums, are refused.
func (r release) refusesChanges() {
	r.t.Helper()
	for _, c := range []struct{ file, want string }{
		{"uelink_0.1.0_amd64.deb", "FAILED"}, {"SHA256SUMS", "Signature verification failed"},
	} {
		octets, err := os.ReadFile(r.path(c.file))
		if err != nil {
			r.t.Fatal(err)
		}
		octets[len(octets)/2] ^= 1
		if err := os.WriteFile(r.path(c.file), octets, 0o644); err != nil {
			r.t.Fatal(err)
		}
		if out, err := r.verify(); err == nil || !strings.Contains(out, c.want) {
			r.t.Errorf("with one bit of %s changed: %v\n%s", c.file, err, out)
		}
	}
}

// namesModules compares the list of modules with what is in the programs, and these with the modules of the tree.
func (r release) namesModules(arch string) {
	r.t.Helper()
	var list struct {
		Packages []struct{ Name, VersionInfo string }
	}
	text, err := os.ReadFile(r.path("uelink-v0.1.0-linux-" + arch + ".spdx.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		r.t.Fatal(err)
	}
	got := map[string]bool{}
	for _, p := range list.Packages {
		got[p.Name+" "+p.VersionInfo] = true
	}
	build := strings.Split(strings.TrimSpace(r.run("go", "list", "-m", "all")), "\n")
	programs := r.t.TempDir()
	r.run("tar", "-xzf", r.path("uelink-v0.1.0-linux-"+arch+".tar.gz"), "-C", programs, "--strip-components=1")
	want := map[string]bool{}
	for _, name := range []string{"uelink", "uelinkd", "uelink-cni"} {
		want[name+" v0.1.0"] = true
		said := r.run("go", "version", "-m", filepath.Join(programs, name))
		want["stdlib "+regexp.MustCompile(`: go(\S+)`).FindStringSubmatch(said)[1]] = true
		for _, m := range regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(said, -1) {
			want[m[1]+" "+m[2]] = true
			if !slices.Contains(build, m[1]+" "+m[2]) {
				r.t.Errorf("%s has %s %s, which go list -m all does not have", name, m[1], m[2])
			}
		}
	}
	if len(want) < 20 {
		r.t.Errorf("%d modules in the programs", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s: programs and their list of modules differ (-programs +list):\n%s", arch, diff)
	}
	r.t.Logf("%s: %d programs and modules", arch, len(got))
}

// isLinted reports what lintian and rpmlint say against the packages.
func (r release) isLinted() {
	r.t.Helper()
	debs, _ := filepath.Glob(r.path("*.deb"))
	rpms, _ := filepath.Glob(r.path("*.rpm"))
	for _, c := range [][]string{
		append([]string{"lintian", "--allow-root", "--fail-on", "error,warning"}, debs...),
		append([]string{"rpmlint", "--strict", "-c", filepath.Join(r.dir, "deploy/rpm/rpmlint.toml")}, rpms...),
	} {
		cmd := exec.Command(c[0], c[1:]...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			r.t.Errorf("%s: %v\n%s", c[0], err, &out)
		} else {
			r.t.Logf("%s:\n%s", c[0], &out)
		}
	}
}
