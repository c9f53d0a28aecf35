package micropacket

import (
	"math/rand/v2"
	"testing"
)

// TestTablesAndMultiplicationAgree compares both implementations of both CRCs for random micropackets and registers.
func TestTablesAndMultiplicationAgree(t *testing.T) {
	if !multiplies {
		t.Skip("skipped, missing CPU feature PCLMULQDQ: carry-less multiplication")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		m, register := randomMicropacket(rng), uint16(rng.Uint32())
		if byTable, byProduct := lcrcByTable(&m), multiplyLCRC(&m); byTable != byProduct {
			t.Fatalf("LCRC %04X by table, %04X by multiplication: %+v", byTable, byProduct, m)
		}
		if byTable, byProduct := ecrcByTable(&m, register), multiplyECRC(&m, register); byTable != byProduct {
			t.Fatalf("ECRC from %04X: %04X by table, %04X by multiplication: %+v", register, byTable, byProduct, m)
		}
	}
}

// TestTables runs the tests of both CRCs as on a CPU without carry-less multiplication.
func TestTables(t *testing.T) {
	defer func(m bool) { multiplies = m }(multiplies)
	multiplies = false
	TestSerialImplementation(t)
	TestParallelEquationsOfTheAnnex(t)
}
