package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// form is what YAML takes a scalar for.
type form uint8

const (
	anyForm form = iota // a default out of the table
	textForm
	numberForm
	boolForm
)

// scalar is one value as it was written.
type scalar struct {
	text string
	form form
}

// scalarOf is the scalar that n holds.
func scalarOf(n ast.Node) (scalar, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		return scalar{v.Value, textForm}, nil
	case *ast.LiteralNode:
		return scalar{v.Value.Value, textForm}, nil
	case *ast.BoolNode:
		return scalar{v.GetToken().Value, boolForm}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return scalar{v.GetToken().Value, numberForm}, nil
	case *ast.NullNode:
		return scalar{}, errors.New("a value is missing")
	}
	return scalar{}, fmt.Errorf("a single value is expected here, not %s", kindOf(n))
}

// kind is a sort of scalar value: its range in words and how it is read.
type kind[V any] struct {
	values string
	parse  func(scalar) (V, error)
}

// text is words of the user's that check accepts.
func text(values string, check func(string) error) kind[string] {
	return kind[string]{values, func(s scalar) (string, error) {
		switch s.form {
		case numberForm:
			return "", fmt.Errorf("%s is a number here: put it in quotes", s.text)
		case boolForm:
			return "", fmt.Errorf("%s is a boolean here: put it in quotes", s.text)
		}
		if err := check(s.text); err != nil {
			return "", err
		}
		return s.text, nil
	}}
}

// choice is one of a few values, by its word.
func choice[V fmt.Stringer](values ...V) kind[V] {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.String()
	}
	all := strings.Join(words, ", ")
	return kind[V]{all, func(s scalar) (v V, err error) {
		i := slices.Index(words, s.text)
		if i < 0 {
			return v, fmt.Errorf("%q is not one of %s", s.text, all)
		}
		return values[i], nil
	}}
}

// word is one of a few.
type word string

// String is the word.
func (w word) String() string { return string(w) }

// either is whether the second of two words is there, not the first.
func either(no, yes word) kind[bool] {
	return mapped(choice(no, yes), func(w word) bool { return w == yes })
}

// mapped is k with each value turned into a W.
func mapped[V, W any](k kind[V], turn func(V) W) kind[W] {
	return kind[W]{k.values, func(s scalar) (W, error) {
		v, err := k.parse(s)
		if err != nil {
			var none W
			return none, err
		}
		return turn(v), nil
	}}
}

// boolean is true or false.
func boolean() kind[bool] {
	return kind[bool]{"true, false", func(s scalar) (bool, error) {
		if s.form == textForm || s.form == numberForm {
			return false, fmt.Errorf("%q is not true or false", s.text)
		}
		return strings.EqualFold(s.text, "true"), nil
	}}
}

// whole is a whole number from lo to hi for which ok, when there is one, holds.
func whole[V ~int | ~uint8 | ~uint16 | ~uint32](lo, hi V) kind[V] {
	values := fmt.Sprintf("%d to %d", lo, hi)
	return kind[V]{values, func(s scalar) (V, error) {
		n, err := number(s)
		if err != nil {
			return 0, err
		}
		if n < int64(lo) || n > int64(hi) {
			return 0, fmt.Errorf("%s is out of range: %s", s.text, values)
		}
		return V(n), nil
	}}
}

// number reads a whole number; one too large for an int64 is as large as one can be.
func number(s scalar) (int64, error) {
	if s.form == textForm {
		if _, err := strconv.ParseInt(s.text, 0, 64); err == nil {
			return 0, fmt.Errorf("%q is text: write it without quotes", s.text)
		}
	}
	n, err := strconv.ParseInt(s.text, 0, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is not a whole number", s.text)
	}
	return n, nil
}

// powerOfTwo is a power of two from lo to hi, themselves powers of two.
func powerOfTwo(lo, hi int) kind[int] {
	values := fmt.Sprintf("power of two, %d to %d", lo, hi)
	return kind[int]{values, func(s scalar) (int, error) {
		n, err := number(s)
		if err == nil && (n < int64(lo) || n > int64(hi) || n&(n-1) != 0) {
			err = fmt.Errorf("%s is not a %s", s.text, values)
		}
		return int(n), err
	}}
}

// orAuto is k, or the word auto for 0.
func orAuto[V ~int | ~int64](k kind[V]) kind[V] {
	return kind[V]{"auto, " + k.values, func(s scalar) (V, error) {
		if s.text == "auto" {
			return 0, nil
		}
		n, err := k.parse(s)
		if err != nil {
			err = fmt.Errorf("%w, and not auto", err)
		}
		return n, err
	}}
}

// oneOf is one of a few numbers.
func oneOf(numbers ...int) kind[int] {
	values := strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ", ")
	return kind[int]{values, func(s scalar) (int, error) {
		n, err := number(s)
		if err == nil && !slices.Contains(numbers, int(n)) {
			err = fmt.Errorf("%s is not one of %s", s.text, values)
		}
		return int(n), err
	}}
}
