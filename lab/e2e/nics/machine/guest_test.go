package machine

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestArgumentsOfTheCards(t *testing.T) {
	image := Image{Kernel: Kernel{Release: "1.2", dir: "/k"}, file: "/initramfs"}
	c := Config{CPUs: 2, Memory: 1024, Image: image, NICs: []NIC{
		{Name: "a", Model: "virtio-net-pci", MAC: "52:54:00:00:00:01", Netdev: "hubport,hubid=0",
			Properties: map[string]any{"iommu_platform": true}},
		{Name: "b", Model: "igb", MAC: "52:54:00:00:00:02", Netdev: "tap,ifname=tap0"},
	}}
	args, err := c.arguments(Room{"/room"})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(args, " ")
	for _, want := range []string{
		"-kernel /k/boot/vmlinuz-1.2 -initrd /initramfs", "-smp 2 -m 1024",
		"-netdev hubport,hubid=0,id=a-net -device pcie-root-port,id=a-port,chassis=1,slot=1 -device " +
			`{"bus":"a-port","driver":"virtio-net-pci","id":"a","iommu_platform":true,` +
			`"mac":"52:54:00:00:00:01","netdev":"a-net"}`,
		"-netdev tap,ifname=tap0,id=b-net -device pcie-root-port,id=b-port,chassis=2,slot=2 -device " +
			`{"bus":"b-port","driver":"igb","id":"b","mac":"52:54:00:00:00:02","netdev":"b-net"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks\n%s", text, want)
		}
	}
}

// said is a guest that has said something and then is silent.
func said(t *testing.T, text string) *Guest {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	go func() { _, _ = theirs.Write([]byte(text)) }() // the test may end before
	g := &Guest{line: ours, lines: make(chan line, unread)}
	go g.listen()
	return g
}

// TestGuestThatIsNotReceivedFrom: it says all that it has to say meanwhile.
func TestGuestThatIsNotReceivedFrom(t *testing.T) {
	ours, theirs := net.Pipe() // which holds nothing
	defer ours.Close()
	g := &Guest{line: ours, lines: make(chan line, unread)}
	go g.listen()
	for range 100 {
		if _, err := theirs.Write([]byte(`{"a":1}` + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	theirs.Close()
	var v struct{ A int }
	for range 100 {
		if err := g.Receive(&v, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := g.Receive(&v, time.Minute); err == nil || !strings.Contains(err.Error(), "has ended") {
			t.Errorf("%v", err)
		}
	}
}

func TestLinesOfAGuest(t *testing.T) {
	g := said(t, `{"a":1}`+"\n"+"nonsense\n")
	var v struct{ A int }
	if err := g.Receive(&v, time.Minute); err != nil || v.A != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if err := g.Receive(&v, time.Minute); err == nil || !strings.Contains(err.Error(), `the guest says "nonsense`) {
		t.Errorf("%v", err)
	}
	if err := g.Receive(&v, time.Millisecond); err == nil || !strings.Contains(err.Error(), "said nothing for 1ms") {
		t.Errorf("%v", err)
	}
	if err := g.line.Close(); err != nil {
		t.Error(err)
	}
	if err := g.Receive(&v, time.Minute); err == nil {
		t.Error("a guest that has gone says something")
	}
}
