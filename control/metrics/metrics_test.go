package metrics

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/scrape.txt and docs/API.md")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inTrouble is a daemon that has lost lines of its log, and has two troubles.
func inTrouble() Daemon {
	return Daemon{LogLost: func() uint64 { return 7 }, Refused: func() bool { return true },
		Troubles: func() []string { return []string{"one", "another"} }, Unmet: func() []api.Unmet {
			return []api.Unmet{{What: api.WantedConfiguration}, {Port: "link0", What: api.WantedLLR}}
		}}
}

// scrape is the text of one scrape.
func scrape(t *testing.T, source DataPlane) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	NewServer(source, controltest.NewLLDP(), inTrouble(), zap.NewNop()).Handler.ServeHTTP(w,
		httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

func TestMetrics(t *testing.T) {
	code, body := scrape(t, controltest.NewBridged())
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	for _, line := range []string{
		`uelink_daemon_troubles 2`,
		`uelink_wanted_not_in_force{port="-",what="configuration"} 1`,
		`uelink_wanted_not_in_force{port="-",what="upgrade"} 0`,
		`uelink_wanted_not_in_force{port="link0",what="llr"} 1`,
		`uelink_wanted_not_in_force{port="link1",what="llr"} 0`,
		`# TYPE uelink_llr_tx_ok_total counter`,
		`uelink_llr_tx_ok_total{interface="eth1",port="link0"} 7.650079e+06`,
		`uelink_llr_tx_flush_total{interface="eth2",port="link1"} 1`,
		`uelink_port_rx_frames_total{interface="veth1",port="edge0"} 7.654321e+06`,
		`uelink_socket_rx_dropped_total{interface="eth1",port="link0"} 3`,
		`# TYPE uelink_llr_tx_status gauge`,
		`uelink_llr_tx_status{interface="eth1",port="link0",state="ADVANCE"} 1`,
		`uelink_llr_tx_status{interface="eth1",port="link0",state="FLUSH"} 0`,
		`uelink_llr_rx_status{interface="eth1",port="link0",state="SEND_ACKS"} 1`,
		`uelink_port_oper_status{interface="eth2",port="link1",state="down"} 1`,
		`uelink_port_oper_status{interface="eth2",port="link1",state="up"} 0`,
		`uelink_port_error_status{error="llr_tx_flush",interface="eth2",port="link1"} 1`,
		`uelink_llr_mode_remote{interface="eth2",port="link1"} 1`,
		`uelink_llr_outstanding_bytes{interface="eth1",port="link0"} 18000`,
		`uelink_port_mtu_bytes{interface="veth1",port="edge0"} 1500`,
		`# TYPE uelink_lldp_tx_frames_total counter`,
		`uelink_lldp_tx_frames_total{destination="nearest-bridge",interface="eth1",port="link0"} 12345`,
		`uelink_lldp_rx_frames_total{destination="nearest-bridge",interface="eth1",port="link0"} 6789`,
		`uelink_lldp_rx_discarded_frames_total{destination="nearest-bridge",interface="eth1",port="link0"} 5`,
		`uelink_lldp_rx_discards_total{destination="nearest-bridge",interface="eth1",port="link0",reason="order"} 4`,
		`uelink_lldp_rx_ageouts_total{destination="nearest-bridge",interface="eth1",port="link0"} 2`,
		`uelink_lldp_remote_inserts_total{destination="nearest-bridge",interface="eth1",port="link0"} 3`,
		`uelink_lldp_socket_drops_total{destination="nearest-bridge",interface="eth1",port="link0"} 6`,
		`uelink_lldp_neighbors{destination="nearest-bridge",interface="veth1",port="edge0"} 1`,
		`uelink_lldp_too_many_neighbors{destination="nearest-bridge",interface="veth1",port="edge0"} 1`,
		`uelink_lldp_other_agent{destination="nearest-bridge",interface="veth1",port="edge0"} 1`,
		`uelink_lldp_status{destination="nearest-bridge",interface="eth2",port="link1",state="absent"} 1`,
		`uelink_lldp_trouble{destination="nearest-bridge",interface="eth2",port="link1"} 1`,
		`uelink_lldp_info{destination="nearest-bridge",interface="eth2",mode="rx-only",port="link1"} 1`,
		`uelink_lldp_ue_partner{destination="nearest-bridge",interface="eth1",port="link0",state="present"} 1`,
		`uelink_lldp_ue_llr{destination="nearest-bridge",interface="eth1",port="link0"} 1`,
		`uelink_dcbx_peer{interface="eth1",port="link0",state="present"} 1`,
		`uelink_dcbx_feature_oper_mode{feature="pg",interface="eth1",port="link0"} 1`,
		`uelink_dcbx_feature_error{feature="pfc",interface="eth1",port="link0"} 1`,
		`uelink_dcbx_feature_oper_mode{feature="pfc",interface="eth1",port="link0"} 0`,
		`uelink_dcbx_rx_tlvs_total{interface="eth1",port="link0"} 1`,
		`uelink_dcbx_seq_no{interface="eth1",port="link0"} 2`,
		`uelink_llr_info{dialect="ue1",encapsulation="transparent",interface="eth2",llr_mode="static",llr_profile="careful",port="link1",tx_encapsulation="transparent"} 1`,
		`uelink_llr_flush_reason{interface="eth2",port="link1",reason="replay_count"} 1`,
		`uelink_llr_flush_reason{interface="eth2",port="link1",reason="pcs_lost"} 0`,
		`uelink_llr_partner_problem{interface="eth2",port="link1",reason="silent"} 1`,
		`uelink_llr_partner_problem{interface="eth1",port="link0",reason="silent"} 0`,
		`uelink_llr_stalled{interface="eth2",port="link1"} 0`,
		`uelink_port_speed_bytes_per_second{interface="eth1",port="link0"} 1.25e+09`,
		`# TYPE uelink_bridge_entries gauge`,
		`uelink_bridge_entries{bridge="br0"} 3`,
		`uelink_bridge_entries{bridge="br1"} 1`,
		`uelink_bridge_max_entries{bridge="br0"} 4096`,
		`uelink_bridge_ageing_time_seconds{bridge="br0"} 300`,
		`uelink_bridge_vlan_filtering{bridge="br0"} 1`,
		`uelink_bridge_info{bridge="br1",loop_guard="event",reserved="forward"} 1`,
		`uelink_bridge_port_state{bridge="br0",port="edge0",state="blocked"} 1`,
		`uelink_bridge_port_state{bridge="br0",port="edge0",state="forwarding"} 0`,
		`uelink_bridge_port_pvid{bridge="br0",port="edge0"} 10`,
		`uelink_bridge_port_broadcast_limit_frames_per_second{bridge="br0",port="edge0"} 100`,
		`uelink_bridge_port_isolated{bridge="br0",port="link0"} 0`,
		`# TYPE uelink_bridge_fdb_entries gauge`,
		`uelink_bridge_fdb_static{bridge="br0"} 1`,
		`uelink_bridge_fdb_learned_total{bridge="br0"} 1002`,
		`uelink_bridge_port_rx_drop_storm_broadcast_total{bridge="br0",port="edge0"} 4000`,
		`# TYPE uelink_port_queue_tx_frames_total counter`,
		`uelink_port_queue_tx_frames_total{port="link0",queue="5"} 79`,
		`uelink_port_queue_dropped_total{port="link0",queue="0"} 17`,
		`uelink_port_queue_queued_frames{port="link0",queue="5"} 5`,
		`uelink_port_queue_occupancy_bytes{port="link0",queue="5"} 7012`,
		`uelink_port_queue_watermark_bytes{port="link0",queue="5"} 64123`,
		`uelink_port_queue_queue_bytes{port="link0",queue="5"} 65536`,
		`# TYPE uelink_llr_loop_time_min_seconds gauge`,
		`uelink_llr_loop_time_p99_seconds{interface="eth1",port="link0"} 0.000122879`,
		`uelink_llr_recommended_replay_timer_seconds{interface="eth1",port="link0"} 0.0006`,
		`uelink_cbfc_sender_credits_used{interface="eth1",port="link0"} 512`,
		`uelink_cbfc_num_cc_update_messages_tx_total{interface="eth1",port="link0"} 100`,
		`uelink_cbfc_on{interface="eth1",port="link0"} 1`,
		`uelink_port_rx_queues{interface="eth2",number="3",port="link1"} 1`,
		`uelink_port_tx_queue{interface="eth2",port="link1"} 3`,
		`uelink_port_rx_queues_no_socket{interface="eth2",number="0",port="link1"} 1`,
		`uelink_cbfc_credit_pool_shared_size{interface="eth1",port="link0"} 1800`,
		`uelink_virtual_channel_reserved_credit_size{port="link0",vc="1"} 200`,
		`uelink_virtual_channel_threshold_mode{port="link0",state="none",vc="3"} 1`,
		`uelink_virtual_channel_phase{port="link0",state="lossless",vc="1"} 1`,
		`uelink_virtual_channel_phase{port="link0",state="best_effort",vc="3"} 1`,
		`uelink_virtual_channel_sender_credits_used{port="link0",vc="1"} 512`,
		`uelink_virtual_channel_sender_blocked_time_seconds_total{port="link0",vc="1"} 0.005`,
		`uelink_virtual_channel_credits_repaired_total{port="link0",vc="5"} 12`,
		`uelink_virtual_channel_at_rest{port="link0",vc="5"} 1`,
		`uelink_virtual_channel_credits_differ{port="link0",vc="5"} 1`,
		`uelink_port_queue_trim_packets_total{port="edge0",queue="3"} 4321`,
		`uelink_port_dropped_trim_packets_total{interface="veth1",port="edge0"} 21`,
		`# TYPE uelink_trimming_size_bytes gauge`,
		`uelink_trimming_size_bytes 256`,
		`uelink_trimming_rewrite_ip 1`,
		`# TYPE uelink_trimming_tx_trim_packets_total counter`,
		`uelink_trimming_tx_trim_packets_total 54000`,
		`uelink_trimming_dropped_trim_packets_total 321`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	for _, other := range []string{"uelink_build_info{", "go_goroutines ", "process_start_time_seconds "} {
		if !strings.Contains(body, "\n"+other) {
			t.Errorf("no %s", other)
		}
	}
}

// Every value that a port has is in a scrape, under a name of its own.
func TestNothingIsForgotten(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	names := map[string]string{}
	for _, state := range controltest.Ports() {
		p := api.NewPort(state)
		if p.LLR == nil {
			continue
		}
		for _, f := range api.Fields(p) {
			if forPeople(f.Key) {
				continue
			}
			name := metricName("port", f) + "{"
			switch f.Value.(type) {
			case string:
				if states(f.Key) == nil {
					name = f.Key + "=\""
				}
			}
			if f.Key == "name" {
				name = "port=\""
			}
			if !strings.Contains(body, name) {
				t.Errorf("%s of %q is not exported", f.Key, f.Section)
			}
			if other, taken := names[name]; taken && f.Section != other {
				t.Errorf("%s is %s of %q and of %q", name, f.Key, f.Section, other)
			}
			names[name] = f.Section
		}
	}
	if len(names) < 80 {
		t.Errorf("only %d names", len(names))
	}
}

// A counter of the data plane is a metric by itself.
func TestEveryCounterIsAMetric(t *testing.T) {
	b, keys := controltest.Counted()
	_, body := scrape(t, b)
	for n, key := range keys {
		end := strings.TrimPrefix(strings.TrimPrefix(key, "llr_"), "cbfc_") + "_total{"
		end = strings.Replace(end, "_octets_", "_bytes_", 1)
		value := "} " + strconv.FormatFloat(float64(n), 'g', -1, 64)
		if seconds, isTime := strings.CutSuffix(key, "_ns"); isTime {
			end, value = seconds+"_seconds_total{", "} "+strconv.FormatFloat(float64(n)/1e9, 'g', -1, 64)
		}
		line := func(l string) bool { return strings.Contains(l, end) && strings.HasSuffix(l, value) }
		if !slices.ContainsFunc(strings.Split(body, "\n"), line) {
			t.Errorf("no %s", key)
		}
	}
}

// Every value of a bridge and its ports is in a scrape.
func TestNothingOfBridgesIsForgotten(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	bridges := controltest.NewBridged().Bridges()
	b := api.NewBridge(bridges[1])
	for owner, object := range map[string]any{"bridge": b, "bridge_port": b.Ports[0]} {
		for _, f := range api.Fields(object) {
			name, label := metricName(owner, f), f.Key+"=\""
			is := strings.Contains(body, name+"{")
			if !is && !strings.Contains(body, label) && f.Key != "name" {
				t.Errorf("%s of %s is not exported", f.Key, owner)
			}
		}
	}
}

// Every value of a virtual channel is in a scrape.
func TestNothingOfVirtualChannelsIsForgotten(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	channels := 0
	for _, state := range controltest.Ports() {
		if p := api.NewPort(state); p.CBFC != nil {
			for _, v := range p.CBFC.VCs {
				channels++
				for _, f := range api.Fields(v) {
					name := metricName("virtual_channel", f)
					if f.Key != "vc" && !forPeople(f.Key) && !strings.Contains(body, "\n"+name+"{") {
						t.Errorf("%s is not exported", f.Key)
					}
				}
			}
		}
	}
	if channels == 0 {
		t.Error("there is no channel")
	}
}

// Every counter of LLDP and of DCBX is in a scrape, under a name of its own.
func TestNoLLDPCounterIsForgotten(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	names := map[string]bool{}
	for _, f := range api.Fields(api.NewLLDPStatistics(controltest.NewLLDP().Statistics()[1])) {
		switch f.Value.(type) {
		case uint64, map[string]uint64:
			if name := lldpCounterName(f); names[name] || !strings.Contains(body, name+"{") {
				t.Errorf("%s of %q as %s: there before: %t", f.Key, f.Section, name, names[name])
			} else {
				names[name] = true
			}
		}
	}
	if len(names) < 18 {
		t.Errorf("only %d names", len(names))
	}
	for _, f := range api.Fields(controltest.NewLLDP().DCBX()[0].Counters) {
		if !strings.Contains(body, "uelink_dcbx_"+f.Key+"_total{") {
			t.Errorf("%s of DCBX is not exported", f.Key)
		}
	}
}

// What a neighbour says is nowhere in a scrape.
func TestNeighboursMakeNoTimeSeries(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	if strings.Contains(body, "hostb") || strings.Contains(body, "switch") ||
		strings.Contains(body, "02:00:00:00:00:aa") {
		t.Error("a neighbour's name is a label")
	}
}

// Prometheus' own rules for names and help.
func TestLint(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// Units are base units, and they are in the name. No label is a text: addresses that are configured may have blanks.
func TestUnitsAndLabels(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	for line := range strings.Lines(body) {
		name := regexp.MustCompile(`^uelink_\w+`).FindString(line)
		if regexp.MustCompile(`_(ns|us|octets|timer|timeout|spacing|speed|mtu|limit_frames)(_total)?$`).MatchString(
			name) {
			t.Errorf("%s has no base unit", name)
		}
		for _, label := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(line, -1) {
			if strings.HasPrefix(line, "uelink_") && strings.Contains(label[2], " ") && label[1] != "address" {
				t.Errorf("%s: the label %s is a text: %q", name, label[1], label[2])
			}
		}
	}
}

// Every HELP says what the metric means.
func TestHelp(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	for line := range strings.Lines(body) {
		help, is := strings.CutPrefix(line, "# HELP uelink_")
		if name, text, _ := strings.Cut(help, " "); is && len(strings.Fields(text)) < 2 {
			t.Errorf("uelink_%s: %q", name, text)
		}
	}
}

// A problem and a notice are a 1 at their reasons.
func TestReasons(t *testing.T) {
	ports := controltest.Ports()
	ports[0].Fault, ports[0].FaultReasons = "the MTU is too small; the disk is full", []string{"mtu", "capture"}
	ports[0].Notice, ports[0].NoticeReason = "12:00:00 the sockets are reopened", model.NoticeReload
	_, body := scrape(t, controltest.New(ports, nil))
	for _, line := range []string{
		`uelink_port_fault{interface="eth2",port="link1",reason="mtu"} 1`,
		`uelink_port_fault{interface="eth2",port="link1",reason="capture"} 1`,
		`uelink_port_fault{interface="eth2",port="link1",reason="attach"} 0`,
		`uelink_port_fault{interface="eth1",port="link0",reason="mtu"} 0`,
		`uelink_port_notice{interface="eth2",port="link1",reason="reload"} 1`,
		`uelink_port_notice{interface="eth2",port="link1",reason="nic"} 0`,
		`uelink_port_notice{interface="eth1",port="link0",reason="reload"} 0`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

// The whole of a scrape but for the metrics of the Go runtime, the process and the build.
func TestScrape(t *testing.T) {
	_, body := scrape(t, controltest.NewBridged())
	var own strings.Builder
	for line := range strings.Lines(body) {
		if strings.Contains(line, "uelink_") && !strings.Contains(line, "uelink_build_info") {
			own.WriteString(line)
		}
	}
	golden(t, "testdata/scrape.txt", own.String())
}

// golden compares a text with a file, or writes the file with -rewrite.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != text {
		t.Errorf("%s is out of date (%v): go test ./control/metrics -rewrite, and look at the difference", file, err)
	}
}

func TestNoPorts(t *testing.T) {
	code, body := scrape(t, &controltest.Backend{})
	if code != http.StatusOK || strings.Contains(body, "uelink_port") || strings.Contains(body, "uelink_bridge") ||
		strings.Contains(body, "uelink_trimming") {
		t.Errorf("%d %s", code, body)
	}
}

func TestListen(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "set another metrics.listen") {
		t.Errorf("%v", err)
	}
}

// A link that speaks HIPPI-6400-PH has its state, events and counters, and those of each virtual channel.
func TestHIPPIMetrics(t *testing.T) {
	port := controltest.HIPPIPort()
	port.PartnerProblemReason = "protocol"
	_, body := scrape(t, controltest.New([]model.PortState{port}, nil))
	for _, line := range []string{
		`uelink_hippi_link_state{interface="eth3",port="link2",state="Normal"} 1`,
		`uelink_hippi_link_state{interface="eth3",port="link2",state="Shutdown"} 0`,
		`uelink_hippi_retry_count_total{interface="eth3",port="link2"} 7`,
		`uelink_hippi_tx_lost_at_reset_total{interface="eth3",port="link2"} 3`,
		`uelink_hippi_tx_micropacket_frames_total{interface="eth3",port="link2"} 45678`,
		`uelink_hippi_ack_timeout_seconds{interface="eth3",port="link2"} 0.001`,
		`uelink_hippi_partner_problem{interface="eth3",port="link2",reason="protocol"} 1`,
		`uelink_hippi_virtual_channel_credits{port="link2",vc="1"} 0`,
		`uelink_hippi_virtual_channel_credit_timeout_error_total{port="link2",vc="1"} 1`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
}
