# Recto: run `make help`.

MODULE := github.com/rectohq/recto
MODULES := libs gateway services/document services/annotation services/conversion services/insight deploy/standalone tests
PROGRAMS := recto=deploy/standalone/cmd/recto gateway=gateway/cmd/gateway document=services/document/cmd/document \
	annotation=services/annotation/cmd/annotation conversion=services/conversion/cmd/conversion insight=services/insight/cmd/insight
export VERSION := $(shell VERSION='$(VERSION)' deploy/version)
LDFLAGS := -s -w -X github.com/rectohq/recto/libs/runner.Version=$(VERSION)
TOOLS := $(CURDIR)/.cache/tools
GOLANGCI_LINT := $(TOOLS)/golangci-lint-v2.15.0
# The race detector needs a C compiler; what has none is tested without it.
RACE := $(if $(shell command -v gcc),-race,)
FUZZ_TIME ?= 10m
# What builds and runs containers, "" if there is none.
ENGINE := $(shell docker version >/dev/null 2>&1 && echo docker)
# minutes are so many, times RECTO_TEST_TIMESCALE, as go test takes them.
minutes = $(shell awk -v n=$(1) -v scale='$(or $(RECTO_TEST_TIMESCALE),1)' 'BEGIN { printf "%ds", n * 60 * scale }')
say = @printf '\n\033[1m== %s\033[0m\n' "$(1)"

# A pipe fails when any part of it does.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build test run-tests test-modules run-module-tests test-under-load compiled-tests test-containers run-container-tests soak bench-containers bench-fields bench-sandbox bench-insights lint bench fmt tidy images test-images install-packages install-test-packages test-binary

help: ## show this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-22s %s\n", $$1, $$2}'

run: install-packages ## run all of Recto in one process; ARGS="…" hands on flags of recto up
	$(call say,Building recto)
	@CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/recto ./deploy/standalone/cmd/recto
	$(call say,Running recto up $(ARGS))
	@exec bin/recto up $(ARGS)

build: ## build every program into bin/
	@for p in $(PROGRAMS); do \
		printf '  bin/%s\n' "$${p%%=*}"; \
		CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o "bin/$${p%%=*}" "./$${p#*=}" || exit 1; \
	done

test: install-test-packages test-binary ## every test: units, stores, end to end against the standalone program, and, where a Docker engine answers, in containers
	@tests/suite/listed $(MAKE) --no-print-directory run-tests

# The modules and the containers are tested side by side, whatever fails on the way:
# the latter mostly wait.
run-tests:
ifeq ($(ENGINE),)
	@printf '\n\033[1;31m== No Docker engine answers: the stores of MongoDB and all that runs in containers are NOT TESTED\033[0m\n'
	@[ "$$CI" != true ]
	@$(MAKE) --no-print-directory run-module-tests
else
	@$(MAKE) --no-print-directory compiled-tests & \
	$(MAKE) --no-print-directory images test-images; built=$$?; \
	wait $$!; exit $$built
	@status=0; \
	($(MAKE) --no-print-directory run-container-tests 2>&1 | sed -u 's/^/  [containers] /') & \
	tests/with-mongodb $(MAKE) --no-print-directory run-module-tests || status=1; \
	wait $$! || status=1; \
	exit $$status
endif

test-modules: # the tests of every module, without containers
	@tests/suite/listed $(MAKE) --no-print-directory run-module-tests

# UNRACED are packages that make test tests without the race detector, and make soak
# with it: those whose tests run the test binary in processes of bounded memory and
# time, which the detector exceeds, and those that read hundreds of real documents in
# one goroutine, where it takes minutes and has nothing to find.
UNRACED := libs/formats/pdf services/insight/internal/source services/insight/internal/structure services/insight/internal/engine \
	libs/formats/fields/docxfields services/insight/internal/evaluation

# What tests wait for is mostly time to pass, not the processor: two packages run at
# a time. Those of the module tests start whole deployments, and run by themselves, each
# time: Go caches results by the files of the module, of which the program is none.
run-module-tests:
	@status=0; export RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test; \
	for m in $(MODULES); do \
		printf '\n\033[1m== Testing %s\033[0m\n' "$$m"; \
		flags="$(RACE)"; timeout=$(call minutes,15); together=2; [ "$$m" = tests ] && { flags=-count=1; timeout=$(call minutes,45); together=1; }; \
		apart=$$(printf '%s\n' $(UNRACED) | sed -n "s|^$$m/|./|p"); \
		others=$$(cd "$$m" && go list -e ./... | grep -vxF "$$(printf '$(MODULE)/%s\n' $(UNRACED))"); \
		tests/suite/go-test "$$m" $$flags -timeout $$timeout -p $$together $$others || status=1; \
		[ -z "$$apart" ] || tests/suite/go-test "$$m" -timeout $$timeout -p 1 $$apart || status=1; \
	done; \
	exit $$status

test-under-load: install-test-packages test-binary ## every test beside two busy processes, and 20 times beside eight those of packages that wait; PACKAGES="libs/job …" does only these, COUNT=20 times
	@deploy/install-packages load
	@tests/suite/listed tests/suite/under-load $(or $(COUNT),20) $(PACKAGES)

# It is done while images are built, which leaves the other processor to it.
compiled-tests: # what the tests of every module are compiled from
	@for m in $(MODULES); do \
		race="$(RACE)"; [ "$$m" = tests ] && race=; \
		(cd $$m && go list $$race -export -deps -test ./... >/dev/null) || exit 1; \
	done

test-containers: install-test-packages images test-images ## the end-to-end tests in containers, faults in series, and Docker Compose
	@tests/suite/listed $(MAKE) --no-print-directory run-container-tests

run-container-tests:
	@deploy/install-packages compose
	$(call say,Testing in containers)
	@RECTO_TEST_MODE=containers tests/suite/go-test tests -count=1 -timeout $(call minutes,60) -p 1 ./e2e ./faults ./compose

test-binary:
	$(call say,Building the program under test)
	@CGO_ENABLED=0 go build -ldflags '-X github.com/rectohq/recto/libs/runner.Version=$(VERSION)' -o bin/recto-test ./deploy/standalone/cmd/recto

soak: install-test-packages ## what takes long: the end-to-end tests under the race detector, 20 kills, and FUZZ_TIME=10m of each fuzz target
	$(call say,End-to-end tests under the race detector)
	@go build -race -ldflags '-X github.com/rectohq/recto/libs/runner.Version=$(VERSION)' -o bin/recto-race ./deploy/standalone/cmd/recto
	@cd tests && RECTO_KILLS=20 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-race go test -count=1 -timeout $(call minutes,60) -skip TestHugeBodies ./e2e
	$(call say,Packages that make test does not race)
	@cd libs && go test -race -count=1 -timeout $(call minutes,60) ./formats/pdf ./formats/fields/docxfields
	@cd services/insight && go test -race -count=1 -timeout $(call minutes,60) ./internal/source ./internal/structure ./internal/engine ./internal/evaluation
	@tests/fuzz $(FUZZ_TIME)

bench: install-test-packages test-binary ## print the figures of performance, as ratios to a baseline of the same run
	@cd tests && RECTO_BENCH=1 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -timeout $(call minutes,30) -v ./bench

bench-containers: install-test-packages images test-images ## print what each service takes of memory in a container
	@cd tests && RECTO_BENCH=1 RECTO_TEST_MODE=containers go test -count=1 -timeout $(call minutes,30) -v -run Memory ./bench

bench-sandbox: install-test-packages ## print what the sandbox costs a conversion and the reading of a PDF, as ratios
	@cd services/conversion && RECTO_BENCH=1 go test -count=1 -v -timeout $(call minutes,30) -run TestBenchSandbox ./internal/libreoffice
	@cd libs && RECTO_BENCH=1 go test -count=1 -v -timeout $(call minutes,30) -run TestBenchSandbox ./formats/pdf

bench-fields: ## print how many of the blanks that people marked in templates are found, and every other finding
	@cd libs && go test -count=1 -v -run GoldBlanks ./formats/fields/docxfields/internal/blank

bench-insights: ## print how good the insights are on contracts that people have read, as text and as PDF; RECTO_BENCH_OUT names a folder for JSON
	@cd services/insight && go test -count=1 -v -timeout $(call minutes,30) -run TestBench ./internal/evaluation

lint: $(GOLANGCI_LINT) ## look for mistakes, broken layers, unformatted code, and modules that are not tidy
	$(call say,gofmt)
	@out=$$(gofmt -l $(MODULES)); if [ -n "$$out" ]; then printf 'not formatted; run make fmt:\n%s\n' "$$out"; exit 1; fi
	$(call say,go vet)
	@go vet work
	$(call say,Modules by themselves)
	@for m in $(MODULES); do \
		printf '  %s\n' "$$m"; \
		(cd $$m && GOWORK=off go mod tidy -diff && GOWORK=off go build ./...) || { echo "run make tidy"; exit 1; }; \
	done
	$(call say,golangci-lint)
	@$(GOLANGCI_LINT) run $$(go list -m -f '{{.Dir}}/...')

$(GOLANGCI_LINT):
	$(call say,Building golangci-lint)
	@mkdir -p $(TOOLS)
	@GOWORK=off GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	@mv $(TOOLS)/golangci-lint $@

fmt: ## format the code
	@gofmt -w $(MODULES)

tidy: ## tidy every module
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy) || exit 1; done

images: build ## build the images of Recto, with the packages of this Debian; FRESH=1 takes those of today
	$(call say,Building the images of Recto $(VERSION))
	@deploy/images/build recto

test-images: ## build the images of the servers that tests need, unless they are there; FRESH=1 makes them anew
	@deploy/images/build test

install-packages: ## install the system packages that Recto runs with, where that is allowed
	@deploy/install-packages run

install-test-packages: ## install the system packages that the tests need as well
	@deploy/install-packages run test
