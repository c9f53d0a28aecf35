// Package tester tests the test plans of `uelink conformance --plan`: that they pass, and that they find faults.
package tester

import (
	"testing"

	"uelink/lab/e2e/bed"
)

func TestMain(m *testing.M) { bed.Main(m) }
