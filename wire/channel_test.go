package wire

import (
	"testing"

	"pgregory.net/rapid"
)

func TestChannelGolden(t *testing.T) {
	for _, c := range []struct {
		channel Channel
		want    string
	}{
		{Channel{VC: 2, Op: ChannelStart, Transaction: 7, CreditSize: 2048}, "4B F1 11 07 66 00 00 00"},
		{Channel{VC: 31, Op: ChannelStarted, Transaction: 255, CreditSize: 32, Limit: 0x1234, Overhead: -4}, "4B F1 FA FF 06 12 34 FC"},
		{Channel{VC: 0, Op: ChannelStartedTotal, Transaction: 1, CreditSize: 64, Limit: 256, Overhead: 127}, "4B F1 07 01 16 01 00 7F"},
		{Channel{VC: 3, Op: ChannelHeld, Transaction: 9, CreditSize: 2048, Limit: 128}, "4B F1 18 09 66 00 80 00"},
	} {
		got := dirty(CtlOSLen)
		PutCtlOS(got, ViewPCS, c.channel.CtlOS())
		wantOctets(t, got, octets(t, c.want))
		read, fault := ParseCtlOS(got, ViewPCS)
		if channel, ok := read.Channel(); fault != NoFault || !ok || channel != c.channel {
			t.Errorf("%s: %+v, %v, %v", c.want, channel, ok, fault)
		}
	}
}

func TestChannelThatIsNone(t *testing.T) {
	for name, c := range map[string]CtlOS{
		"credit size 4096": {Type: ChannelCtlOS, Item: 7, Data: [5]byte{1}},
		"another CtlOS":    {Type: StationCtlOS, Data: [5]byte{1}},
		"credit size 2^20": {Type: ChannelCtlOS, Item: 15, Data: [5]byte{1}},
	} {
		if ch, ok := c.Channel(); ok {
			t.Errorf("%s: %+v", name, ch)
		}
	}
}

func TestChannelRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Channel{
			VC: rapid.Uint8Range(0, 31).Draw(t, "VC"), Op: ChannelOp(rapid.IntRange(0, 7).Draw(t, "op")),
			Transaction: rapid.Byte().Draw(t, "transaction"), CreditSize: 32 << rapid.IntRange(0, 6).Draw(t, "size"),
			Limit: rapid.Uint16().Draw(t, "limit"), Overhead: rapid.Int8().Draw(t, "overhead"),
		}
		var b [CtlOSLen]byte
		PutCtlOS(b[:], ViewPCS, want.CtlOS())
		c, fault := ParseCtlOS(b[:], ViewPCS)
		if got, ok := c.Channel(); fault != NoFault || !ok || got != want {
			t.Fatalf("%+v, want %+v (%v)", got, want, fault)
		}
	})
}
