// Package main is modulezip, which makes a Go module's zip of a tar: files alone, without folders and links, so that
// its checksum in go.sum is the one that the go command computes of the repository. `make release` runs modulezip.
package main

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
)

// main makes a zip, on standard output, of the tar on standard input.
func main() {
	if err := convert(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "modulezip:", err)
		os.Exit(1)
	}
}

// convert writes the regular files of a tar into a zip, in their order and without their times. A tar without any entry
// is an error.
func convert(from io.Reader, to io.Writer) error {
	in, out := tar.NewReader(from), zip.NewWriter(to)
	for n := 0; ; n++ {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return errors.New("standard input has no files: git archive has failed")
		case errors.Is(err, io.EOF):
			return out.Close()
		case err != nil:
			return fmt.Errorf("read the tar: %w", err)
		case h.Typeflag != tar.TypeReg:
			continue
		}
		file, err := out.CreateHeader(&zip.FileHeader{Name: h.Name, Method: zip.Deflate})
		if err == nil {
			_, err = io.Copy(file, in)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}
