package pods

import (
	"testing"

	"uelink/lab/e2e/bed"
)

func TestMain(m *testing.M) {
	launchStepped()
	bed.Main(m)
}
