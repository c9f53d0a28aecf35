package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// workflowFile is what a forge runs.
const workflowFile = "../.github/workflows/uelink.yml"

// workflow is a workflow in GitHub's syntax, as far as the tree uses the syntax.
type workflow struct {
	Name string `yaml:"name"`
	On   struct {
		Push struct {
			Branches []string `yaml:"branches"`
			Tags     []string `yaml:"tags"`
		} `yaml:"push"`
		PullRequest struct{} `yaml:"pull_request"`
	} `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		If      string   `yaml:"if"`
		Needs   []string `yaml:"needs"`
		RunsOn  string   `yaml:"runs-on"`
		Timeout int      `yaml:"timeout-minutes"`
		Steps   []struct {
			Uses string            `yaml:"uses"`
			With map[string]string `yaml:"with"`
			Run  string            `yaml:"run"`
			Env  map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// readWorkflow reads a workflow; a key that is not in the type, or twice there, is an error.
func readWorkflow(text []byte) (w workflow, err error) {
	return w, yaml.Load(text, &w, yaml.WithKnownFields(), yaml.WithUniqueKeys())
}

// Each step of the workflow is an action at a commit, with its version behind, or runs targets that make has.
func TestWorkflowRunsTargets(t *testing.T) {
	text, err := os.ReadFile(workflowFile)
	if err != nil {
		t.Fatal(err)
	}
	w, err := readWorkflow(text)
	if err != nil {
		t.Fatal(err)
	}
	targets := targetsOfMake(t)
	for name, job := range w.Jobs {
		if job.RunsOn == "" || job.Timeout == 0 || len(job.Steps) == 0 {
			t.Errorf("job %s has no runner, no end or no steps", name)
		}
		for _, needed := range job.Needs {
			if _, ok := w.Jobs[needed]; !ok {
				t.Errorf("job %s needs %s, which is no job", name, needed)
			}
		}
		for _, s := range job.Steps {
			if (s.Uses == "") == (s.Run == "") {
				t.Errorf("job %s: a step has both, or neither, of uses and run: %+v", name, s)
			}
			if s.Run != "" {
				for _, problem := range wrongTargets(s.Run, targets) {
					t.Errorf("job %s: %s: %s", name, s.Run, problem)
				}
			}
		}
	}
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for line := range strings.Lines(string(text)) {
		if _, action, ok := strings.Cut(line, "uses: "); ok && !pinned.MatchString(strings.TrimSpace(action)) {
			t.Errorf("%s: name the commit, and its version behind: owner/action@COMMIT # v1.2.3", strings.TrimSpace(action))
		}
	}
	for _, job := range []string{"build", "test", "release"} {
		if len(w.Jobs[job].Steps) == 0 {
			t.Errorf("there is no job %s", job)
		}
	}
}

// targetsOfMake returns the targets of the rules of the Makefile and of its parts.
func targetsOfMake(t *testing.T) (targets []string) {
	t.Helper()
	rule := regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	for _, name := range []string{"../Makefile", "../deploy/package.mk", "../deploy/release.mk"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rule.FindAllStringSubmatch(string(text), -1) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// wrongTargets returns what is wrong with a command that shall run make.
func wrongTargets(command string, targets []string) (problems []string) {
	_, args, found := strings.Cut(" "+command, " make ")
	if !found {
		return []string{"a step runs make, so that it can be run without a forge"}
	}
	for _, word := range strings.Fields(args) {
		if !strings.Contains(word, "=") && !slices.Contains(targets, word) {
			problems = append(problems, "make has no target "+word)
		}
	}
	return problems
}

// A workflow that is wrong is told.
func TestWrongWorkflow(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\njob: {}\n":                          "job",
		"name: a\nname: b\n":                          "name",
		"jobs: {a: {steps: [{runs: make test}]}}\n":   "runs",
		"jobs: {a: {steps: [{run: [make, test]}]}}\n": "string",
	} {
		if _, err := readWorkflow([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error that names %s", text, err, want)
		}
	}
	targets := []string{"test", "deb"}
	for command, want := range map[string]int{
		"make test": 0, "make deb ARCH=arm64": 0, "sudo make tset": 1, "make tset debs": 2, "go test ./...": 1,
	} {
		if got := wrongTargets(command, targets); len(got) != want {
			t.Errorf("%s: %q, want %d problems", command, got, want)
		}
	}
}
