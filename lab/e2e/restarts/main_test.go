package restarts

import (
	"os"
	"slices"
	"testing"

	"uelink/lab/e2e/bed"
)

func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "--takeover") {
		between()
	}
	bed.Main(m)
}
