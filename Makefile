# uelink. `make demo` runs the main job, `make test` passes the tests; each does
# its own set-up, on a machine without Go too (deploy/go.sh). Both need root (sudo is used where you are not root).

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo 'sudo -E env "PATH=$$PATH"')
APT  := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# The go command; on a machine without Go, or with an old one, the Go that go.mod names.
GO := deploy/go.sh
# Programs that ship have no C in them. Tests and analyzers are built in the same way, so that everything is compiled
# once; the race detector alone wants C.
export CGO_ENABLED := 0
GOFMT = "$$($(GO) env GOROOT)/bin/gofmt"
# git, also in a clone that belongs to somebody else.
GIT := git -c 'safe.directory=*'
# Debian packages that the tests use: peers, captures, and what makes them; systemd
# for systemd-analyze, which need not run as a service manager; prometheus for promtool; man-db and mandoc for the
# manual pages.
PACKAGES = busybox-static ethtool iproute2 iputils-ping iperf3 lldpad lldpd man-db mandoc openvswitch-switch prometheus redis-server tshark \
	systemd $(SAI_PACKAGES)
# What libsai is built with.
SAI_PACKAGES := gcc libc6-dev libcurl4-openssl-dev libjansson-dev
# What `make bench` measures uelink beside, and with.
BENCH_PACKAGES := dpdk-dev librte-net-af-xdp23 openvswitch-switch iperf3 iproute2 iputils-ping
SOAK ?= 10m
CHAOS ?= 30m
CHAOSSEED ?= 1
FRAMES ?= 100000000
# Kind of LLR's replay in soak and chaos: go_back_n, auto or selective.
REPLAY ?= go_back_n
# What makes the folder that `make nics` has QEMU in.
NICS_PACKAGES := mmdebstrap
# What tests the package, and the files for Ansible: make test-all.
DEB_PACKAGES := ansible-core lintian minisign mmdebstrap rpmlint
# What make image makes the image with, and what tests it.
IMAGE_PACKAGES := buildah
IMAGE_TEST_PACKAGES := podman runc tini
# What tests the page in a browser: make test-all. 225 MB.
WEB_PACKAGES := chromium-headless-shell
# Flags of nics, e.g. NICS='--only igb'.
NICS ?=
# Flags of bench, e.g. BENCH='--only oneway --rounds 3'.
BENCH ?=
# Packages that start no goroutine, in their tests neither: the race detector has nothing to see there, and takes up to
# 30 times as long. go test ./docs holds the list to the tree.
ONE_GOROUTINE := cmd/uelink/doctor config config/edit config/schema control/status dataplane/acd dataplane/bridge dataplane/checksum dataplane/ethtool dataplane/fault dataplane/fault/analyzer dataplane/fault/netem dataplane/fault/rule dataplane/model \
	dataplane/negotiation dataplane/netdev dataplane/partner dataplane/pfc dataplane/qos dataplane/quirks dataplane/sched \
	dataplane/trim dataplane/trouble hippi internal/manualtest internal/nonnull internal/printable internal/snapshot internal/snapshot/snapshottest \
	internal/spelling internal/table lab/bench/report lab/comparison lab/decode \
	lab/explore lab/goodput lab/modulezip lab/sbom lab/simulated lab/vectors lldp lldp/dcbnl lldp/dcbx lldp/dcbx/dialect lldp/dcbx/ieee lldp/dot lldp/ue llr sonic wire wire/crc wire/layout \
	wire/micropacket wire/uet wire/wiretest
# Packages with long tests of one goroutine, which race leaves out by -short and unit runs.
SHORTENED := cbfc control/metrics control/web dataplane/path lab/conformance sai/store
# Prints the newest version of CHANGELOG.md, for the source of a release, which is no clone.
NEWEST := sed -n '/^\#\# /{s///;p;q}' CHANGELOG.md
VERSION := $(shell $(GIT) describe --tags --always --dirty 2>/dev/null || $(NEWEST))
# The module's path, as in go.mod.
MODULE_NOW := $(shell sed -n 's/^module //p' go.mod)

.PHONY: all build deps bench-deps deb-deps sai sai-library sai-deps web-deps web-pictures demo conformance packaged deb rpm libsai-packages image image-root image-archive image-deps image-test-deps manuals install test test-all long-beside long check unit race simulate beside e2e bench bench-quick nics nics-quick nics-deps chaos soak soak-simulation billion generate vectors comparison dashboard module release release-arch release-module clean help

# build: the daemon, the tool and the plugin for CNI, in bin.
all: build

build: bin/uelinkd bin/uelink bin/uelink-cni

bin/%: FORCE
	$(GO) build -ldflags "-X $(MODULE_NOW)/control/api.version=$(VERSION)" -o $@ ./cmd/$*

# sai: libsai.so in bin, for programs that speak SAI.
sai: sai-deps
	@$(MAKE) --no-print-directory sai-library

# sai-library: libsai.so without installing anything; SAI_OUT is its folder, SAI_CFLAGS are for sanitizers.
SAI_OUT ?= bin
sai-library:
	@mkdir -p "$(SAI_OUT)"
	gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror $(SAI_CFLAGS) -fPIC -shared -Wl,--version-script=sai/lib/libsai.map \
		-Wl,-soname,libsai.so -o "$(SAI_OUT)/libsai.so" sai/lib/*.c -lcurl -ljansson -lpthread

# sai-deps: installs what make sai needs.
sai-deps:
	@$(call install,$(SAI_PACKAGES))

FORCE:

include deploy/package.mk deploy/release.mk

# deps: installs what the tests need and this machine lacks.
# No service of these packages has to run, and those that Debian starts may be stopped.
deps:
	@$(call install,$(PACKAGES))

# bench-deps: installs what make bench needs.
# No service of these packages has to run, and those that Debian starts may be stopped.
bench-deps:
	@$(call install,$(BENCH_PACKAGES))

# deb-deps: installs what the tests of the package, and of the files for Ansible, need.
deb-deps:
	@$(call install,$(DEB_PACKAGES))

# web-deps: installs what the test of the page in a browser needs.
web-deps:
	@$(call install,$(WEB_PACKAGES))

# web-pictures: the pictures of the page in docs, taken by Chromium.
web-pictures: web-deps
	$(SUDO) $(GO) test -vet=off ./control/web -run '^TestInABrowser$$' -count=1 -timeout 10m -web.chromium -web.pictures '$(CURDIR)/docs'

# nics-deps: installs what make nics needs.
nics-deps:
	@$(call install,$(NICS_PACKAGES))

define install
missing=; for p in $(1); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
if [ -n "$$missing" ]; then \
	echo "installing$$missing"; \
	$(APT) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(APT) apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
fi
endef

# demo: two daemons, a bad wire, numbered frames both ways.
demo: build
	$(SUDO) bin/uelink demo $(DEMO)

# conformance: the cases of SONiC's scale-up test standard; the report is kept in docs.
conformance: build
	$(SUDO) bin/uelink conformance --report docs/conformance

# test: everything. UELINK_E2E=required makes a missing root or feature a failure.
test: deps build check race
	+@$(MAKE) --no-print-directory -j 2 beside e2e

# beside: unit and simulate, which only compute, with the CPU time that nobody else wants.
beside:
	+@chrt --idle 0 $(MAKE) --no-print-directory unit
	+@chrt --idle 0 $(MAKE) --no-print-directory simulate

# test-all: test, and tests that take longer.
# The module with another path, a release made twice, 20,000 bad wires, ten million frames of
# HIPPI-6400-PH over 10,000 of them, a partner of an older version, a thousand random reloads, a thousand restarts under
# live frames, ten million frames by both ways, demo and conformance cases by both ways, a full XDP dispatcher, crashes under systemd, a
# hundred thousand random calls of libsai from 64 threads, upgrades from and to other versions, fifty upgrades in a row under load, edges that push back while they are
# idle, while their daemon stands still for long, and under TCP over a bad wire, 200 MB each way in super-frames, the
# packages in a Debian root, those of two former versions and this one's in turn under frames, docs/TWO-MACHINES.md in empty
# roots of Debian 12 and 13, the commands of docs/INSTALL.md in
# Debian roots with a systemd, in a machine emulated by QEMU, by podman and by Ansible, two containers, the files for
# Kubernetes, the dashboard by a Prometheus that scrapes two daemons, the description of the API by a validator, the
# page in Chromium.
test-all: test deb-deps image-test-deps web-deps
	$(SUDO) $(GO) test -vet=off ./docs -run '^Test(ModuleIs(Renamed|Released)|ReleaseIsTheSameTwice)$$' -count=1 -timeout 60m -v \
		-release.whole
	+@$(MAKE) --no-print-directory -j 2 long-beside long

# long-beside: the simulations of test-all, with the CPU time that nobody else wants.
long-beside:
	+@chrt --idle 0 $(MAKE) --no-print-directory simulate SEEDS=20000 STATES=1000000
	chrt --idle 0 $(GO) test -vet=off ./hippi -run '^TestSimulation$$' -count=1 -timeout 90m -hippi.seeds 10000
	chrt --idle 0 $(GO) test -vet=off ./dataplane/path -run '^TestHIPPI(Simulation|ResetsLoseWhatIsCounted)$$' -count=1 \
		-timeout 90m -simulation.seeds 10000 -simulation.frames 500

# long: the other tests of test-all, which mostly wait.
long: build
	$(SUDO) $(GO) test -vet=off ./lab/e2e/links -run '^TestHIPPIChannelThatStandsStill$$' -count=1 -timeout 10m -hippi.stall 5s
	$(E2E) -p 1 -run '^($(LONG))$$' -skip '^($(PLANS))$$'
	$(SUDO) env UELINK_PROGRAMS='$(CURDIR)/bin' $(GO) test -vet=off ./lab/e2e/tester -run '^($(PLANS))$$' -count=1 -timeout 60m -v
	for sanitizer in address thread; do \
		$(SUDO) $(GO) test -vet=off ./lab/e2e/sai -run '^TestAbuseOfLibsai$$' -count=1 -timeout 60m -abuse.threads 64 \
			-abuse.calls 100000 -abuse.sanitizer $$sanitizer || exit 1; \
	done
	$(SUDO) $(GO) test -vet=off ./lab/e2e/pushback -run '^TestTCPLosesNothing$$' -count=1 -timeout 10m -v -tcp.seconds 10
	$(SUDO) $(GO) test -vet=off ./lab/e2e/edges -run '^TestHostsSeeNoCut$$' -count=1 -timeout 10m -v -super.octets 200000000
	$(SUDO) $(GO) test -vet=off ./lab/e2e/restarts -run '^TestRandomReloads' -count=1 -timeout 60m -reload.count 1000
	$(SUDO) $(GO) test -vet=off ./lab/e2e/restarts -run '^TestRestartsUnderLiveFramesLeakNothing$$' -count=1 -timeout 60m -v \
		-leak.restarts 1000
	$(SUDO) $(GO) test -vet=off ./lab/e2e/restarts -run '^TestPausesOfUpgrades$$' -count=1 -timeout 20m -v -pause.upgrades 50
	$(SUDO) $(GO) test -vet=off ./lab/e2e/restarts -run '^TestUpgradesLoseNothing$$' -count=1 -timeout 20m -v -upgrade.count 50
	$(SUDO) $(GO) test -vet=off ./lab/e2e/pods -count=1 -timeout 60m -v -pods.count 50 -pods.changes 1000 \
		-pods.attachments 1000 -pods.both
	$(SUDO) $(GO) test -vet=off ./dataplane/xsk -run '^TestBothWaysKeepOrder$$' -count=1 -timeout 60m -live.frames 5000000
	$(SUDO) $(GO) test -vet=off ./lab/e2e/links -run '^TestBothWaysUnderDaemons$$' -count=1 -timeout 60m -v -turns.all \
		-turns.frames 1000000
	$(SUDO) $(GO) test -vet=off ./lab/e2e/drivers -run '^TestFullDispatcher$$' -count=1 -timeout 10m -dispatcher.fill
	$(SUDO) $(GO) test -vet=off ./control/web -run '^TestInABrowser$$' -count=1 -timeout 10m -v -web.chromium
	$(GO) test -vet=off ./control -run '^TestOpenAPIIsValid$$' -count=1 -timeout 20m -v -openapi.validator
	$(SUDO) $(GO) test -vet=off ./lab/e2e/packages -count=1 -timeout 90m -v \
		-run '^Test(LifeOfThePackages|PackagesOfOtherVersions|TwoMachines.*|Installation.*|Ansible)$$' \
		-packages.debian -packages.emulated -packages.image -packages.ansible
	$(SUDO) $(GO) test -vet=off ./lab/e2e/packages -run '^Test(Containers|KubernetesFilesAreValid)$$' -count=1 \
		-timeout 20m -v -packages.image -packages.kubernetes
	$(SUDO) $(GO) test -vet=off ./lab/e2e/alerts -run '^TestNoPanelIsEmpty$$' -count=1 -timeout 10m -v -alerts.prometheus

# check: formatting, vet, analyzers, spelling; imports, citations, line lengths and documents against the tree.
# defualt and interfce are in tests of mistyped words, ECT is of IP.
check:
	@unformatted=$$($(GOFMT) -l $$($(GIT) ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt -w $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) tool exhaustive -d -typeignore '(Errno|FileMode|wire\.Time|reflect\.Kind|libyaml\.Kind)$$' ./...
	$(GO) tool unparam -tests=false ./...
	$(GO) tool misspell -error -i defualt,interfce,ect $$($(GIT) ls-files '*.go' '*.md' '*.c' '*.h' Makefile docs/data/clauses.yaml)
	$(GO) test -short ./docs

# unit: the packages of one goroutine, and the whole of those that race shortens.
# check has done what go vet does, and runs the tests in docs.
unit:
	$(SUDO) $(GO) test -vet=off -timeout 10m $(addprefix ./,$(ONE_GOROUTINE) $(SHORTENED))

# race: every other package but e2e, with the race detector.
race: build
	$(SUDO) env CGO_ENABLED=1 UELINK_PROGRAMS='$(CURDIR)/bin' $(GO) test -race -short -vet=off -timeout 10m \
		$(filter-out $(addprefix $(MODULE_NOW)/,$(ONE_GOROUTINE) docs),$(shell $(GO) list ./... | grep -v /lab/e2e))

# simulate: millions of frames over thousands of bad wires, in memory.
# SEEDS is the number of bad wires, each with 1,000 frames, for two ends, for two ends with restarts, forged control and
# frames that never cross, and for bridges of many ports; as many for LLR alone by each kind of replay, credits, PFC, the
# negotiation and the bridge's table; a quarter for two ends by selective replay. STATES is the number of states of
# credits and LLR that lab/explore visits. HIPPI-6400 gets a tenth of both.
SEEDS ?= 1000
STATES ?= 100000
simulate:
	$(GO) test -vet=off ./dataplane/path -run '^(TestSimulation|TestChaos|TestLAN)$$' -count=1 -timeout 90m -simulation.seeds $(SEEDS) -simulation.frames 1000
	$(GO) test -vet=off ./dataplane/path -run '^TestSelective(Simulation|Chaos)$$' -count=1 -timeout 90m -simulation.seeds $$(($(SEEDS)/4)) -simulation.frames 1000
	$(GO) test -vet=off ./dataplane/path -run '^TestHIPPI(Simulation|ResetsLoseWhatIsCounted)$$' -count=1 -timeout 30m -simulation.seeds $$(($(SEEDS)/10)) -simulation.frames 1000
	$(GO) test -vet=off ./dataplane/bridge -run '^TestSimulation$$' -count=1 -timeout 90m -simulation.seeds $(SEEDS)
	$(GO) test -vet=off ./llr -run '^TestSimulation(OfSelectiveReplay)?$$' -count=1 -timeout 30m -sim.seeds $(SEEDS)
	$(GO) test -vet=off ./dataplane/pfc -run '^TestSimulation' -count=1 -timeout 30m -rapid.checks $(SEEDS)
	$(GO) test -vet=off ./cbfc -run '^TestSimulation$$' -count=1 -timeout 30m -cbfc.seeds $(SEEDS)
	$(GO) test -vet=off ./lab/explore -count=1 -timeout 30m -explore.states $(STATES) -v
	$(GO) test -vet=off ./hippi -run '^(TestSimulation|TestExplore)$$' -count=1 -timeout 60m -hippi.seeds $$(($(SEEDS)/10)) -hippi.states $$(($(STATES)/10)) -v
	$(GO) test -vet=off ./dataplane/negotiation -run '^TestSimulation$$' -count=1 -timeout 30m -negotiation.seeds $(SEEDS)

# Tests that mostly wait and measure no rate: the first line of each is t.Parallel.
WAITING := $(shell grep -h -B1 '^	t.Parallel' lab/e2e/*/*_test.go | sed -n 's/^func //; s/(t .testing.T).*//p' | paste -sd '|')
# Tests that build a daemon of another version.
OLDER := TestOlderPartner|TestPartnerBeforeSelectiveReplay|TestUpgradeToSelectiveReplayLosesNothing|TestUpgradeFromCEEAlone|TestPartnerThatIsReplacedByAnother|TestOtherVersionsHandOver
# The whole test plans, and the daemons with one fault each that they find.
PLANS := TestWholePlans|TestPlansFindFaults
# Tests that only test-all runs.
PUSHING := TestIdleEdges|TestManyEdges|TestStoppedForLong|TestStoppedUnderLoad
LONG := $(OLDER)|$(PUSHING)|TestPausesOfUpgrades|TestTCPAcrossUpgrades|TestUpgradesUnderSystemd|TestCrashesUnderSystemd|TestRestartLosesNothingOfHostsThatObeyPFC|$(PLANS)
E2E = $(SUDO) env UELINK_PROGRAMS='$(CURDIR)/bin' $(GO) test -vet=off ./lab/e2e/... -count=1 -timeout 12m

# e2e: real daemons in network namespaces.
# First the tests with load, one at a time, and so one package at a time; then those that wait, six at a time.
e2e: build
	$(E2E) -p 1 -skip '^($(WAITING)|$(LONG))$$'
	$(E2E) -p 2 -parallel 3 -run '^($(WAITING))$$'

# bench: uelink beside testpmd, Open vSwitch and the kernel, and on bad wires.
# Tables, plots and figures are in lab/bench/results. It wants a quiet machine for 30 to 40 minutes.
bench: bench-deps build bin/bench
	$(SUDO) bin/bench --out lab/bench/results $(BENCH)

# bench-quick: the first table, in about a minute.
bench-quick: bench-deps build bin/bench
	$(SUDO) bin/bench --quick $(BENCH)

bin/bench: FORCE
	$(GO) build -o $@ ./lab/bench

# nics: real drivers on NICs that QEMU emulates, each under a list of faults.
# The tables are in docs/nics.md. Some 25 minutes, and once 350 MB of packages, kept below ~/.cache/uelink-nics.
nics: nics-deps build bin/nics
	$(SUDO) bin/nics --out docs $(NICS)

# nics-quick: one driver with zero copy, under a few of the faults: some 3 minutes from nothing, 1 after that.
nics-quick: nics-deps build bin/nics
	$(SUDO) bin/nics --only '^igb zero copy$$' --faults 'linkdownup,ethtool-G,promiscoff,programtakenoff'

bin/nics: FORCE
	$(GO) build -o $@ ./lab/e2e/nics

# chaos: real daemons under every fault for as long as asked, e.g. CHAOS=2h. Each frame comes once, or a kill took it.
# A line for each fault, and a table at the end; CHAOSSEED=N draws other faults, REPLAY=selective is the other replay.
chaos: deps build
	$(SUDO) $(GO) test -vet=off ./lab/e2e/chaos -count=1 -timeout 0 -v -run '^TestChaosLosesNothing$$' -chaos.for $(CHAOS) \
		-chaos.seed $(CHAOSSEED) -chaos.replay $(REPLAY)

# soak: real daemons and a bad wire, FRAMES frames, none lost, none twice, all in order; REPLAY=selective.
soak: deps build bin/bench
	$(SUDO) bin/bench --only soak --frames $(FRAMES) --replay $(REPLAY)

# soak-simulation: the simulation with new seeds for as long as asked, e.g. SOAK=8h.
soak-simulation:
	$(GO) test ./dataplane/path -run '^(Test(Selective)?(Simulation|Chaos)|TestLAN)$$' -count=1 -timeout 0 -simulation.for $(SOAK)

# billion: LLR's simulation until 10^9 frames have crossed bad wires. An hour or two.
# Half of the frames cross by each kind of replay, with saves and restores, restarts and forged control among them.
billion:
	GOGC=800 $(GO) test -vet=off ./llr -run '^TestSimulation(OfSelectiveReplay)?$$' -count=1 -timeout 0 -v -sim.renew 1000 \
		-sim.frames 500000000

# generate: the XDP programs anew, with clang 14.
generate:
	$(GO) generate ./...

# vectors: docs/vectors, and the tables of the dissector for Wireshark, from the tables of fields.
# It also writes docs/vectors/uelink.json, which is not in the tree.
vectors:
	$(GO) test ./lab/vectors -run '^(TestCommittedVectors|TestTablesOfTheDissector)' -count=1 -rewrite

# comparison: the tables and plots of docs/HIPPI.md: LLR and HIPPI-6400-PH over the same simulated wires. Some 10 minutes.
comparison:
	$(GO) test ./lab/comparison -run '^TestDocumentHasTheComparison$$' -count=1 -timeout 60m -rewrite

# dashboard: docs/dashboard.svg, the dashboard's curves of what a Prometheus scrapes of two daemons. Some 90 s.
dashboard: deps build
	$(SUDO) env UELINK_PROGRAMS='$(CURDIR)/bin' $(GO) test -vet=off ./lab/e2e/alerts -run '^TestNoPanelIsEmpty$$' -count=1 \
		-timeout 10m -v -alerts.prometheus -alerts.picture '$(CURDIR)/docs/dashboard.svg'

# clean: removes bin.
clean:
	rm -rf bin

# help: these targets.
help:
	@awk '/^# [a-z0-9-]+: / { sub(/^# /, ""); i = index($$0, ":"); printf "  %-16s%s\n", substr($$0, 1, i - 1), substr($$0, i + 1) }' $(MAKEFILE_LIST)
