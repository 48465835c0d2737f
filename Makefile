# Recto: run `make help`.

MODULE := github.com/rectohq/recto
# Not the modules in tests/cluster: tests/cluster/build builds and tests them.
MODULES := libs gateway services/document services/annotation services/conversion services/insight deploy/standalone tests
PROGRAMS := recto=deploy/standalone/cmd/recto gateway=gateway/cmd/gateway document=services/document/cmd/document \
	annotation=services/annotation/cmd/annotation conversion=services/conversion/cmd/conversion insight=services/insight/cmd/insight
# A link to the folder of the go that every recipe and script uses; make toolchain sets it.
GO_BIN := $(CURDIR)/.cache/go
export PATH := $(GO_BIN):$(PATH)
export VERSION := $(shell VERSION='$(VERSION)' deploy/version)
# Everything is compiled with the same settings, so that programs, tests and linters share
# the packages that are compiled. Only the race detector needs cgo.
export CGO_ENABLED := 0
export GOFLAGS := $(strip -trimpath $(filter-out -trimpath,$(GOFLAGS)))
LDFLAGS := -s -w -X github.com/rectohq/recto/libs/runner.Version=$(VERSION)
TOOLS := $(CURDIR)/.cache/tools
PROMTOOL := $(CURDIR)/.cache/promtool
GOLANGCI_LINT := $(TOOLS)/golangci-lint-v2.15.0
# The race detector needs a C compiler; without one, the tests run without it.
RACE := $(if $(shell command -v gcc),-race,)
CGO := $(if $(RACE),1,0)
FUZZ_TIME ?= 10m
# The program that builds and runs containers, or "" if there is none.
ENGINE := $(shell docker version >/dev/null 2>&1 && echo docker)
# minutes prints a duration for go test: so many minutes, times RECTO_TEST_TIMESCALE.
minutes = $(shell awk -v n=$(1) -v scale='$(or $(RECTO_TEST_TIMESCALE),1)' 'BEGIN { printf "%ds", n * 60 * scale }')
space := $(subst ,, )
say = @printf '\n\033[1m== %s\033[0m\n' "$(1)"

# A pipe fails if any part of it fails.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
# Targets that install packages cannot run in parallel.
.NOTPARALLEL:
.PHONY: help run build test run-tests run-engine-tests test-modules run-module-tests run-suite-tests run-both test-under-load compiled-tests test-containers run-container-tests test-cluster run-cluster-tests soak soak-cluster bench-containers bench-cluster bench-fields bench-forms bench-convert bench-console bench-office bench-sandbox bench-insights train bench-llm picture lint bench fmt tidy images test-images dev install-packages install-test-packages test-binary toolchain

help: ## show this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-22s %s\n", $$1, $$2}'

run: install-packages ## run all of Recto in one process; ARGS="…" passes flags to recto up
	$(call say,Building recto)
	@go build -ldflags '$(LDFLAGS)' -o bin/recto ./deploy/standalone/cmd/recto
	@services/conversion/zygote/build bin
	$(call say,Running recto up $(ARGS))
	@exec bin/recto up $(ARGS)

build: ## build every program into bin/
	@for p in $(PROGRAMS); do \
		printf '  bin/%s\n' "$${p%%=*}"; \
		go build -ldflags '$(LDFLAGS)' -o "bin/$${p%%=*}" "./$${p#*=}" || exit 1; \
	done
	@services/conversion/zygote/build bin

test: install-test-packages test-binary ## run every test: units, stores, end to end against the standalone program and, if a Docker engine answers, in containers and on Kubernetes
	@tests/suite/listed $(MAKE) --no-print-directory run-tests

# The modules and what runs in containers are tested in parallel, even if one of them
# fails: the container tests mostly wait. Whichever ends first begins with the packages of
# the module tests, and the other one takes those that are left.
run-tests:
ifeq ($(ENGINE),)
	@printf '\n\033[1;31m== No Docker engine answers: the MongoDB stores and everything in containers are NOT TESTED\033[0m\n'
	@[ "$$CI" != true ]
	@$(MAKE) --no-print-directory run-module-tests
else
	@$(MAKE) --no-print-directory compiled-tests & \
	$(MAKE) --no-print-directory images test-images; built=$$?; \
	wait $$!; exit $$built
	@tests/with-mongodb $(MAKE) --no-print-directory run-both
endif

run-both:
	@status=0; export RECTO_TEST_BEGUN=$$(mktemp -d); trap 'rm -r "$$RECTO_TEST_BEGUN"' EXIT; \
	(ok=0; $(MAKE) --no-print-directory run-engine-tests || ok=1; $(MAKE) --no-print-directory run-suite-tests || ok=1; exit $$ok) 2>&1 | sed -u 's/^/  [containers] /' & \
	$(MAKE) --no-print-directory run-module-tests || status=1; \
	wait $$! || status=1; \
	exit $$status

# Kubernetes compiles while the containers are tested; run-cluster-tests waits for it.
run-engine-tests:
	@tests/cluster/build core & \
	status=0; \
	$(MAKE) --no-print-directory run-container-tests SKIP='^($(subst $(space),|,$(ENGINES)))$$$$' || status=1; \
	if [ "$$(id -u)" = 0 ]; then \
		$(MAKE) --no-print-directory run-cluster-tests || status=1; \
	else \
		printf '\n\033[1;31m== Only root can start a cluster: the manifests are NOT TESTED on Kubernetes\033[0m\n'; \
		[ "$$CI" != true ] || status=1; \
	fi; \
	wait; exit $$status

test-modules: # run the tests of every module, without containers
	@tests/suite/listed $(MAKE) --no-print-directory run-module-tests

# UNRACED lists folders that make test tests without the race detector, and make soak with
# it: code that reads and writes documents in one goroutine, where the detector multiplies
# the time by five and has nothing to find.
UNRACED := libs/formats $(addprefix services/insight/internal/,align engine evaluation ground htmltext learn llm/excerpt llm/quotes llm/verify matching merge pattern rules similar source space structure)
# unraced prints the packages of the module in the shell's variable m that are tested without
# the race detector. raced prints the others.
unraced = cd "$$m" && go list -e ./... | grep -E '^$(MODULE)/($(subst $(space),|,$(UNRACED)))(/|$$)'
raced = cd "$$m" && go list -e ./... | grep -vE '^$(MODULE)/($(subst $(space),|,$(UNRACED)))(/|$$)'

# Tests spend most of their time waiting, not computing, so two packages run in parallel.
run-module-tests:
	@status=0; \
	for m in $(filter-out tests,$(MODULES)); do \
		printf '\n\033[1m== Testing %s\033[0m\n' "$$m"; \
		CGO_ENABLED=$(CGO) tests/suite/go-test "$$m" $(RACE) -timeout $(call minutes,25) -p 2 $$($(raced)) || status=1; \
		alone=$$($(unraced)) && { tests/suite/go-test "$$m" -timeout $(call minutes,25) -p 2 $$alone || status=1; }; \
	done; \
	$(MAKE) --no-print-directory run-suite-tests || status=1; \
	exit $$status

# Packages of the module tests start whole deployments: they run one after the other, and
# always without cached results, because Go's test cache does not track the program under
# test. A package that another run has begun, in RECTO_TEST_BEGUN, is left to it. The
# longest is the first.
run-suite-tests:
	@status=0; begun=$${RECTO_TEST_BEGUN:-$$(mktemp -d)}; export RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test; \
	printf '\n\033[1m== Testing tests\033[0m\n'; \
	for p in e2e $$(cd tests && go list -e ./... | sed -n 's|^$(MODULE)/tests/||p' | grep -vx e2e); do \
		mkdir -p "$$begun/$$(dirname "$$p")" && mkdir "$$begun/$$p.begun" 2>/dev/null || continue; \
		tests/suite/go-test tests -count=1 -timeout $(call minutes,45) "./$$p" || status=1; \
	done; \
	[ -n "$$RECTO_TEST_BEGUN" ] || rm -r "$$begun"; \
	exit $$status

test-under-load: install-test-packages test-binary ## run every test next to two busy processes, and packages whose tests wait 20 times next to eight; PACKAGES="libs/job …" runs only these, COUNT=20 times
	@deploy/install-packages load
	@tests/suite/listed tests/suite/under-load $(or $(COUNT),20) $(PACKAGES)

# This runs while images are built, which leaves the other processor idle.
compiled-tests: # compile what the tests of every module depend on
	@for m in $(filter-out tests,$(MODULES)); do \
		(packages=$$($(raced)) && cd $$m && CGO_ENABLED=$(CGO) go list $(RACE) -export -deps -test $$packages >/dev/null) || exit 1; \
		(packages=$$($(unraced)) || exit 0; cd $$m && go list -export -deps -test $$packages >/dev/null) || exit 1; \
	done
	@cd tests && go list -export -deps -test ./... >/dev/null

# ENGINES lists end-to-end tests of what engines read and pages show, which does not depend
# on the form of a deployment: make test runs them against the standalone program alone,
# make test-containers in containers too.
ENGINES := TestOfficeCorpus TestModelServer TestInsightsOfDOCXAreGrounded TestInsightsOfPDFAreGrounded \
	TestInsightsOfTextAreGrounded TestInsightsOfDamagedDocuments TestInsightsOfCopiesAreTheSame TestHostilePages \
	TestDocsInBrowser TestTryInBrowser TestDocsSearch TestDocsContents TestSchemasInBrowser TestDocsSamples TestWebPage

test-containers: install-test-packages images test-images ## run the end-to-end tests in containers, one fault after the other, and Docker Compose
	@tests/suite/listed $(MAKE) --no-print-directory run-container-tests

run-container-tests:
	@deploy/install-packages compose
	$(call say,Testing in containers)
	@RECTO_TEST_MODE=containers tests/suite/go-test tests -count=1 -timeout $(call minutes,60) -p 1 -skip '$(SKIP)' ./e2e ./faults ./compose

test-cluster: ## run the tests of the manifests on a Kubernetes of their own: apply, journey, policies, sandbox, restarts; needs root
	@[ "$$(id -u)" = 0 ] || tests/cluster/with-cluster true
	@tests/suite/listed $(MAKE) --no-print-directory images test-images run-cluster-tests

# The node of the cluster has no way to the internet: what the tests need is downloaded.
run-cluster-tests:
	@deploy/install-packages cluster
	@tests/cluster/build core
	@go mod download github.com/kedacore/keda/v2@$(shell sed -n 's|^require github.com/kedacore/keda/v2 ||p' tests/cluster/keda/go.mod)
	$(call say,Testing on Kubernetes)
	@RECTO_TEST_MODE=kubernetes tests/cluster/with-cluster sh -c \
		'exec tests/suite/go-test tests -count=1 -timeout $(call minutes,30) -exec "$$RECTO_CLUSTER_IN" ./cluster'

test-binary:
	$(call say,Building the program under test)
	@go build -ldflags '-X github.com/rectohq/recto/libs/runner.Version=$(VERSION)' -o bin/recto-test ./deploy/standalone/cmd/recto
	@services/conversion/zygote/build bin

soak: install-test-packages ## run the long tests: end to end under the race detector, 20 kills, 2000 conversions, 2000 damaged PDFs, the weights of insights fitted again, autoscaling on Kubernetes, and FUZZ_TIME=10m of each fuzz target
	$(call say,End-to-end tests under the race detector)
	@CGO_ENABLED=1 go build -race -ldflags '-X github.com/rectohq/recto/libs/runner.Version=$(VERSION)' -o bin/recto-race ./deploy/standalone/cmd/recto
	@services/conversion/zygote/build bin
	@cd tests && RECTO_KILLS=20 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-race go test -count=1 -timeout $(call minutes,60) -skip TestHugeBodies ./e2e
	$(call say,Packages that make test runs without the race detector)
	@for m in libs services/insight; do (packages=$$($(unraced)) && cd $$m && CGO_ENABLED=1 go test -race -count=1 -timeout $(call minutes,120) $$packages) || exit 1; done
	$(call say,2000 conversions by copies of a warm LibreOffice)
	@cd services/conversion && RECTO_CONVERSIONS=2000 go test -count=1 -timeout $(call minutes,60) -run TestManyDocuments ./internal/zygote
	$(call say,2000 damaged PDFs)
	@cd libs && RECTO_MUTATIONS=2000 go test -count=1 -v -timeout $(call minutes,60) -run TestDamaged ./formats/pdf/formtest
	$(call say,Weights of insights)
	@cd services/insight && RECTO_RETRAIN=1 go test -count=1 -v -timeout $(call minutes,30) -run TestRetrain ./internal/learn/training
	@if [ "$$(id -u)" = 0 ]; then $(MAKE) --no-print-directory soak-cluster; \
	else printf '\n\033[1;31m== Only root can start a cluster: autoscaling on Kubernetes is NOT TESTED\033[0m\n'; fi
	@tests/fuzz $(FUZZ_TIME)

soak-cluster: images test-images # run all tests of the manifests, with metrics-server and KEDA
	@deploy/install-packages cluster
	@tests/cluster/build all
	$(call say,Autoscaling on Kubernetes)
	@RECTO_SOAK=1 RECTO_TEST_MODE=kubernetes tests/cluster/with-cluster --extras sh -c \
		'exec tests/suite/go-test tests -count=1 -timeout $(call minutes,60) -exec "$$RECTO_CLUSTER_IN" ./cluster'

bench: install-test-packages test-binary ## print performance figures, as ratios to a baseline of the same run
	@cd tests && RECTO_BENCH=1 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -timeout $(call minutes,30) -v -skip TestBenchOffice ./bench

bench-containers: install-test-packages images test-images ## print how much memory each service uses in a container
	@cd tests && RECTO_BENCH=1 RECTO_TEST_MODE=containers go test -count=1 -timeout $(call minutes,30) -v -run Memory ./bench

bench-cluster: images test-images ## print how many documents conversion and insight do per second on Kubernetes with one to three replicas, and the memory of the pods; needs root
	@deploy/install-packages cluster
	@RECTO_BENCH=1 RECTO_TEST_MODE=kubernetes tests/cluster/with-cluster sh -c \
		'cd tests && exec go test -count=1 -timeout $(call minutes,30) -v -exec "$$RECTO_CLUSTER_IN" -run TestFigures ./cluster'

bench-convert: install-test-packages test-binary ## print documents/s, latency and CPU time of conversion through the API, as ratios to the stock command and to one warm LibreOffice with a client process for each document
	@deploy/install-packages bench
	@cd tests && RECTO_BENCH=1 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -v -timeout $(call minutes,30) -run TestBenchConvert ./bench

bench-office: install-test-packages test-binary ## print which odd and damaged Word documents Recto and the stock command of LibreOffice convert, and whether the pages look the same; RECTO_BENCH_OUT names a folder for the PDFs whose pages differ
	@cd tests && RECTO_BENCH=1 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -v -timeout $(call minutes,60) -run TestBenchOffice ./bench

bench-sandbox: install-test-packages ## print what the sandbox costs when converting a document and reading a PDF, as ratios
	@cd services/conversion && RECTO_BENCH=1 go test -count=1 -v -timeout $(call minutes,30) -run TestBenchSandbox ./internal/libreoffice
	@cd libs && RECTO_BENCH=1 go test -count=1 -v -timeout $(call minutes,30) -run TestBenchSandbox ./formats/pdf

bench-fields: ## print how many of the blanks that people marked in templates are found, and list all other findings
	@cd libs && go test -count=1 -v -run GoldBlanks ./formats/fields/docxfields/internal/blank

bench-forms: install-test-packages test-binary ## print how long it takes to fill a PDF form, in the library and through the API, as ratios to pdfcpu, what a PDF costs in one request and in two, and how many bytes the fonts of each script add
	@cd libs && RECTO_BENCH=1 go test -count=1 -v -timeout $(call minutes,30) -run TestBench ./formats/pdf/formtest
	@cd tests && RECTO_BENCH=1 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -v -timeout $(call minutes,30) -run TestBenchForms ./bench

bench-insights: ## print the quality of insights on contracts and of answers to questions, annotated by people, and on texts that were written for it, by rules alone and with weights fitted by folds, which takes minutes, and the pages read in a second; RECTO_BENCH_OUT names a folder for JSON
	@cd services/insight && RECTO_BENCH=1 go test -count=1 -v -timeout $(call minutes,60) -run 'TestBench|TestWritten' -bench 'Texts|PDFs' -benchtime 3x ./internal/evaluation

TRAINING_DATA = $(or $(RECTO_TEST_DATA),../shared/data)
train: ## fit the weights of insights to the contracts annotated by people, in RECTO_TEST_DATA or ../shared/data; the same contracts give the same bytes
	@data=$$(realpath -e "$(TRAINING_DATA)") && cd services/insight && go run ./internal/learn/cmd/train -data "$$data/contracts" -labels ../../tests/bench/gold -statements "$$data/contract-nli" -written ../../tests/bench/written -out internal/learn

bench-llm: ## print the quality of insights by rules, and by rules and the language model of INSIGHT_MODEL_*, side by side, with tokens and cost; without one, scripted models answer from the annotations; RECTO_BENCH_DOCUMENTS limits the documents
	@cd services/insight && RECTO_BENCH=1 go test -count=1 -v -timeout 0 -run 'Model' ./internal/evaluation

bench-console: install-test-packages test-binary ## print how long the console takes to show the first of 500 pages, as a ratio to the requests that it needs, and the times of frames while pages and fields scroll
	@cd tests && RECTO_BENCH=1 RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -v -timeout $(call minutes,30) -run TestBenchConsole ./e2e

picture: install-packages install-test-packages test-binary ## draw the pictures of the README: what the API returns, and the console
	@cd tests && RECTO_TEST_BINARY=$(CURDIR)/bin/recto-test go test -count=1 -run 'TestPicture|TestConsoleViews' ./e2e -update

lint: $(GOLANGCI_LINT) ## check for mistakes, broken layers, unformatted code and untidy modules
	$(call say,gofmt)
	@out=$$(gofmt -l $(MODULES)); if [ -n "$$out" ]; then printf 'not formatted; run make fmt:\n%s\n' "$$out"; exit 1; fi
	$(call say,Each module on its own)
	@for m in $(MODULES); do \
		printf '  %s\n' "$$m"; \
		(cd $$m && GOWORK=off go mod tidy -diff && GOWORK=off go list -export ./... >/dev/null) || { echo "run make tidy"; exit 1; }; \
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

images: build ## build the images of Recto, with the packages of this Debian; FRESH=1 updates the packages, IMAGES="conversion …" builds only these
	$(call say,Building the images of Recto $(VERSION))
	@deploy/images/build recto $(IMAGES)

test-images: ## build the images of the test servers, unless they exist; FRESH=1 rebuilds them, IMAGES="nats …" builds only these
	@deploy/images/build test $(IMAGES)

dev: ## build, deploy and watch Recto on the cluster of the current kubectl context, with Skaffold
	@deploy/skaffold-dev

build run test-binary test-modules compiled-tests run-engine-tests run-cluster-tests soak bench-sandbox bench-convert bench-office bench-fields bench-forms bench-insights train test-images lint fmt tidy $(GOLANGCI_LINT): | toolchain

toolchain: ## provide the Go that go.work names if the go in PATH is older or missing
	@mkdir -p $(dir $(GO_BIN))
	@bin=$$(PATH="$${PATH#$(GO_BIN):}" deploy/go-toolchain) && ln -sfn "$$bin" $(GO_BIN)

install-packages: ## install the system packages that Recto needs, if this user may
	@deploy/install-packages run

install-test-packages: $(PROMTOOL) ## also install the system packages that the tests need
	@deploy/install-packages run test

$(PROMTOOL):
	@tests/promtool $@
