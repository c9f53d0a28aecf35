package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"uelink/netns"
)

var portKeys, topKeys string
var pid = os.Getpid()
var program = "bin/uelinkd"

func main() {
	sizes := flag.String("sizes", "64,256,1500,3400", "")
	only := flag.String("only", "", "")
	rounds := flag.Int("rounds", 5, "")
	over := flag.Duration("over", time.Second, "")
	flag.StringVar(&program, "uelinkd", program, "")
	flag.StringVar(&portKeys, "port", "", "")
	flag.StringVar(&topKeys, "top", "", "")
	flag.Parse()
	if err := run(*sizes, *only, *rounds, *over); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(sizeText, only string, rounds int, over time.Duration) error {
	if err := netns.CleanStale(); err != nil {
		return err
	}
	var sizes []int
	for _, s := range strings.Split(sizeText, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		sizes = append(sizes, n)
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var lanes []*lane
	defer func() {
		for _, l := range lanes {
			if err := l.close(); err != nil {
				fmt.Fprintln(os.Stderr, l.name, err)
			}
		}
	}()
	for i, w := range oneWays(strings.Split(program, ",")) {
		if only != "" && !regexp.MustCompile(only).MatchString(w.name) {
			continue
		}
		l := &lane{oneWay: w}
		lanes = append(lanes, l)
		if err := l.open(fmt.Sprintf("%s/%d", dir, i)); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		l.forwarder.freeze()
	}
	return race(lanes, sizes, rounds, over, func(octets int) {
		fmt.Printf("%d octets\n", octets)
		for _, l := range lanes {
			ratios := make([]float64, len(l.pps))
			for i := range l.pps {
				ratios[i] = l.pps[i] / lanes[0].pps[i]
			}
			slices.Sort(ratios)
			slices.Sort(l.pps)
			fmt.Printf("  %-24s %.3f Mpps  ratio %.3f (%.3f..%.3f)\n", l.name, l.pps[len(l.pps)/2]/1e6, ratios[len(ratios)/2], ratios[len(ratios)/4], ratios[len(ratios)*3/4])
		}
	})
}
