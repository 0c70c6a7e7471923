# make demo   set up and show the main job on ResNet-50
# make test   set up and run the tests
# make lint   ruff and mypy
# make durations   run what make test leaves out for its time, too, and write down how long tests take (tests/budget.py)
# make neon   run the kernels for 64-bit ARM in an emulator (installs it with apt-get)
# make conformance   slow: all networks of the list, ONNX's own suite beside onnxruntime, what fails by reason in build/onnx_suite, and parts
#                    of TorchCTS on the simulated device, its report in build/torchcts
#                    (shows reports in Chromium and runs networks on PoCL, an OpenCL of CPUs; both are installed with apt-get if missing)
# make sweep   hours, goes on where it stopped: hundreds of models beside eager torch; writes docs/sweep.md. SWEEP="--help" tells more,
#              SWEEP="--training --page docs/training_sweep.md" tries training steps
# make bench   time a few networks against other engines; BENCH="all --rounds 3 --json out.json" for more
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
TESTS ?= tests
PYTEST_OPTIONS ?=
BENCH ?= --rounds 2 --seconds 1
SWEEP ?= --page docs/sweep.md

.PHONY: demo test durations lint neon conformance sweep bench clean

$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -c constraints.txt -e ".[progress,test]"
	$(BIN)/pip install -q --no-deps -c constraints.txt torchvision
	$(BIN)/pip install -q pillow
	touch $@

$(VENV)/.networks: $(VENV)/.base
	$(BIN)/pip install -q --no-deps timm torchao
	$(BIN)/pip install -q -c constraints.txt transformers pyyaml safetensors
	touch $@

$(VENV)/.lint: $(VENV)/.base
	$(BIN)/pip install -q -c constraints.txt ruff mypy
	touch $@

$(VENV)/.onnxruntime: $(VENV)/.networks
	$(BIN)/pip install -q -c constraints.txt onnxruntime
	touch $@

# TorchCTS names older versions of PyTorch as those that it was tried with, and would replace this one.
$(VENV)/.torchcts: $(VENV)/.networks
	$(BIN)/pip install -q --no-deps torchcts==0.4.1
	$(BIN)/pip install -q -c constraints.txt psutil "mpmath<2"
	touch $@

$(VENV)/.bench: $(VENV)/.networks
	$(BIN)/pip install -q -c constraints.txt -e ".[bench]"
	touch $@

demo: $(VENV)/.base
	$(BIN)/python examples/resnet50.py

# A test that takes seven minutes hangs: its process shows what its threads do, and ends. A process that ends so, or crashes, ends the run with
# the name of the test: pytest-xdist, if it replaces processes, may wait for ever when no file is left to give to the new one.
test: $(VENV)/.networks
	$(BIN)/python -m pytest $(TESTS) -m "not conformance" -n 2 --max-worker-restart=0 --dist loadfile \
		-o faulthandler_timeout=420 -o faulthandler_exit_on_timeout=true $(PYTEST_OPTIONS)

# Which tests make test leaves out follows from what functions took: with nothing compiled, and nothing beside it.
durations: $(VENV)/.networks
	SOL_CACHE_DIR=$$(mktemp -d) TMPDIR=$$(mktemp -d) $(BIN)/python -m pytest $(TESTS) -m "not conformance" -n 2 --max-worker-restart=0 \
		--dist loadfile --durations-file tests/durations.txt

lint: $(VENV)/.lint
	$(BIN)/ruff check sol tests examples benchmarks sol_autoload.py sol_program.py
	$(BIN)/mypy

neon: $(VENV)/.networks
	command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y --no-install-recommends gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	$(BIN)/python -m pytest tests/codegen/test_neon.py

conformance: $(VENV)/.onnxruntime $(VENV)/.torchcts
	command -v chromium >/dev/null || $$(test $$(id -u) = 0 || echo sudo) apt-get install -y --no-install-recommends chromium || true
	ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 || true
	$(BIN)/python -m pytest $(TESTS) -m conformance

sweep: $(VENV)/.networks
	$(BIN)/python -m tests.conformance.sweep $(SWEEP)

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/inference.py $(BENCH)

clean:
	rm -rf $(VENV) build *.egg-info
