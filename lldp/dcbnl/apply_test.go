package dcbnl

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx"
)

var example = Settings{
	PG:  dcbx.PG{Group: [8]uint8{0, 0, 0, 3, 0, 0, 0, 15}, Percentage: [8]uint8{50, 0, 0, 50}, NumTCs: 8},
	PFC: dcbx.PFC{Enable: 0x08, NumTCs: 8},
}

// driver answers as a driver would, and records the messages.
type driver struct {
	asked   []string           // hexadecimal
	answers map[command]answer // others get yes
}

type answer struct {
	code uint8
	err  error
}

func (d *driver) ask(message []byte) ([]byte, error) {
	d.asked = append(d.asked, hex.EncodeToString(message))
	a := d.answers[command(message[1])]
	return []byte{0, message[1], 0, 0, 5, 0, 2, 0, a.code, 0, 0, 0}, a.err
}

// The octets of each command, on a machine whose lowest octet comes first.
func TestGoldenMessages(t *testing.T) {
	const (
		eth0   = "09000100" + "6574683000" + "000000"
		off    = "24000X00" + "0500010000000000" + "0500020000000000" + "0500030000000000" + "0500040000000000"
		groups = "64010600" +
			"24000100" + "0500010000000000" + "0500020077000000" + "0500030000000000" + "0500040064000000" +
			"24000200" + "0500010003000000" + "0500020008000000" + "0500030000000000" + "0500040064000000" +
			"24000300" + "0500010001000000" + "0500020080000000" + "0500030002000000" + "0500040000000000"
		bandwidth = "05000b0032000000" + "05000c0000000000" + "05000d0000000000" + "05000e0032000000" +
			"05000f0000000000" + "0500100000000000" + "0500110000000000" + "0500120000000000"
	)
	unused := ""
	for _, class := range []string{"04", "05", "06", "07", "08"} {
		unused += strings.Replace(off, "0X", class, 1)
	}
	want := []string{
		"00160000" + eth0,
		"00170000" + eth0 + "05000e0005000000",
		"00020000" + eth0 + "0500020001000000",
		"00040000" + eth0 + groups + unused + bandwidth,
		"00060000" + eth0 + groups + unused + bandwidth,
		"00080000" + eth0 + "44000400" + "0500010000000000" + "0500020000000000" + "0500030000000000" + "0500040001000000" +
			"0500050000000000" + "0500060000000000" + "0500070000000000" + "0500080000000000",
		"000f0000" + eth0 + "0500030001000000",
		"00090000" + eth0 + "0500070001000000",
	}
	var d driver
	if err := apply(d.ask, "eth0", example, &Former{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, d.asked); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Without priorities with flow control it is switched off as a whole.
func TestNoFlowControl(t *testing.T) {
	var d driver
	if err := apply(d.ask, "eth0", Settings{PG: example.PG, PFC: dcbx.PFC{NumTCs: 8}}, &Former{}); err != nil {
		t.Fatal(err)
	}
	if got := d.asked[6]; !strings.HasSuffix(got, "0500030000000000") {
		t.Errorf("flow control is not switched off: %s", got)
	}
}

func TestWhatADriverMayLack(t *testing.T) {
	lacks := func(c command) map[command]answer { return map[command]answer{c: {err: unix.EOPNOTSUPP}} }
	for _, c := range []command{setMode, setGroupsRecv, setFlowState} {
		d := driver{answers: lacks(c)}
		if err := apply(d.ask, "eth0", example, &Former{}); err != nil || len(d.asked) != 8 {
			t.Errorf("without %q: %v after %d messages", c, err, len(d.asked))
		}
	}
	for _, c := range []command{setState, setGroupsSend, setFlowPriority, setAll} {
		d := driver{answers: lacks(c)}
		err := apply(d.ask, "eth0", example, &Former{})
		if !errors.Is(err, ErrUnsupported) || !errors.Is(err, unix.EOPNOTSUPP) {
			t.Errorf("without %q: %v", c, err)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		command command
		answer  answer
		want    string
	}{
		{setMode, answer{code: 1}, "let the host run DCBX: the driver refuses the command (answer 1): the NIC's firmware runs DCBX itself; switch its LLDP agent off, or set dcbnl to off for this port"},
		{setState, answer{code: 1}, "turn DCB on or off: the driver refuses the command (answer 1): the kernel's log may say why"},
		{setGroupsSend, answer{err: unix.EPERM}, "set the priority groups for sent frames: operation not permitted: programming a NIC needs CAP_NET_ADMIN"},
		{setGroupsRecv, answer{err: unix.ENODEV}, "set the priority groups for received frames: no such device"},
		{setFlowPriority, answer{code: 9}, "set the priorities with flow control: the driver refuses the command (answer 9): the kernel's log may say why"},
		{setFlowState, answer{code: 1}, "turn priority-based flow control on or off: the driver refuses the command (answer 1): the kernel's log may say why"},
		{setAll, answer{code: 255}, "put the DCB settings into effect: the driver refuses the command (answer 255): the kernel's log may say why"},
		{setAll, answer{code: 1}, ""}, // nothing had to change
		{setAll, answer{code: 2}, ""}, // no reset was needed
	} {
		d := driver{answers: map[command]answer{c.command: c.answer}}
		got := ""
		if err := apply(d.ask, "eth0", example, &Former{}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d answers %+v: %q, want %q", c.command, c.answer, got, c.want)
		}
	}
}

// An answer that is too short to hold anything is no refusal.
func TestShortAnswers(t *testing.T) {
	for n := range 9 {
		if err := refused(setState, []byte{0, 2, 0, 0, 4, 0, 2, 0, 1}[:n]); err != nil {
			t.Errorf("%d octets: %v", n, err)
		}
	}
}
