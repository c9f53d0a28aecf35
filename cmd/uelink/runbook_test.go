package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// Each command of uelink that the runbook of an alert names can be typed.
func TestRunbooksCanBeTyped(t *testing.T) {
	text, err := os.ReadFile("../../deploy/prometheus/uelink.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			runbook := regexp.MustCompile(`{{ \$labels\.\w+ }}`).ReplaceAllString(r.Annotations["runbook"], "link0")
			for part := range strings.SplitSeq(runbook, ";") {
				at := strings.Index(part, "uelink ")
				if at < 0 {
					continue
				}
				commands++
				args := strings.Fields(part[at:])[1:]
				cmd, rest, err := newRoot().Find(args)
				if err != nil || !cmd.Runnable() || cmd.Annotations[groupMark] != "" {
					t.Errorf("%s: %s: no such command (%v)", r.Alert, part, err)
					continue
				}
				if err := cmd.ParseFlags(rest); err != nil {
					t.Errorf("%s: %s: %v", r.Alert, part, err)
				} else if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
					t.Errorf("%s: %s: %v", r.Alert, part, err)
				}
			}
		}
	}
	if commands < 15 {
		t.Errorf("%d commands in the runbooks", commands)
	}
}
