# Everything a person or a machine does with this repository. Go and a JDK are enough; Maven fetches Kafka once.

GOLANGCI_VERSION := 2.15.0
ACTIONLINT_VERSION := 1.7.12
BIN := bin/chaeos
RACE ?= -race
SEED ?= 1

# Packages whose tests start real brokers: one after the other, or they would disturb each other's figures.
module := github.com/chaeos/chaeos
real = $(shell go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | grep -E '$(module)/clusters/(local|containers|contract)' | cut -d' ' -f1)
unit = $(filter-out $(real),$(shell go list ./...))

# The pinned linter where it is installed, else fetched and built (a few minutes, once).
installed := $(firstword $(wildcard $(shell command -v golangci-lint) $(shell go env GOPATH)/bin/golangci-lint))
pinned := $(if $(installed),$(shell $(installed) version | grep 'version $(GOLANGCI_VERSION) '))
golangci = $(if $(pinned),$(installed),go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(GOLANGCI_VERSION))

.PHONY: controls corpus run build engine images test test-unit test-real test-local lint bench matrix nightly providers screenshots

run: build ## the first thing to try: four pipelines while their leader is cut off from its followers
	$(BIN) run leader-partition --seed $(SEED)

build:
	CGO_ENABLED=0 go build -o $(BIN) ./cmd/chaeos

test: ## sets the machine up, then runs every test; exit code 75: passed, but not all of it can run here
	scripts/test

test-unit: ## everything that needs no JVM; workers are processes of their own, so only make nightly has the race detector in them
	go vet ./...
	go test $(RACE) -timeout 10m $(filter-out $(module)/workloads,$(unit))
	go test -timeout 15m -parallel 4 $(module)/workloads

engine: ## a container engine, started if none runs
	scripts/engine

images: engine ## a Kafka image from Debian's packages and Kafka's jars, where none can be pulled; built once
	scripts/images

test-real: build engine images ## everything that starts brokers, as processes and in containers
	go test -p 1 -timeout 35m $(real)

test-local: build ## the part of test-real that needs no container engine
	go test -p 1 -timeout 35m -skip Containers $(filter-out $(module)/clusters/containers,$(real))

lint:
	$(golangci) run
	go run github.com/rhysd/actionlint/cmd/actionlint@v$(ACTIONLINT_VERSION)

controls: ## the judge's tests with what each control planted and what was found; all of them, so that none can leave the list
	@go test -count=1 -v ./verifiers ./verifiers/readback ./cmd/offline | awk \
		'/control: /{sub(/^.*control: /, ""); print} /^--- (PASS|FAIL)|^ok|^FAIL|panic:/{print} /^ +--- FAIL/{print} /FAIL|panic:/{bad = 1} END{exit bad}'

corpus: build ## record the corpus of saved runs again (real brokers, about fifteen minutes), then read the golden reports' difference
	verifiers/testdata/corpus/record.sh $(BIN)
	go test ./verifiers -run Corpus -update

# A benchmark of any package: add its name to one of these lines, and its limit to cmd/benchtable/lines.go.
bench: engine images ## ratios within one run, under fifteen minutes, also in results/published/bench.md and docs/PIPELINES.md; not a test
	@{ go test -run '^$$' -bench Ready -benchtime 4x ./clusters/local; \
	go test -run '^$$' -bench 'ContainersReady|ContainersThroughput' -benchtime 4x ./clusters/containers; \
	go test -run '^$$' -bench Source -benchtime 9x ./cmd/bench; \
	go test -run '^$$' -bench ReadBack -benchtime 5x ./cmd/bench; \
	go test -run '^$$' -bench 'Verify|Page|Sampler' -benchtime 3x ./cmd/bench; \
	go test -run '^$$' -bench Toxics -benchtime 25x ./cmd/bench; \
	go test -run '^$$' -bench Pipelines -benchtime 1x ./cmd/bench; \
	go test -run '^$$' -bench Armed -benchtime 15x ./toxics/kafkatoxic; } | go run ./cmd/benchtable -o results/published/bench.md && \
	go test ./workloads -run Page -update # docs/PIPELINES.md shows these figures

screenshots: build ## pictures of a run's page for README and docs: RUN=runs/...
	scripts/screenshots $(BIN) $(RUN)

providers: build engine images ## the same runs on processes and on containers, in one table
	$(BIN) run leader-partition worker-kill --seed $(SEED) --cluster local --json >bin/local.json
	$(BIN) run leader-partition worker-kill --seed $(SEED) --cluster containers --json >bin/containers.json
	go run ./cmd/providers bin/local.json bin/containers.json

MATRIX ?= runs/matrix-$(shell date +%Y%m%dT%H%M%S)

matrix: build ## the table to quote: three seeds of the matrix, summed up in results/published/matrix.md; about eight minutes
	for seed in 1 2 3; do $(BIN) run matrix --seed $$seed --out $(MATRIX) || exit; done
	$(BIN) report --summary --markdown -o results/published/matrix.md $(MATRIX)

nightly: build ## every experiment, ten seeds of those with narrow windows, three of the matrix; exit code 3 or 4 says that something changed
	$(BIN) run --suite nightly --seed $(SEED)
	go test -race -timeout 40m $(module)/workloads
	go test -timeout 30m ./verifiers ./verifiers/saved -run 'Oracle|SlowWay' -rapid.seed=0 -rapid.checks=5000
	CHAEOS_MUTATIONS=20000 go test -count=1 -timeout 60m ./verifiers -run Mutations
	CHAEOS_E2E=all go test -count=1 -timeout 60m ./cmd/e2e
	$(BIN) run worker-kill --repeat 10
	for narrow in producer-restart autocommit-async commit-first side-effect; do $(BIN) run $$narrow --repeat 10 || exit; done
	$(BIN) run matrix --repeat 3
