package links

import (
	"testing"

	"uelink/lab/e2e/bed"
)

func TestMain(m *testing.M) {
	execRefused()
	bed.Main(m)
}
