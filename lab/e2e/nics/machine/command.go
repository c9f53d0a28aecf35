package machine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// output runs a program and returns its standard output. An error contains its standard error.
func output(ctx context.Context, name string, args ...string) (string, error) {
	return outputIn(ctx, "", name, args...)
}

// outputIn runs a program like output, in a working directory.
func outputIn(ctx context.Context, dir, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
