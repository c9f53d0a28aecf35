package lldp_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"uelink/lldp"
	"uelink/wire"
)

func TestLocalValidate(t *testing.T) {
	good := func() lldp.Local { return localOf(macA, "eth0") }
	long := strings.Repeat("x", 256)
	for want, spoil := range map[string]func(*lldp.Local){
		"":                   func(l *lldp.Local) { l.SystemName = long[1:] },
		"chassis id is 0":    func(l *lldp.Local) { l.Chassis.ID = nil },
		"port id is 256":     func(l *lldp.Local) { l.Port.ID = []byte(long) },
		"port description":   func(l *lldp.Local) { l.PortDescription = long },
		"system name is 256": func(l *lldp.Local) { l.SystemName = long },
		"system description": func(l *lldp.Local) { l.SystemDescription = long },
		"[Router] are not among the capabilities": func(l *lldp.Local) { l.Capabilities.Enabled = lldp.CapRouter },
		"address of 0 octets":                     func(l *lldp.Local) { l.Management = []lldp.Management{{}} },
		"leave less than 160": func(l *lldp.Local) {
			l.Management = slices.Repeat([]lldp.Management{lldp.ManagementAt(netip.IPv6Loopback(), 1)}, 60)
		},
		"custom TLV 010203 subt": func(l *lldp.Local) { l.Custom = []lldp.Org{{OUI: lldp.OUI{1, 2, 3}, Info: make([]byte, 508)}} },
	} {
		l := good()
		spoil(&l)
		err := l.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The longest of everything and an address of each kind leave room for UE and DCBX.
func TestLocalLongestLeavesRoom(t *testing.T) {
	long := strings.Repeat("x", 255)
	l := localOf(macA, long)
	l.Chassis = lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte(long)}
	l.PortDescription, l.SystemName, l.SystemDescription, l.HasCapabilities = long, long, long, true
	l.Management = []lldp.Management{lldp.ManagementAt(netip.MustParseAddr("192.0.2.1"), 1),
		lldp.ManagementAt(netip.IPv6Loopback(), 1)}
	if err := l.Validate(); err != nil {
		t.Error(err)
	}
}

func TestPolicies(t *testing.T) {
	eth := lldp.Interface{Name: "eth1", Alias: "uplink", MAC: macB, Index: 7}
	bare := lldp.Interface{Name: "tun0"}
	for _, c := range []struct{ policy, chassis, bareChassis, port, barePort string }{
		{"mac", "mac 02:00:00:00:00:0a", "mac 02:00:00:00:00:0a", "mac 02:00:00:00:00:0b", "ifname tun0"},
		{"ifname", "ifname eth1", "ifname tun0", "ifname eth1", "ifname tun0"},
		{"ifalias", "ifalias uplink", "ifname tun0", "ifalias uplink", "ifname tun0"},
		{"ip:192.0.2.1", "ip 192.0.2.1", "ip 192.0.2.1", "ip 192.0.2.1", "ip 192.0.2.1"},
		{"ip:2001:db8::1", "ip 2001:db8::1", "ip 2001:db8::1", "ip 2001:db8::1", "ip 2001:db8::1"},
		{"local:rack:7", "local rack:7", "local rack:7", "local rack:7", "local rack:7"},
	} {
		chassis, err := lldp.ParseChassisPolicy(c.policy)
		if err != nil || chassis.String() != c.policy {
			t.Errorf("%s: %q, %v", c.policy, chassis, err)
		}
		port, err := lldp.ParsePortPolicy(c.policy)
		if err != nil {
			t.Error(err)
		}
		for _, p := range []struct {
			got  lldp.ChassisID
			want string
		}{{chassis.ChassisID(macA, eth), c.chassis}, {chassis.ChassisID(macA, bare), c.bareChassis}} {
			if got := p.got.Subtype.String() + " " + p.got.String(); got != p.want {
				t.Errorf("%s: chassis id %q, want %q", c.policy, got, p.want)
			}
		}
		for _, p := range []struct {
			got  lldp.PortID
			want string
		}{{port.PortID(eth), c.port}, {port.PortID(bare), c.barePort}} {
			if got := p.got.Subtype.String() + " " + p.got.String(); got != p.want {
				t.Errorf("%s: port id %q, want %q", c.policy, got, p.want)
			}
		}
	}
	mac, _ := lldp.ParseChassisPolicy("mac")
	if id := mac.ChassisID(wire.MAC{}, bare); id.String() != "tun0" {
		t.Errorf("a station without an address is %v", id)
	}
	for _, bad := range []string{"", "mac:", "mac:x", "hostname", "local", "local:",
		"local:" + strings.Repeat("x", 256), "ip:", "ip:x"} {
		if p, err := lldp.ParsePortPolicy(bad); err == nil {
			t.Errorf("%q was taken as %v", bad, p)
		}
	}
}

func TestTimersValidate(t *testing.T) {
	if err := lldp.DefaultTimers().Validate(); err != nil || lldp.DefaultTimers().TTL() != 121 {
		t.Error(err, lldp.DefaultTimers().TTL())
	}
	for want, spoil := range map[string]func(*lldp.Timers){
		"tx_interval is 0":    func(p *lldp.Timers) { p.TxInterval = 0 },
		"tx_interval is 3601": func(p *lldp.Timers) { p.TxInterval = 3601 },
		"tx_hold is 1,":       func(p *lldp.Timers) { p.TxHold = 1 },
		"fast_tx is 3601":     func(p *lldp.Timers) { p.FastTx = 3601 },
		"tx_fast_init is 9":   func(p *lldp.Timers) { p.TxFastInit = 9 },
		"reinit_delay is 11":  func(p *lldp.Timers) { p.ReinitDelay = 11 },
		"tx_credit_max is 0":  func(p *lldp.Timers) { p.TxCreditMax = 0 },
	} {
		p := lldp.DefaultTimers()
		spoil(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if ttl := (lldp.Timers{TxInterval: 3600, TxHold: 10}).TTL(); ttl != 36001 {
		t.Error(ttl)
	}
}

func TestAdminStatus(t *testing.T) {
	for s, c := range map[lldp.AdminStatus]struct {
		name   string
		rx, tx bool
	}{lldp.RxTx: {"rx-tx", true, true}, lldp.RxOnly: {"rx-only", true, false}, lldp.TxOnly: {"tx-only", false, true}, lldp.Off: {"off", false, false}} {
		if s.String() != c.name || s.Rx() != c.rx || s.Tx() != c.tx {
			t.Errorf("%v: Rx %v, Tx %v", s, s.Rx(), s.Tx())
		}
	}
}
