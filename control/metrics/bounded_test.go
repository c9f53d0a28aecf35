package metrics

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// configured is the fields of a port's state whose texts an operator or this host has chosen.
var configured = []string{"Name", "Interface", "Host", "Worker", "XConnect", "Bridge", "MAC", "Profile", "QoS"}

// disturb gives each text and each address in v that is not configured a value that was never there.
func disturb(v reflect.Value, draw *rand.Rand) {
	text := fmt.Sprintf("text %x", draw.Uint64())
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			other := reflect.New(v.Type().Elem())
			other.Elem().Set(v.Elem())
			disturb(other.Elem(), draw)
			v.Set(other)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(configured, f.Name) {
				disturb(v.Field(i), draw)
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	case reflect.Array:
		for i := range v.Len() {
			if v.Index(i).Kind() == reflect.Uint8 {
				v.Index(i).SetUint(uint64(draw.UintN(256)))
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]string]() {
			v.Set(reflect.ValueOf([]string{text, dataplane.FaultReasons()[draw.IntN(len(dataplane.FaultReasons()))]}))
		}
	}
}

// A thousand faults with a text and addresses of their own make no series that a port without a fault does not have.
func TestFaultsMakeNoTimeSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: several hundred scrapes of one goroutine")
	}
	const seed = 35
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	series := func(body string) (all []string) {
		for line := range strings.Lines(body) {
			if name, _, found := strings.Cut(line, "} "); found && strings.HasPrefix(name, "uelink_") {
				all = append(all, name)
			}
		}
		return all
	}
	_, body := scrape(t, controltest.New(controltest.Ports(), nil))
	known := map[string]bool{}
	for _, s := range series(body) {
		known[s] = true
	}
	whole, texts := len(known), map[string]bool{}
	for range 334 { // of three ports each
		ports := controltest.Ports()
		for i := range ports {
			disturb(reflect.ValueOf(&ports[i]).Elem(), draw)
			ports[i].ErrorStatus = []model.ErrorStatus{model.ErrorLLRTxFlush}
			texts[ports[i].Fault+ports[i].Notice] = true
		}
		_, body := scrape(t, controltest.New(ports, nil))
		for _, s := range series(body) {
			if !known[s] && !strings.HasPrefix(s, `uelink_port_error_status{error="llr_tx_flush"`) {
				t.Fatalf("a fault makes the series %s", s)
			}
		}
	}
	if len(texts) < 1000 || whole < 100 {
		t.Errorf("%d series, and only %d different texts", whole, len(texts))
	}
	t.Logf("%d series before and after %d different texts", whole, len(texts))
}
