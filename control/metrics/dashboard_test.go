package metrics_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// Every query of the dashboard is of metrics that the daemon has, for the hosts and ports chosen, and every panel says
// what it shows.
func TestDashboardIsOfMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../deploy/grafana/uelink.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title, Description string
			Targets            []struct{ Expr string }
		}
		Templating struct{ List []struct{ Name string } }
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var variables []string
	for _, v := range dashboard.Templating.List {
		variables = append(variables, v.Name)
	}
	if want := []string{"datasource", "job", "instance", "port"}; !slices.Equal(variables, want) {
		t.Errorf("variables %v, want %v", variables, want)
	}
	have := exported(t)
	for _, p := range dashboard.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q: %q, %d queries", p.Title, p.Description, len(p.Targets))
		}
		for _, query := range p.Targets {
			names := used(query.Expr)
			if len(names) == 0 ||
				strings.Count(query.Expr, `job=~"$job",instance=~"$instance",port=~"$port"`) != len(names) {
				t.Errorf("panel %q: %s", p.Title, query.Expr)
			}
			for _, name := range names {
				if !have[name] {
					t.Errorf("panel %q: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	if len(dashboard.Panels) < 10 {
		t.Errorf("%d panels", len(dashboard.Panels))
	}
}
