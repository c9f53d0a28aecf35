package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// form is the type that YAML gives a scalar.
type form uint8

// The forms of a scalar.
const (
	anyForm    form = iota // not known: a default from the table of keys, which is read as any form
	textForm               // text, or a value in quotes
	numberForm             // a number without quotes
	boolForm               // true or false without quotes
)

// Scalar is one value as written in the document.
type Scalar struct {
	Text string
	form form
}

// IsText reports whether YAML reads the scalar as text, not as a number or a boolean.
func (s Scalar) IsText() bool { return s.form == textForm }

// scalarOf returns the scalar of node n, or an error where n is a list, a mapping, null, or longer than maxScalar.
func scalarOf(n *yaml.Node) (Scalar, error) {
	if n.Kind != yaml.ScalarNode {
		return Scalar{}, fmt.Errorf("a single value is expected here, not %s", kindOf(n))
	}
	if len(n.Value) > maxScalar {
		return Scalar{}, fmt.Errorf("a value of %d octets: at most %d are allowed", len(n.Value), maxScalar)
	}
	switch n.Tag {
	case "!!null":
		return Scalar{}, errors.New("a value is missing")
	case "!!bool":
		return Scalar{n.Value, boolForm}, nil
	case "!!int", "!!float":
		return Scalar{n.Value, numberForm}, nil
	}
	return Scalar{n.Value, textForm}, nil
}

// Kind describes a sort of scalar value: its range in words, its JSON Schema, and its parser.
type Kind[V any] struct {
	Values string // the allowed values in words, for the reference of keys, such as "1 to 8"
	JSON   *JSON  // accepts every value that Parse accepts; may accept more
	Parse  func(Scalar) (V, error)
}

// NewKind returns a Kind of scalar values: values names the allowed values in words, json is their JSON Schema,
// parse their parser.
func NewKind[V any](values string, json *JSON, parse func(Scalar) (V, error)) Kind[V] {
	return Kind[V]{values, json, parse}
}

// Text returns the Kind that parses a text for which check returns nil; values names such texts in words. A number or a
// boolean without quotes is no text.
func Text(values string, check func(string) error) Kind[string] {
	return NewKind(values, StringJSON(""), func(s Scalar) (string, error) {
		switch s.form {
		case numberForm:
			return "", fmt.Errorf("%s is a number here: put it in quotes", s.Text)
		case boolForm:
			return "", fmt.Errorf("%s is a boolean here: put it in quotes", s.Text)
		case textForm, anyForm:
		}
		if err := check(s.Text); err != nil {
			return "", err
		}
		return s.Text, nil
	})
}

// Choice returns the Kind that parses a choice of values, each written as its String.
func Choice[V fmt.Stringer](values ...V) Kind[V] {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.String()
	}
	all := strings.Join(words, ", ")
	return NewKind(all, EnumJSON(words...), func(s Scalar) (v V, err error) {
		i := slices.Index(words, s.Text)
		if i < 0 {
			return v, fmt.Errorf("%q is not one of %s", s.Text, all)
		}
		return values[i], nil
	})
}

// Word is a word of a Choice.
type Word string

// String returns the word itself.
func (w Word) String() string { return string(w) }

// Either returns the Kind that parses one of two words: yes is true, no is false.
func Either(no, yes Word) Kind[bool] {
	return Mapped(Choice(no, yes), func(w Word) bool { return w == yes })
}

// Mapped returns a Kind that accepts the same texts as k, and converts each parsed value by turn.
func Mapped[V, W any](k Kind[V], turn func(V) W) Kind[W] {
	return NewKind(k.Values, k.JSON, func(s Scalar) (W, error) {
		v, err := k.Parse(s)
		if err != nil {
			var zero W
			return zero, err
		}
		return turn(v), nil
	})
}

// Boolean returns the Kind that parses true or false.
func Boolean() Kind[bool] {
	return NewKind("true, false", &JSON{Type: "boolean"}, func(s Scalar) (bool, error) {
		if s.form == textForm || s.form == numberForm {
			return false, fmt.Errorf("%q is not true or false", s.Text)
		}
		return strings.EqualFold(s.Text, "true"), nil
	})
}

// Whole returns the Kind that parses a whole number from lo to hi.
func Whole[V ~int | ~uint8 | ~uint16 | ~uint32](lo, hi V) Kind[V] {
	values := fmt.Sprintf("%d to %d", lo, hi)
	return NewKind(values, IntegerJSON(int64(lo), int64(hi)), func(s Scalar) (V, error) {
		n, err := Number(s)
		if err != nil {
			return 0, err
		}
		if n < int64(lo) || n > int64(hi) {
			return 0, fmt.Errorf("%s is out of range: %s", s.Text, values)
		}
		return V(n), nil
	})
}

// Number parses a whole number. A number beyond an int64 becomes the nearest int64.
func Number(s Scalar) (int64, error) {
	if s.form == textForm {
		if _, err := strconv.ParseInt(s.Text, 0, 64); err == nil {
			return 0, fmt.Errorf("%q is text, not a number: remove the quotes", s.Text)
		}
	}
	n, err := strconv.ParseInt(s.Text, 0, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is not a whole number", s.Text)
	}
	return n, nil
}

// PowerOfTwo returns the Kind that parses a power of two from lo to hi, which must be powers of two themselves.
func PowerOfTwo(lo, hi int) Kind[int] {
	values := fmt.Sprintf("power of two, %d to %d", lo, hi)
	json := &JSON{}
	for n := lo; n <= hi; n *= 2 {
		json.Enum = append(json.Enum, n)
	}
	return NewKind(values, json, func(s Scalar) (int, error) {
		n, err := Number(s)
		if err == nil && (n < int64(lo) || n > int64(hi) || n&(n-1) != 0) {
			err = fmt.Errorf("%s is not a %s", s.Text, values)
		}
		return int(n), err
	})
}

// OrAuto returns a Kind that accepts the word auto, read as the zero value, and the values of k.
func OrAuto[V any](k Kind[V]) Kind[V] {
	var zero V
	return OrWord("auto", zero, k)
}

// OrWord returns a Kind that accepts a word, read as v, and the values of k.
func OrWord[V any](word string, v V, k Kind[V]) Kind[V] {
	json := &JSON{AnyOf: []*JSON{EnumJSON(word), k.JSON}}
	return NewKind(word+", "+k.Values, json, func(s Scalar) (V, error) {
		if s.Text == word {
			return v, nil
		}
		n, err := k.Parse(s)
		if err != nil {
			err = fmt.Errorf("%w, and not %s", err, word)
		}
		return n, err
	})
}

// OneOf returns the Kind that parses a whole number that is among numbers.
func OneOf(numbers ...int) Kind[int] {
	values := strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ", ")
	json := &JSON{}
	for _, n := range numbers {
		json.Enum = append(json.Enum, n)
	}
	return NewKind(values, json, func(s Scalar) (int, error) {
		n, err := Number(s)
		if err == nil && !slices.Contains(numbers, int(n)) {
			err = fmt.Errorf("%s is not one of %s", s.Text, values)
		}
		return int(n), err
	})
}

// maxName is the largest number of characters of a name.
const maxName = 63

// Name returns the Kind that parses the name of a port, a profile, a map or the like.
func Name() Kind[string] {
	k := Text("name", func(s string) error {
		if s == "" {
			return errors.New("a name is missing")
		}
		if len(s) > maxName {
			return fmt.Errorf("%q is longer than %d characters", s, maxName)
		}
		if i := strings.IndexFunc(s, notInName); i >= 0 || s[0] == '-' || s[0] == '.' {
			return fmt.Errorf("%q is not a name: letters, digits, '-', '_' and '.', with a letter, digit or '_' first",
				s)
		}
		return nil
	})
	k.JSON = StringJSON(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)
	return k
}

func notInName(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && r != '-' && r != '_' && r != '.'
}
