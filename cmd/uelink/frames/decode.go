package frames

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/spf13/cobra"

	"uelink/cmd/uelink/view"
	"uelink/internal/nonnull"
	"uelink/lab/decode"
)

const decodeLong = `Decode the frames of a capture: the shim and the frame that it carries, control frames,
CC_Update, the TLVs of LLDP, and UET. FILE is a pcapng, as "capture: FILE" of a port
writes it; without FILE, or with -, the capture is read from standard input.

Each frame is a line; with --details every field is shown, under the name that it has in
a display filter of Wireshark with deploy/wireshark/uelink.lua. -o json writes one object
a line.`

const decodeExample = `  uelink decode link0.pcapng
  uelink decode --only nack,init --count 10 link0.pcapng
  uelink decode --follow /var/lib/uelink/link0.pcapng
  uelink decode --dialect seed --details -o json fabric.pcapng | jq .summary`

// decoder has the flags of uelink decode.
type decoder struct {
	options decode.Options
	filter  filter
	asJSON  bool
	details bool
	follow  bool
}

// Decode returns the command that decodes the frames of a capture.
func (c Commands) Decode() *cobra.Command {
	d := &decoder{options: decode.Defaults()}
	cmd := &cobra.Command{
		Use: "decode [FILE.pcapng|-]", Short: "Decode the frames of a capture", Long: decodeLong,
		Example: decodeExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.asJSON = c.JSON()
			return d.run(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&d.follow, "follow", false, "go on with frames that are added to the file, until interrupted")
	d.addFlags(cmd)
	return cmd
}

// addFlags adds the flags for the decoding of frames to a command.
func (d *decoder) addFlags(cmd *cobra.Command) {
	d.filter.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&d.details, "details", false, "every field of every header")
	f.TextVar(&d.options.Dialect, "dialect", d.options.Dialect, "`dialect` of SES headers: seed or ue1")
	f.Uint16Var(&d.options.Data, "ethertype-data", d.options.Data, "EtherType of data frames")
	f.Uint16Var(&d.options.Control, "ethertype-control", d.options.Control, "EtherType of control frames")
	f.Uint16Var(&d.options.UET.Port, "uet-port", d.options.UET.Port, "UDP port of UET")
	f.Uint8Var(&d.options.UET.Protocol, "uet-protocol", d.options.UET.Protocol,
		"IP protocol number of UET directly over IP")
	f.Var((*dscpsFlag)(&d.options.UET.Trimmed), "trimmed", "DSCPs of trimmed packets, separated by commas")
	f.Uint8Var(&d.options.Rendezvous, "rendezvous-opcode", 0,
		"operation code of SES headers with a rendezvous extension, for --dialect seed; 0 = none")
}

// run decodes the capture file in args and prints its frames.
func (d *decoder) run(cmd *cobra.Command, args []string) error {
	name, in := "standard input", cmd.InOrStdin()
	if len(args) > 0 && args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return fmt.Errorf("decode: %w", err)
		}
		defer file.Close()
		name, in = args[0], file
	}
	if d.follow {
		in = following{cmd.Context(), in}
	}
	if err := d.frames(in, cmd.OutOrStdout()); err != nil {
		return fmt.Errorf("decode: %s: %w", name, err)
	}
	return nil
}

// frames reads a pcapng capture to its end, or until the filter has enough frames. It prints each frame that the filter
// takes, decoded, and the counts of missing frames.
func (d *decoder) frames(in io.Reader, out io.Writer) error {
	var missing missing
	options := pcapgo.NgReaderOptions{WantMixedLinkType: true, StatisticsCallback: missing.record}
	r, err := pcapgo.NewNgReader(&blocks{r: in}, options)
	if errors.Is(err, io.EOF) {
		return errors.New("the capture is empty")
	}
	for number := 1; err == nil && !d.filter.enough(); number++ {
		var c captured
		c, err = next(r, number)
		if showErr := d.showMissing(out, r, &missing); showErr != nil {
			return showErr
		}
		if err == nil {
			err = d.show(out, c)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// captured is a frame of a capture.
type captured struct {
	number    int
	octets    []byte
	info      gopacket.CaptureInfo
	link      layers.LinkType
	name      string // of the interface
	direction string // "in", "out", or empty
}

// next reads the next frame of a capture, with its interface and direction. number is the number that the frame
// gets.
func next(r *pcapgo.NgReader, number int) (captured, error) {
	octets, info, options, err := r.ReadPacketDataWithOptions()
	if err != nil {
		return captured{}, err
	}
	c := captured{number: number, octets: octets, info: info}
	if intf, err := r.Interface(info.InterfaceIndex); err == nil {
		c.name, c.link = intf.Name, intf.LinkType
	}
	if options.Flags != nil {
		c.direction = map[pcapgo.NgEpbFlag]string{
			pcapgo.NgEpbFlagDirectionInbound: "in", pcapgo.NgEpbFlagDirectionOutbound: "out"}[options.Flags.Direction]
	}
	return c, nil
}

// decodedFrame is a frame in -o json.
type decodedFrame struct {
	Number    int            `json:"number"`
	Time      time.Time      `json:"time"`
	Interface string         `json:"interface"`
	Direction string         `json:"direction"`
	Length    int            `json:"length"`
	Protocol  string         `json:"protocol"`
	Summary   string         `json:"summary"`
	Faults    []decode.Fault `json:"faults"`
	Layers    []decode.Layer `json:"layers,omitempty"`
}

// show decodes a captured frame and prints it, as text or as JSON, if the filter takes it. Of a frame that is not
// Ethernet it prints the link type alone.
func (d *decoder) show(out io.Writer, c captured) error {
	f := &decode.Frame{}
	if c.link == layers.LinkTypeEthernet {
		f = decode.Decode(c.octets, d.options)
	}
	if !d.filter.takes(f) {
		return nil
	}
	shown := decodedFrame{Number: c.number, Time: c.info.Timestamp, Interface: c.name, Direction: c.direction,
		Length:   c.info.Length,
		Protocol: f.Protocol(), Summary: f.Summary(), Faults: append([]decode.Fault{}, f.Faults...)}
	if c.link != layers.LinkTypeEthernet {
		shown.Protocol, shown.Summary = "", fmt.Sprintf("link type %d is not Ethernet", int(c.link))
	}
	if d.details {
		shown.Layers = f.Layers
	}
	if d.asJSON {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		return e.Encode(nonnull.Lists(shown))
	}
	return shown.write(out)
}

// write prints a line for a decoded frame, and the fields of its headers below.
func (s *decodedFrame) write(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%6d %s %-10s %-3s %5d %-7s %s\n", s.Number, s.Time.Format("15:04:05.000000"),
		view.OrDash(s.Interface),
		s.Direction, s.Length, s.Protocol, s.Summary)
	for i := 0; i < len(s.Layers) && err == nil; i++ {
		l := &s.Layers[i]
		if _, err = fmt.Fprintf(out, "       %s, %d octets at %d\n", l.Title, l.Len, l.At); err != nil {
			return err
		}
		err = writeDecoded(out, l.Fields)
	}
	return err
}

// writeDecoded prints a line for each field of a header: its name, place, value and meaning.
func writeDecoded(out io.Writer, fields []decode.Field) error {
	for i := range fields {
		f := &fields[i]
		text := fmt.Sprintf("%d (0x%x)", f.Value, f.Value)
		if f.Text != "" {
			text += " " + f.Text
		}
		if _, err := fmt.Fprintf(out, "         %-34s %-16s %s\n", f.Name, view.OrDash(f.Where()), text); err != nil {
			return err
		}
	}
	return nil
}
