package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dependencies is a modules.dep: a file and its dependencies, the first to load last.
const dependencies = `kernel/net/core/failover.ko.xz:
kernel/drivers/net/net_failover.ko.xz: kernel/net/core/failover.ko.xz
kernel/drivers/net/virtio-net.ko.xz: kernel/drivers/net/net_failover.ko.xz kernel/net/core/failover.ko.xz
kernel/drivers/net/veth.ko:
`

func unpackedKernel(t *testing.T) Kernel {
	t.Helper()
	k := Kernel{Release: "1.2", dir: t.TempDir()}
	if err := os.MkdirAll(k.modules(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.modules(), "modules.dep"), []byte(dependencies), 0o644); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestModulesComeAfterWhatTheyNeed(t *testing.T) {
	files, err := unpackedKernel(t).load("veth", "virtio_net", "net_failover")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, moduleName(f))
	}
	if want := []string{"veth", "failover", "net_failover", "virtio_net"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestImageIsWhereThePackageHasIt(t *testing.T) {
	k := unpackedKernel(t)
	if got, want := k.image(), filepath.Join(k.dir, "boot/vmlinuz-1.2"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	beside := filepath.Join(k.modules(), "vmlinuz")
	if err := os.WriteFile(beside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := k.image(); got != beside {
		t.Errorf("%s, want %s", got, beside)
	}
}

func TestModuleThatIsNotThere(t *testing.T) {
	_, err := unpackedKernel(t).load("veth", "igb")
	if err == nil || !strings.Contains(err.Error(), "kernel 1.2 has no module igb") {
		t.Errorf("%v", err)
	}
}

func TestLibrariesThatALinkerLists(t *testing.T) {
	const text = "\tlinux-vdso.so.1 (0x00007f)\n\tlibmnl.so.0 => /room/usr/lib/libmnl.so.0 (0x00007f)\n" +
		"\tlibc.so.6 => /room/usr/lib/libc.so.6 (0x00007f)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n"
	want := []string{"/room/usr/lib/libmnl.so.0", "/room/usr/lib/libc.so.6"}
	if got := linked(text); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
