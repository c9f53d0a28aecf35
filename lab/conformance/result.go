package conformance

import (
	"strconv"
	"time"
)

// Names of the two kinds of ends.
const (
	endsMemory = "memory"
	endsVeth   = "veth"
)

// Result is one measured quantity of a case, with the fields that SONiC's test standard prescribes for a record.
type Result struct {
	Timestamp time.Time `json:"timestamp"`
	Scenario  string    `json:"scenario_id"`
	FrameSize int       `json:"frame_size"` // octets with FCS; 0: not about a size
	SourceIP  string    `json:"source_ip"`
	DestIP    string    `json:"dest_ip"`
	TestCase  string    `json:"test_case"` // the measured quantity
	Config    string    `json:"config_params"`
	Expected  string    `json:"expected_value"`
	Measured  string    `json:"measured_value"`
	PassFail  string    `json:"pass_fail"` // "Pass" or "Fail"
	Notes     string    `json:"notes"`     // the kind of ends, then remarks
}

// The verdicts.
const (
	pass = "Pass"
	fail = "Fail"
)

// Passed reports whether the measured value was as expected.
func (r *Result) Passed() bool { return r.PassFail == pass }

// columns returns the column titles of the standard's record.
func columns() []string {
	return []string{
		"Timestamp", "Scenario_ID", "Frame_Size", "Source_IP", "Dest_IP", "Test_Case", "Config_Params",
		"Expected_Value", "Measured_Value", "Pass/Fail", "Notes",
	}
}

// row returns the result as the cells of a record, in the order of columns.
func (r *Result) row() []string {
	return []string{
		r.Timestamp.UTC().Format(time.RFC3339), r.Scenario, r.size(), r.SourceIP, r.DestIP, r.TestCase, r.Config,
		r.Expected, r.Measured, r.PassFail, r.Notes,
	}
}

// size returns the frame size as text; "" for a result that is not about a size.
func (r *Result) size() string {
	if r.FrameSize == 0 {
		return ""
	}
	return strconv.Itoa(r.FrameSize)
}

// Report is the results of a run.
type Report struct {
	Results []Result `json:"results"`
}

// Passed reports whether there are results and all of them passed.
func (r *Report) Passed() bool {
	for i := range r.Results {
		if !r.Results[i].Passed() {
			return false
		}
	}
	return len(r.Results) > 0
}

// verdict is the outcome of a case over one kind of ends.
type verdict struct {
	scenario, ends string
	passed, rows   int // number of results that passed, and of all
}

// verdicts returns one verdict (how many results there are and passed) for each case and kind of ends, in the
// order of the report.
func (r *Report) verdicts() (list []verdict) {
	for i := range r.Results {
		result := &r.Results[i]
		if n := len(list); n == 0 || list[n-1].scenario != result.Scenario || list[n-1].ends != result.ends() {
			list = append(list, verdict{scenario: result.Scenario, ends: result.ends()})
		}
		v := &list[len(list)-1]
		if v.rows++; result.Passed() {
			v.passed++
		}
	}
	return list
}

// cases returns how many cases the report has results of, and how many of them passed over every kind of ends.
func (r *Report) cases() (passed, all int) {
	failed := map[string]bool{}
	for i := range r.Results {
		result := &r.Results[i]
		failed[result.Scenario] = failed[result.Scenario] || !result.Passed()
	}
	for _, f := range failed {
		if !f {
			passed++
		}
	}
	return passed, len(failed)
}

// String returns "PASS" or "FAIL", and how many of how many results passed, such as "PASS 12 of 12".
func (v verdict) String() string {
	word := "PASS"
	if v.passed < v.rows {
		word = "FAIL"
	}
	return word + " " + strconv.Itoa(v.passed) + " of " + strconv.Itoa(v.rows)
}
