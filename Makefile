# The whole set-up needs Python 3.11+ and make: no Java, no compiler, nothing else.
#
#   make demo        the main job on a sample: expressions and events in, matches out
#   make test        lint, types and tests
#   make test-long   the extended property tests
#   make test-shows  the long shows of stores, clusters and streams, and their table: SHOWS="moto hdfs"
#   make test-browser     the tests of the page in a real browser (needs chromium)
#   make test-lowest      the tests with the lowest versions of everything (needs uv)
#   make test-newest      the tests with the newest (needs uv)
#   make test-pythons     the same on other Pythons: PYTHONS="python3.12 python3.13"
#   make test-spark-matrix   the Spark tests in every Spark, and the table in docs/spark.md
#   make test-install     fresh environments, with and without Spark: times and sizes
#   make connectors  fetches what test-long would skip without: jars (needs Maven), a second S3 (Go), Spark Connect
#   make siege       the torture run: kills, faults, forgeries, fuzzed input, pairs against the oracle
#   make setup       only makes .venv (the others do it by themselves)
#   make lock        writes requirements.lock anew (needs uv)
#   make docs        the documentation site, in build/site
#   make docs-cli    writes docs/cli.md anew
#   make docs-reference   writes docs/reference.md anew
#   make clean       removes what the above have made

SHELL := /bin/sh
PYTHON ?= python3
UV ?= uv
BIN := .venv/bin
# An old pip warns of how it installs PySpark, which nobody here can change.
PIP := PYTHONWARNINGS=ignore $(BIN)/python -m pip --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long test-shows test-browser test-lowest test-newest test-pythons test-spark-matrix test-install connectors siege lock docs docs-cli docs-reference clean

help:
	@sed -n 's/^#   //p' Makefile

setup: .venv/.installed

# The lock pins every package by its hash.
.venv/.locked: requirements.lock
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Eligo needs Python 3.11 or later; $(PYTHON) is: $$("$(PYTHON)" --version 2>&1)" >&2; \
	  echo "Name another one: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Setting up .venv; the first time takes about three minutes (Spark alone is 450 MB)."
	@"$(PYTHON)" -m venv --clear .venv
	@$(PIP) install --quiet --require-hashes -r requirements.lock
	@touch $@

# The project itself cannot be hashed, so it comes in a second step, built with the backend of the lock.
.venv/.installed: .venv/.locked pyproject.toml
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/python -m eligo.spark.session.java
	@echo "Compiling the matching kernels; they are kept for all later runs."
	@$(BIN)/eligo warmup
	@$(BIN)/python -m eligo.spark.session.class_archive
	@touch $@

demo: setup
	@$(BIN)/eligo demo

# pytest comes last, so that its closing line is the last one printed.
test: setup
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "run: $(BIN)/ruff format" >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m pytest -n 2 --dist loadfile

# What others make, which the tests of `make test-long` look for here: jars, each format's in a directory of its own, a
# second S3, and what Spark Connect needs. Make gives these names to every process that it starts.
export ELIGO_CONNECTORS ?= $(HOME)/.cache/eligo-connectors
export ELIGO_HADOOP_JARS ?= $(ELIGO_CONNECTORS)/hadoop
export ELIGO_VERSITYGW ?= $(or $(wildcard $(ELIGO_CONNECTORS)/bin/versitygw),versitygw)
WITH_CONNECTORS := PYTHONPATH="$(ELIGO_CONNECTORS)/python$${PYTHONPATH:+:$$PYTHONPATH}"

# What is skipped is told at the end, with its reason.
test-long: setup
	@$(WITH_CONNECTORS) $(BIN)/python -m pytest -m long -rs --hypothesis-profile=long

test-shows: setup
	@$(WITH_CONNECTORS) $(BIN)/python -m environments.long_shows $(SHOWS)

# Where there is no browser, make test passes over these; here that is a failure.
test-browser: setup
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { echo "make test-browser needs chromium on the path" >&2; exit 1; }
	@$(BIN)/python -m pytest -m browser

test-lowest test-newest: setup
	@UV=$(UV) $(BIN)/python -m environments.ends $(@:test-%=%)

# Each Python has an environment and a row of its own in docs/installing.md.
PYTHONS ?= python3.12 python3.13 python3.14
test-pythons: setup
	@for python in $(PYTHONS); do PYTHON=$$python UV=$(UV) $(BIN)/python -m environments.ends newest || exit 1; done

# Of those that are named: make test-spark-matrix SPARK="4.0 4.3"
test-spark-matrix: setup
	@UV=$(UV) $(BIN)/python -m environments.spark_matrix $(SPARK)

# Of a Python that other users can run, too: make test-install PYTHON=/usr/bin/python3
test-install: setup
	@PYTHON=$$(command -v $(PYTHON)) $(BIN)/python -m environments.installs
	@for extra in "" "[service]"; do PYTHON=$$(command -v $(PYTHON)) $(BIN)/python -m environments.dockerfile "$$extra" || exit 1; done

MAVEN := mvn -q -B dependency:copy -Dmdep.useBaseVersion=true
CONNECT := grpcio grpcio-status googleapis-common-protos zstandard pyyaml
connectors: setup
	@command -v mvn >/dev/null || { echo "make connectors needs Maven" >&2; exit 1; }
	@mvn -q -B -f tests/examples/kafka_node.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(ELIGO_CONNECTORS)/kafka
	@for jar in org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0 org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0 \
	  org.apache.kafka:kafka-clients:3.9.1 org.apache.commons:commons-pool2:2.12.1; do \
	  $(MAVEN) -Dartifact=$$jar -DoutputDirectory=$(ELIGO_CONNECTORS)/spark-kafka || exit 1; done
	@for jar in io.delta:delta-spark_4.2_2.13:4.4.0 io.delta:delta-storage:4.4.0; do \
	  $(MAVEN) -Dartifact=$$jar -DoutputDirectory=$(ELIGO_CONNECTORS)/delta || exit 1; done
	@$(MAVEN) -Dartifact=org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 -DoutputDirectory=$(ELIGO_CONNECTORS)/iceberg
	@for jar in org.apache.hadoop:hadoop-client-minicluster:3.5.0 commons-logging:commons-logging:1.3.5; do \
	  $(MAVEN) -Dartifact=$$jar -DoutputDirectory=$(ELIGO_HADOOP_JARS) || exit 1; done
	@$(PIP) install --quiet --upgrade --target $(ELIGO_CONNECTORS)/python $(CONNECT)
	@if command -v go >/dev/null; then GOBIN=$(ELIGO_CONNECTORS)/bin go install github.com/versity/versitygw/cmd/versitygw@latest; \
	  else echo "there is no Go: tests of a second S3 will be skipped"; fi

siege: setup
	@$(BIN)/python -m benchmarks run siege --scale full
	@$(BIN)/python -m benchmarks run siege_documents --scale full
	@$(BIN)/python -m benchmarks run siege_service --scale full

lock:
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: pip install uv, or make lock UV=/path/to/uv" >&2; exit 1; }
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" --all-extras --group dev --output-file requirements.lock pyproject.toml
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" --group docs --output-file requirements-docs.lock

# The site is made in an environment of its own, which needs nothing of Eligo's.
.venv-docs/.installed: requirements-docs.lock
	@"$(PYTHON)" -m venv --clear .venv-docs
	@.venv-docs/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-docs.lock
	@touch $@

docs: .venv-docs/.installed
	@.venv-docs/bin/python -m website build/site

docs-reference: setup
	$(BIN)/python -m website.reference > docs/reference.md

docs-cli: setup
	$(BIN)/python -m eligo.cli.shared.reference > docs/cli.md

clean:
	rm -rf .venv .venv-docs build .mypy_cache .pytest_cache .ruff_cache .hypothesis dist eligo-demo spark-warehouse
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
