package guest

import (
	"strings"
	"testing"
)

func TestStatisticsWithoutZeros(t *testing.T) {
	lines := []string{"NIC statistics:", "     rx_packets: 12", "     tx_timeout_count: 0", "     rx_queue_1_drops: 3"}
	if got := strings.Join(nonzero(lines), "|"); got != "rx_packets 12|rx_queue_1_drops 3" {
		t.Errorf("%q", got)
	}
}
