package bridges

import (
	"testing"

	"uelink/e2e/bed"
)

func TestMain(m *testing.M) { bed.Main(m) }
