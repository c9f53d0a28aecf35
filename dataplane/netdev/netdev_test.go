package netdev

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

func TestAnswersFollowTheFeatures(t *testing.T) {
	const zc = Basic | Redirect | XSKZeroCopy
	for _, c := range []struct {
		name                                 string
		features                             Features
		native, zero, buffers, zeroOfBuffers Answer
	}{
		{"older kernel", Features{}, Unknown, Unknown, Unknown, Unknown},
		{"generic only", Features{Asked: true}, No, No, No, No},
		{"no redirect", Features{Asked: true, XDP: Basic | XSKZeroCopy | RxSg}, No, No, No, No},
		{"veth", Features{Asked: true, XDP: Basic | Redirect | RxSg}, Yes, No, Yes, No},
		{"zero copy", Features{Asked: true, XDP: zc, ZeroCopySegments: 1}, Yes, Yes, No, No},
		{"zero copy of before Linux 6.6", Features{Asked: true, XDP: zc}, Yes, Yes, No, No},
		{"zero copy of several buffers", Features{Asked: true, XDP: zc | RxSg, ZeroCopySegments: 8}, Yes, Yes, Yes, Yes},
	} {
		f := c.features
		got := [...]Answer{f.Native(), f.ZeroCopy(), f.MultiBuffer(), f.ZeroCopyMultiBuffer()}
		if want := [...]Answer{c.native, c.zero, c.buffers, c.zeroOfBuffers}; got != want {
			t.Errorf("%s: native, zero copy, buffers, zero copy of buffers are %v, want %v", c.name, got, want)
		}
	}
}

// attribute is one netlink attribute, padded.
func attribute(kind uint16, value []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), value...)
	return append(b, make([]byte, -len(b)&3)...)
}

func TestParseTakesWhatItKnows(t *testing.T) {
	eight := func(v uint64) []byte { return binary.NativeEndian.AppendUint64(nil, v) }
	answer := attribute(1, []byte{7, 0, 0, 0})
	answer = append(answer, attribute(attrXDPFeatures, eight(0x2b))...)
	answer = append(answer, attribute(attrZeroCopySegments, []byte{8, 0, 0, 0})...)
	answer = append(answer, attribute(99, eight(1))...)
	f, err := parse(answer)
	want := Features{Asked: true, XDP: Basic | Redirect | XSKZeroCopy | RxSg, ZeroCopySegments: 8}
	if binary.NativeEndian.Uint32([]byte{8, 0, 0, 0}) == 8 && (err != nil || f != want) {
		t.Errorf("%+v, %v, want %+v", f, err, want)
	}
	if f, err = parse(attribute(attrXDPFeatures, []byte{1, 2})); err != nil || f.XDP != 0 {
		t.Errorf("an attribute of two octets is taken for features: %v, %v", f.XDP, err)
	}
	if _, err = parse([]byte{200, 0, 3, 0, 1}); err == nil {
		t.Error("an attribute that is longer than its answer is no error")
	}
}

func TestWords(t *testing.T) {
	if got := (Basic | Redirect | NdoXmitSg).String(); got != "basic redirect ndo-xmit-sg" {
		t.Errorf("features are called %q", got)
	}
	if got := XDP(0).String(); got != "none" {
		t.Errorf("no features are called %q", got)
	}
	for a, want := range []string{"unknown", "no", "yes", "?"} {
		if got, _ := Answer(a).MarshalText(); string(got) != want {
			t.Errorf("answer %d is %q, want %q", a, got, want)
		}
	}
}

// A veth has native XDP without zero copy, on kernels that can be asked.
func TestGetOfAVeth(t *testing.T) {
	ns := nstest.New(t, "netdev")
	if err := netns.Veth(ns, "one", ns, "two", 1500); err != nil {
		t.Fatal(err)
	}
	err := ns.Do(func() error {
		dev, err := netlink.LinkByName("one")
		if err != nil {
			return err
		}
		f, err := Get(dev.Attrs().Index)
		t.Logf("veth: asked %t, %v, %d segments", f.Asked, f.XDP, f.ZeroCopySegments)
		if f.Asked && (f.Native() != Yes || f.ZeroCopy() != No) {
			t.Errorf("a veth is native %v, zero copy %v", f.Native(), f.ZeroCopy())
		}
		if _, err := Get(1 << 20); f.Asked && !errors.Is(err, unix.ENODEV) {
			t.Errorf("an interface that is not there: %v", err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestParseNAPI(t *testing.T) {
	four := func(v uint32) []byte { return binary.NativeEndian.AppendUint32(nil, v) }
	eight := func(v uint64) []byte { return binary.NativeEndian.AppendUint64(nil, v) }
	answer := slices.Concat(attribute(1, four(7)), attribute(napiID, four(8193)), attribute(napiDefer, four(1)),
		attribute(napiTimeout, eight(200e6)), attribute(99, []byte{1}))
	n, err := parseNAPI(answer)
	if want := (NAPI{ID: 8193, Defer: 1, Timeout: 200 * time.Millisecond}); err != nil || n != want {
		t.Errorf("%+v, %v, want %+v", n, err, want)
	}
	if _, err = parseNAPI([]byte{200, 0, 3, 0, 1}); err == nil {
		t.Error("an attribute that is longer than its answer is no error")
	}
}

// An instance that is not there is a fault of its own, which those who look at theirs can tell from others.
func TestNAPIThatIsNotThere(t *testing.T) {
	_, err := GetNAPI(1 << 30)
	if errors.Is(err, ErrNoNAPI) {
		nstest.Missing(t, err.Error())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestTheFamilyHasOneNumber(t *testing.T) {
	f, err := netlink.GenlFamilyGet(family)
	if errors.Is(err, unix.ENOENT) {
		t.Skip("the kernel has no family netdev (before Linux 6.3)")
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := familyNumber(); err != nil || n != int(f.ID) {
		t.Errorf("number %d, %v, want %d", n, err, f.ID)
	}
	const remembered = 1 << 16 // no number of a family: those have 16 bits
	before := resolved.Swap(remembered)
	t.Cleanup(func() { resolved.Store(before) })
	if n, err := familyNumber(); err != nil || n != remembered {
		t.Errorf("the kernel is asked again: number %d, %v", n, err)
	}
}
