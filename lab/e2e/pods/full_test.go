package pods

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// TestFullDisk: on a full disk a port that has to outlive a boot is refused with the reason, and so is a change of such
// a port. Neither is made by half: the ports, their files and the bridge are as before, the status says what is wrong,
// and others can be removed. With room again both succeed, and a killed daemon has them in its next start.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := top.Bridges(bed.Switching, bed.Switching).A
	if code := d.Terminate(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	m := newMachine(t, top.A, "a small disk",
		fmt.Sprintf("mkdir -p %[1]s; mount -t tmpfs -o size=64k small %[1]s", d.Rig.State))
	program := filepath.Join(t.TempDir(), "uelinkd")
	bed.Must(t, os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\nexec %s \"$@\"\n",
		strings.Join(m.words(bed.Program("uelinkd")), " ")), 0o755))
	d.Binary = program
	d.Start()
	pods := nstest.New(t, "pods")
	for _, name := range []string{"ue-one", "ue-two", "ue-three"} {
		bed.Must(t, netns.Veth(pods, name[3:], top.A, name, bed.EdgeMTU))
	}
	add := func(name string, persist bool) error {
		_, err := d.Client.AddPorts(t.Context(), api.PortAddition{Persist: persist,
			Ports:   []map[string]any{{"name": name, "interface": name, "role": "edge"}},
			Bridges: []map[string]any{{"name": "br0", "ports": []map[string]any{{"port": name}}}}})
		return err
	}
	belongs := func(owner string) error {
		_, err := d.Client.SetPort(t.Context(), "ue-one", map[string]any{"labels": model.Labels{Owner: owner}})
		return err
	}
	// is returns all that a refused request must not change.
	got := func() (list []string) {
		ports, err := d.Client.Ports(t.Context())
		bed.Must(t, err)
		for _, p := range ports {
			list = append(list, fmt.Sprintln("port", p.Name, p.Bridge, p.OperStatus, p.Labels))
		}
		files, err := filepath.Glob(m.path(filepath.Join(d.Rig.State, "ports*", "*")))
		bed.Must(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue // by which the daemon tries whether there is room again
			}
			bed.Must(t, err)
			list = append(list, filepath.Base(file)+": "+string(text))
		}
		return list
	}
	bed.Must(t, add("ue-one", true))
	bed.Must(t, add("ue-three", true))
	d.OperStatus("ue-one", "up")
	d.OperStatus("ue-three", "up")
	filler := m.path(filepath.Join(d.Rig.State, "filler"))
	fillUp(t, filler)
	before := got()
	for name, ask := range map[string]func() error{
		"add": func() error { return add("ue-two", true) }, "set": func() error { return belongs("another") },
	} {
		err := ask()
		var refused *api.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusConflict ||
			!strings.Contains(err.Error(), "no space left on device") || !strings.Contains(err.Error(), "make room") {
			t.Errorf("%s: %v", name, err)
		}
		bed.Eventually(t, "all as before "+name, func() string {
			if after := got(); !slices.Equal(before, after) {
				return fmt.Sprintf("%q, before %q", after, before)
			}
			return ""
		})
	}
	bed.Eventually(t, "a status that names the full disk", func() string {
		if a := d.Tool("status"); !strings.Contains(a.Stdout, "no space left on device") {
			return a.Stdout
		}
		return ""
	})
	_, err := d.Client.RemovePorts(t.Context(), "ue-three")
	bed.Must(t, err)
	bed.Must(t, add("ue-three", false)) // the file is in another folder
	bed.Must(t, os.Remove(filler))
	bed.Must(t, add("ue-two", true))
	bed.Must(t, belongs("another"))
	bed.Eventually(t, "a status without the disk", func() string {
		if a := d.Tool("status"); strings.Contains(a.Stdout, "no space left on device") {
			return a.Stdout
		}
		return ""
	})
	d.Kill()
	d.Start()
	for _, name := range []string{"ue-one", "ue-two", "ue-three"} {
		d.OperStatus(name, "up")
	}
	if p := d.Port("ue-one"); p.Labels == nil || p.Labels.Owner != "another" {
		t.Errorf("after a kill ue-one has the labels %+v", p.Labels)
	}
}

// fillUp writes a file until the disk is full.
func fillUp(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	bed.Must(t, err)
	defer f.Close()
	for size := 4096; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, unix.ENOSPC) {
			size /= 2
		} else {
			bed.Must(t, err)
		}
	}
}
