package snapshot

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
)

// Integer is any type of whole numbers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Number saves the whole number *v under a name, unless it is 0, or restores it. A restored number that does not fit
// into type T makes the snapshot invalid. A missing number is restored as 0.
func Number[T Integer](s *State, name string, v *T) {
	if !s.restoring {
		if *v != 0 {
			s.begin(name)
			s.text = append(appendNumber(s.text, *v), '\n')
		}
		return
	}
	*v = 0
	if value, ok := s.take(name); ok {
		if *v, ok = parseNumber[T](value); !ok {
			s.fail(ErrInvalid, name, string(value))
		}
	}
}

// appendNumber appends number v to b in decimal digits.
func appendNumber[T Integer](b []byte, v T) []byte {
	if v < 0 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, uint64(v), 10)
}

// parseNumber reads decimal digits; ok is false if they are no number of type T.
func parseNumber[T Integer](b []byte) (v T, ok bool) {
	if len(b) > 0 && b[0] == '-' {
		n, err := strconv.ParseInt(string(b), 10, 64)
		v = T(n)
		return v, err == nil && v < 0 && int64(v) == n
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	v = T(n)
	return v, err == nil && v >= 0 && uint64(v) == n
}

// Numbers saves the numbers of array v under a name, in one line without the zeros at the end, or restores them. More
// numbers in the snapshot than v has room for make the snapshot invalid.
func Numbers[T Integer](s *State, name string, v []T) {
	if !s.restoring {
		putNumbers(s, name, v)
		return
	}
	clear(v)
	value, ok := s.take(name)
	for i := 0; ok && len(value) > 0; i++ {
		var word []byte
		word, value, _ = bytes.Cut(value, []byte(" "))
		if i == len(v) {
			s.fail(ErrInvalid, name, "more than "+strconv.Itoa(len(v))+" numbers")
			return
		}
		if v[i], ok = parseNumber[T](word); !ok {
			s.fail(ErrInvalid, name, string(word))
		}
	}
}

// putNumbers writes the numbers v to the snapshot in one line, up to the last number that is not zero; nothing if all
// are zero.
func putNumbers[T Integer](s *State, name string, v []T) {
	for len(v) > 0 && v[len(v)-1] == 0 {
		v = v[:len(v)-1]
	}
	if len(v) == 0 {
		return
	}
	s.begin(name)
	for i := range v {
		if i > 0 {
			s.text = append(s.text, ' ')
		}
		s.text = appendNumber(s.text, v[i])
	}
	s.text = append(s.text, '\n')
}

// List saves the items of slice *v under a name, or restores them; fields saves or restores the fields of one item.
// More than limit items in the snapshot make it invalid.
func List[T any](s *State, name string, v *[]T, limit int, fields func(*State, *T)) {
	s.Group(name, func(s *State) {
		n := len(*v)
		Number(s, "items", &n)
		if s.restoring {
			s.Check(n >= 0 && n <= limit, "%d items, the limit is %d", n, limit)
			*v = nil
			if n > 0 && s.Valid() {
				*v = make([]T, n)
			}
		}
		for i := range *v {
			s.Group(strconv.Itoa(i), func(s *State) { fields(s, &(*v)[i]) })
		}
	})
}

// Bool saves the boolean *v under a name, or restores it. A missing boolean is restored as false.
func (s *State) Bool(name string, v *bool) {
	if !s.restoring {
		if *v {
			s.put(name, "true")
		}
		return
	}
	value, ok := s.take(name)
	*v = ok
	if ok && string(value) != "true" {
		s.fail(ErrInvalid, name, string(value))
	}
}

// Float saves the finite floating-point number *v under a name, or restores it. A missing number is restored as 0.
func (s *State) Float(name string, v *float64) {
	if !s.restoring {
		if *v != 0 {
			s.put(name, strconv.FormatFloat(*v, 'g', -1, 64))
		}
		return
	}
	*v = 0
	if value, ok := s.take(name); ok {
		n, err := strconv.ParseFloat(string(value), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			s.fail(ErrInvalid, name, string(value))
			return
		}
		*v = n
	}
}

// Text saves the string *v under a name, or restores it. A missing string is restored as "".
func Text[T ~string](s *State, name string, v *T) {
	if !s.restoring {
		if *v != "" {
			s.put(name, strconv.Quote(string(*v)))
		}
		return
	}
	*v = ""
	if value, ok := s.take(name); ok {
		text, err := strconv.Unquote(string(value))
		if err != nil {
			s.fail(ErrInvalid, name, string(value))
		}
		*v = T(text)
	}
}

// Bytes saves the octets *v under a name in hexadecimal, or restores them. More than limit octets in the snapshot
// make it invalid; missing or empty octets are restored as nil.
func (s *State) Bytes(name string, v *[]byte, limit int) {
	if !s.restoring {
		if len(*v) > 0 {
			s.put(name, hex.EncodeToString(*v))
		}
		return
	}
	*v = nil
	if value, ok := s.take(name); ok {
		octets, err := hex.DecodeString(string(value))
		if err != nil || len(octets) > limit {
			s.fail(ErrInvalid, name, "the value is no hexadecimal number, or longer than "+strconv.Itoa(limit)+" octets")
			return
		}
		*v = octets
	}
}
