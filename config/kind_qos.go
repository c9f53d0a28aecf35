package config

import (
	"fmt"
	"math"
	"strings"

	"uelink/config/schema"
	"uelink/dataplane/qos"
)

// schedulerType is SONiC's type of a scheduler.
type schedulerType uint8

// The types of schedulers: by weight (deficit weighted round robin), or by strict priority.
const (
	dwrr schedulerType = iota
	strict
)

// String returns the scheduler type's name in the configuration: dwrr or strict.
func (t schedulerType) String() string { return [...]string{"dwrr", "strict"}[t] }

// priorities returns the schema.Kind that parses a PCP, a range of PCPs, or PCP/DEI, as numbers PCP << 1 | DEI.
func priorities() schema.Kind[schema.Span] {
	const values = "0 to 7, a range such as 0-3, or with DEI such as 5/1"
	return schema.NewKind(values, schema.ScalarJSON(`^[0-7]([-/][0-7])?$`), func(s schema.Scalar) (schema.Span, error) {
		text, dei, exact := strings.Cut(s.Text, "/")
		pcp, ok := schema.NumberRange(text, 7)
		p := schema.Span{First: pcp.First << 1, Last: pcp.Last<<1 | 1, Exact: exact}
		if exact {
			bit, bitOK := schema.NumberRange(dei, 1)
			ok = ok && bitOK && pcp.First == pcp.Last && bit.First == bit.Last
			p.First |= bit.First
			p.Last = p.First
		}
		if !ok {
			return schema.Span{}, fmt.Errorf("%q is not a PCP: write %s", s.Text, values)
		}
		return p, nil
	})
}

// uetKinds returns the schema.Kind that parses a UETKind by its word, as its number.
func uetKinds() schema.Kind[schema.Span] {
	kinds := make([]qos.UETKind, qos.UETKinds)
	for i := range kinds {
		kinds[i] = qos.UETKind(i)
	}
	return schema.Mapped(schema.Choice(kinds...), func(k qos.UETKind) schema.Span {
		return schema.Span{First: int(k), Last: int(k)}
	})
}

// autoBurst is the burst of a port whose rate decides it.
const autoBurst = -1

// burst returns the schema.Kind that parses the burst of a rate limit, a size in octets, or the word auto.
func burst() schema.Kind[int64] {
	return schema.OrWord("auto", autoBurst, schema.Size(0, math.MaxUint32))
}
