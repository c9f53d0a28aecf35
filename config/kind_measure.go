package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// duration is a Go duration from lo to hi; a bare 0 is one.
func duration(lo, hi time.Duration) kind[time.Duration] {
	values := fmt.Sprintf("duration, %s to %s", short(lo), short(hi))
	return kind[time.Duration]{values, func(s scalar) (time.Duration, error) {
		d, err := time.ParseDuration(s.text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: write a number and a unit, such as 50us, 2ms or 1s", s.text)
		}
		if d < lo || d > hi {
			return 0, fmt.Errorf("%s is out of range: %s to %s", s.text, short(lo), short(hi))
		}
		return d, nil
	}}
}

// short is d without the zero parts that Duration.String shows.
func short(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	s := strings.Replace(d.String(), "µ", "u", 1)
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// unit is what may follow a number.
type unit struct {
	name   string
	factor float64
}

// units are those of a size, longest name first.
func units() []unit {
	return []unit{
		{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
		{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1},
	}
}

// size is a number of octets from lo to hi, with or without a unit.
func size(lo, hi int64) kind[int64] {
	values := fmt.Sprintf("octets, %d to %d, or with a unit: B, KB, MB, GB, KiB, MiB, GiB", lo, hi)
	return kind[int64]{values, func(s scalar) (int64, error) {
		n, ok := quantity(s.text, units())
		if !ok {
			return 0, fmt.Errorf("%q is not a size: write octets, or a number and a unit, such as 135000, 64KiB or 8MiB", s.text)
		}
		if n < float64(lo) || n > float64(hi) {
			return 0, fmt.Errorf("%s is out of range: %d to %d octets", s.text, lo, hi)
		}
		return int64(n), nil
	}}
}

// quantity reads a number, with or without one of the units, that comes out as a whole number.
func quantity(s string, units []unit) (n float64, ok bool) {
	factor := 1.0
	for _, u := range units {
		if rest, found := strings.CutSuffix(s, u.name); found {
			s, factor = strings.TrimSuffix(rest, " "), u.factor
			break
		}
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	n = f * factor
	return n, err == nil && n == math.Trunc(n)
}
