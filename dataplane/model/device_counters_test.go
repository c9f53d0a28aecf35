package model

import (
	"reflect"
	"strings"
	"testing"

	"uelink/cbfc"
	"uelink/llr"
)

// notDropped is the counters that no column of dropped frames has, each with the reason.
var notDropped = map[string]string{
	"rx_frames": "arrived", "rx_octets": "arrived", "tx_frames": "sent", "tx_octets": "sent", "tx_kicks": "no frames",
	"rx_mac_control": "must not be forwarded", "rx_lldp": "must not be forwarded",
	"rx_shim_truncated": "damaged", "rx_shim_bad_sfd": "damaged", "rx_shim_reserved": "damaged",
	"rx_other_dialect": "not the partner's", "rx_other_ethertype": "not the partner's",
	"rx_other_station": "not the partner's", "rx_looped": "not the partner's", "rx_other_protocol": "not the partner's",
	"rx_native_dropped": "not the partner's, or damaged", "rx_bare_bad_fcs": "damaged",
	"rx_bare": "delivered", "rx_native": "delivered", "rx_unfinished_checksum": "carried",
	"rx_drop_lossless": "is in rx_drop_no_buffer or tx_drop_queue_full", "rx_queue_changes": "no frames",
	"rx_drop_pfc": "is in rx_drop_no_buffer or tx_drop_queue_full", "rx_refused": "LLR brings them again",
	"rx_control": "no data", "rx_control_truncated": "no data", "rx_control_crc": "no data",
	"rx_control_version": "no data", "rx_control_count": "no data", "rx_control_reserved": "no data",
	"rx_control_type": "no data", "tx_control": "no data", "tx_bare": "sent", "tx_native": "sent",
	"trim_packets": "is in rx_drop_no_buffer or tx_drop_queue_full", "tx_trim_packets": "sent",
	"dropped_trim_packets":     "is in rx_drop_no_buffer or tx_drop_queue_full",
	"rx_fill_ring_empty_descs": "is in rx_dropped", "rx_invalid_descs": "chunks, not frames",
	"rx_queue_bounded": "times, not frames; the frames are in rx_dropped",
	"rx_asks":          "no frames", "rx_holds": "no frames", "rx_watchdog": "arrived",
	"rx_super_frames": "arrived", "tx_super_frames": "sent",
	"tx_ring_empty_descs": "no frames", "tx_live": "sent", "tx_live_dropped": "is in tx_dropped of the interface",
}

// Every counter of a port is of frames that were dropped, and then is in exactly one of the two columns, or there is
// a reason for which it is in none.
func TestEveryDropIsInAColumn(t *testing.T) {
	s := PortState{Sockets: &SocketState{}, CBFC: &cbfc.State{}}
	counters := []reflect.Value{
		reflect.ValueOf(&s.Counters).Elem(), reflect.ValueOf(&s.Device).Elem(), reflect.ValueOf(&s.Sockets.Stats).Elem(),
	}
	for len(counters) > 0 {
		v := counters[0]
		counters = counters[1:]
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Struct {
				counters = append(counters, v.Field(i))
				continue
			}
			v.Field(i).SetUint(1)
			rx, tx := s.Dropped()
			v.Field(i).SetUint(0)
			key := v.Type().Field(i).Tag.Get("json")
			if _, not := notDropped[key]; not == (rx+tx == 1) {
				t.Errorf("%s: RX dropped %d, TX dropped %d; not dropped: %q", key, rx, tx, notDropped[key])
			}
			if (rx == 1) != strings.HasPrefix(key, "rx_") && rx+tx == 1 && !strings.HasPrefix(key, "host_") {
				t.Errorf("%s is in the column of the other direction", key)
			}
		}
	}
	s.CBFC.Counters.TooLong = 1
	if rx, tx := s.Dropped(); rx != 0 || tx != 1 {
		t.Errorf("tx_drop_over_limit: RX dropped %d, TX dropped %d", rx, tx)
	}
	s = PortState{LLR: &LLRState{Counters: llr.Counters{TxDiscard: 1}}}
	if rx, tx := s.Dropped(); rx != 0 || tx != 1 {
		t.Errorf("llr_tx_discard: RX dropped %d, TX dropped %d", rx, tx)
	}
	s = PortState{HIPPI: &HIPPIState{}}
	c := &s.HIPPI.Counters
	c.RxMessageError, c.RxRefused, c.RxLostAtReset, c.TxRejected, c.TxShutdownDiscard, c.TxLostAtReset = 1, 2, 4, 8, 16, 32
	if rx, tx := s.Dropped(); rx != 7 || tx != 56 {
		t.Errorf("Messages: RX dropped %d, TX dropped %d", rx, tx)
	}
}

// The counts of an interface begin when it is taken. A driver whose counts begin again does not make them wrap.
func TestDeviceCountersBegin(t *testing.T) {
	c := DeviceCounters{RxMissed: 7, TxErrors: 5, TxDropped: 4, HostTxDropped: 3, HostQdiscDropped: 8, RxTooLong: 9}
	c.Sub(DeviceCounters{RxMissed: 5, TxErrors: 5, TxDropped: 9, HostTxDropped: 1, HostQdiscDropped: 2, RxTooLong: 5})
	want := DeviceCounters{RxMissed: 2, TxDropped: 4, HostTxDropped: 2, HostQdiscDropped: 6, RxTooLong: 4}
	if c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}
