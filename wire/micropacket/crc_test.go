package micropacket

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// equation is a row of a table of HIPPI-6400 annex A, as masks of the input bits whose exclusive or is the output:
// b63 to b00, b79 to b64, and the register's bits.
type equation struct {
	low            uint64
	high, register uint16
}

// equations reads a table of testdata/equations.txt. base is the number of the register's lowest bit; the result has
// the lowest output bit first.
func equations(t *testing.T, table string, base int) (rows [16]equation) {
	t.Helper()
	text, err := os.ReadFile("testdata/equations.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "table "+table+"\n")
	part, _, _ = strings.Cut(part, "\n\n")
	lines := strings.Split(strings.TrimSpace(part), "\n")
	if len(lines) != 16 {
		t.Fatalf("table %s has %d rows", table, len(lines))
	}
	for i, line := range lines {
		_, inputs, _ := strings.Cut(line, " = ")
		row := &rows[15-i]
		for _, input := range strings.Fields(inputs) {
			n, err := strconv.Atoi(input[1:])
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case input[0] != 'b':
				row.register |= 1 << (n - base)
			case n < 64:
				row.low |= 1 << n
			default:
				row.high |= 1 << (n - 64)
			}
		}
	}
	return rows
}

// apply returns the outputs of a table for the inputs b63..00, b79..64 and a register.
func apply(rows *[16]equation, low uint64, high, register uint16) (out uint16) {
	for i, row := range rows {
		ones := bits.OnesCount64(low&row.low) + bits.OnesCount16(high&row.high) + bits.OnesCount16(register&row.register)
		out |= uint16(ones&1) << i
	}
	return out
}

// bits64 returns eight data octets as the inputs b63..00 of the annex: the first octet's bit 0 is b00.
func bits64(octets []byte) (w uint64) {
	for i, o := range octets[:8] {
		w |= uint64(o) << (8 * i)
	}
	return w
}

// randomMicropacket returns a micropacket of random bits.
func randomMicropacket(rng *rand.Rand) (m Micropacket) {
	for i := range m.Data {
		m.Data[i] = byte(rng.Uint32())
	}
	m.Control = Control(rng.Uint64())
	return m
}

// TestParallelEquationsOfTheAnnex compares both CRCs with the equations of tables A.3 to A.6 for 10^5 random
// micropackets: the generators, the ECRC across micropackets, and the residues of the checker.
func TestParallelEquationsOfTheAnnex(t *testing.T) {
	a3, a4 := equations(t, "A.3", 48), equations(t, "A.4", 48)
	a5, a6 := equations(t, "A.5", 48), equations(t, "A.6", 32)
	const seed = 6400
	rng := rand.New(rand.NewPCG(seed, 0))
	ecrc := ECRCInit
	for n := range 100_000 {
		m := randomMicropacket(rng)
		r := uint16(crcInit)
		for i := range 3 {
			r = apply(&a4, bits64(m.Data[8*i:]), 0, r)
			r = apply(&a3, 0, uint16(m.Control>>(16*i)), r)
		}
		if r = apply(&a4, bits64(m.Data[24:]), 0, r); m.LCRC() != r {
			t.Fatalf("seed %d, micropacket %d: LCRC %04X, the equations %04X", seed, n, m.LCRC(), r)
		}
		next := ecrc
		for i := range 4 {
			next = apply(&a6, bits64(m.Data[8*i:]), 0, next)
		}
		if m.ECRC(ecrc) != next {
			t.Fatalf("seed %d, micropacket %d: ECRC %04X, the equations %04X", seed, n, m.ECRC(ecrc), next)
		}
		if ecrc = next; n%3 == 0 {
			ecrc = ECRCInit
		}
		m.Seal()
		if n%2 == 1 {
			m.Stomp()
		}
		want := [...]struct {
			residue uint16
			check   Check
		}{{0, Good}, {0x06A9, Stomped}}[n%2]
		if got := residue(&a5, &m); got != want.residue || m.CheckLCRC() != want.check {
			t.Fatalf("seed %d, micropacket %d: residue %04X, check %d, want %04X", seed, n, got, m.CheckLCRC(), want.residue)
		}
		m.Control ^= 1 << rng.IntN(64)
		if got := residue(&a5, &m); m.CheckLCRC() != Bad || got == 0 || got == 0x06A9 {
			t.Fatalf("seed %d, micropacket %d: check %d of a flipped bit, residue %04X", seed, n, m.CheckLCRC(), got)
		}
	}
}

// residue returns the checker's register behind a whole micropacket (A.3.2).
func residue(a5 *[16]equation, m *Micropacket) uint16 {
	r := uint16(crcInit)
	for i := range 4 {
		r = apply(a5, bits64(m.Data[8*i:]), uint16(m.Control>>(16*i)), r)
	}
	return r
}

// serial is the serial implementation of figures 12 and 13: bits in the order of transmission.
func serial(register, poly uint16, input ...bool) uint16 {
	for _, bit := range input {
		sum := register&1 != 0 != bit
		register >>= 1
		if sum {
			register ^= poly
		}
	}
	return register
}

// TestSerialImplementation compares both CRCs with figures 12 and 13.
func TestSerialImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		m := randomMicropacket(rng)
		var data, all []bool
		for i := range 4 {
			for n := range 64 {
				bit := bits64(m.Data[8*i:])>>n&1 != 0
				data, all = append(data, bit), append(all, bit)
			}
			for n := range 16 {
				if i < 3 {
					all = append(all, m.Control>>(16*i+n)&1 != 0)
				}
			}
		}
		if want := serial(crcInit, polyLCRC, all...); len(all) != 304 || m.LCRC() != want {
			t.Fatalf("LCRC %04X, want %04X over %d bits", m.LCRC(), want, len(all))
		}
		if want := serial(0x1234, polyECRC, data...); m.ECRC(0x1234) != want {
			t.Fatalf("ECRC %04X, want %04X", m.ECRC(0x1234), want)
		}
	}
}

// TestEveryFlipOfUpToTwoBitsIsFound flips each bit, and each pair of bits, of a micropacket.
func TestEveryFlipOfUpToTwoBitsIsFound(t *testing.T) {
	m := randomMicropacket(rand.New(rand.NewPCG(3, 4)))
	m.Seal()
	flip := func(bit int) {
		if bit < 8*DataLen {
			m.Data[bit/8] ^= 1 << (bit % 8)
		} else {
			m.Control ^= 1 << (bit - 8*DataLen)
		}
	}
	for a := range 8 * Len {
		flip(a)
		if m.CheckLCRC() == Good {
			t.Errorf("the flip of bit %d is not found", a)
		}
		for b := range a {
			flip(b)
			if m.CheckLCRC() == Good {
				t.Errorf("the flips of bits %d and %d are not found", a, b)
			}
			flip(b)
		}
		flip(a)
	}
}
