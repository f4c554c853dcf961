# SPDX-License-Identifier: GPL-2.0
"""Counted guests: boot a kernel with workloads under QEMU's TCG, where executed
instructions repeat exactly, and tell what they were spent on.

Used by scripts/bench and scripts/profile. One boot runs many workloads; the
plugin tools/io_uring/tcg_count.c writes a section for each, kept in
build/bench/KERNEL/WORKLOAD.counts.
"""

import bisect
import collections
import fcntl
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import guest
from guest import BUILD, TOP, Failure

BENCH = os.path.join(BUILD, "bench")
BIN = os.path.join(BENCH, "bin")
GUEST_ROOT = os.path.join(BUILD, "guest", "root")

# The guest has no device whose timing depends on the host, and draws its random
# numbers from a fixed seed: what it does is the same in every run.
MACHINE = ["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
           "-machine", "q35,hpet=off", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "1G",
           "-icount", "shift=0,sleep=off", "-seed", "1",
           "-rtc", "base=2024-01-01,clock=vm"]
# An NVMe namespace answers when the host gets to it, so it has boots of its own.
NVME = ["-drive", "if=none,id=nvme,driver=null-co,read-zeroes=on,size=1G",
        "-device", "nvme,serial=nvme,drive=nvme,max_ioqpairs=2"]
# noreplace-smp: keep the lock prefixes, which are counted, on the one CPU.
CMDLINE = ("console=ttyS0 quiet loglevel=4 panic=-1 oops=panic rdinit=/init noreplace-smp "
           "null_blk.queue_mode=2 null_blk.irqmode=0 null_blk.submit_queues=1")

INIT = """#!/bin/sh
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
for word in $(cat /proc/cmdline); do
	case $word in
	bench=*) names=$(echo "${word#bench=}" | tr , ' ') ;;
	esac
done
set -f
bench $names >/dev/ttyS0 2>&1
echo "bench: exit code $?" >/dev/ttyS0
poweroff -f
"""

# Out-of-line calls that allocate memory
ALLOC = re.compile(r"(kmem_cache_alloc\w*|__kmalloc\w*|kmalloc_\w+|alloc_pages_bulk\w*|"
                   r"__alloc_pages\w*|vmalloc\w*|__vmalloc_node_range\w*)_noprof$|"
                   r"kmem_cache_alloc_bulk$")


RESULTS = os.path.join(BENCH, "results.json")


def lock():
    """One run at a time: they share build/bench. Held until the process ends."""
    os.makedirs(BENCH, exist_ok=True)
    held = open(os.path.join(BENCH, ".lock"), "w", encoding="ascii")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("waiting for another run of the benchmark to end", flush=True)
        fcntl.flock(held, fcntl.LOCK_EX)
    return held


def kept():
    """Results of all runs so far, by kernel and workload."""
    try:
        with open(RESULTS, encoding="ascii") as f:
            return json.load(f)
    except (OSError, ValueError):
        return {}


def keep(results):
    """Add results to those that are there."""
    old = kept()
    for kernel, by_name in results.items():
        old[kernel] = {**by_name, **{n: e for n, e in old.get(kernel, {}).items()
                                     if n not in by_name}}
    with open(RESULTS + ".new", "w", encoding="ascii") as f:
        json.dump(old, f, indent=1)
    os.replace(RESULTS + ".new", RESULTS)


def run(cmd, what, **kw):
    """Run a tool; its output into build/log/bench.log."""
    done = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **kw)
    with open(os.path.join(BUILD, "log", "bench.log"), "ab") as log:
        log.write(done.stdout)
    if done.returncode:
        sys.stderr.write(done.stdout.decode(errors="replace")[-2000:])
        raise Failure(f"{what} failed")


def build_programs():
    """The workloads, the plugin and the initramfs that carries the former."""
    headers = os.path.join(BUILD, "headers", "include")
    if not os.path.isdir(headers) or not os.path.isdir(GUEST_ROOT):
        raise Failure("the guest's programs are missing; run 'make guest'")
    os.makedirs(os.path.join(BUILD, "log"), exist_ok=True)
    run(["make", "-C", os.path.join(TOP, "tools", "io_uring"), f"OUTPUT={BIN}",
         f"KHDR_INCLUDES=-isystem {headers}", "all", "plugin"], "building the workloads")
    build_initramfs()


def build_initramfs():
    root = os.path.join(BENCH, "root")
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("bin", "dev", "proc", "sys", "tmp"):
        os.makedirs(os.path.join(root, folder))
    shutil.copy(os.path.join(BIN, "bench"), os.path.join(root, "bin"))
    shutil.copy("/bin/busybox", os.path.join(root, "bin"))
    for name in ("sh", "mount", "cat", "tr", "poweroff"):
        os.symlink("busybox", os.path.join(root, "bin", name))
    fio = os.path.join(GUEST_ROOT, "opt", "fio", "t", "io_uring")
    if os.path.exists(fio):
        shutil.copy(fio, os.path.join(root, "bin"))
        copy_libraries(fio, root)
    with open(os.path.join(root, "init"), "w", encoding="ascii") as f:
        f.write(INIT)
    os.chmod(os.path.join(root, "init"), 0o755)
    names = sorted(os.path.relpath(os.path.join(base, n), root)
                   for base, folders, files in os.walk(root) for n in folders + files)
    with open(os.path.join(BENCH, "initramfs.cpio"), "wb") as out:
        done = subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=root,
                              input="\n".join(names).encode(), stdout=out, check=False)
    if done.returncode:
        raise Failure("cpio could not pack build/bench/root")


def copy_libraries(program, root):
    out = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    for path in re.findall(r"(/\S+) \(0x", out):
        to = root + path
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)


def own_names(kernel):
    """Names of the functions in io_uring/*.o."""
    names = set()
    for pattern in ("*.o", "*/*.o"):
        for path in glob.glob(os.path.join(BUILD, kernel, "io_uring", pattern)):
            out = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
            names.update(line.split()[-1] for line in out.splitlines()
                         if re.search(r" [tTwW] ", line))
    return names


def snapshot(kernel):
    """Copy what is booted and what explains it, while nobody builds it anew."""
    folder = os.path.join(BENCH, kernel)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(BUILD, f".lock-kernel-{kernel}"), "w", encoding="ascii") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for path in ("arch/x86/boot/bzImage", "System.map", "vmlinux"):
            source = os.path.join(BUILD, kernel, path)
            if not os.path.exists(source):
                raise Failure(f"build/{kernel} has no kernel; "
                              f"run 'make kernel CONFIG={kernel}'")
            to = os.path.join(folder, os.path.basename(path))
            if not os.path.exists(to) or os.stat(to).st_mtime != os.stat(source).st_mtime:
                shutil.copy2(source, to)
        with open(os.path.join(folder, "names"), "w", encoding="ascii") as f:
            f.write("\n".join(sorted(own_names(kernel))))
    return folder


def boot(kernel, names):
    """Run workloads on a kernel; all, if none is named. Returns {name: facts}, and keeps
    the counts."""
    facts = {}
    folder = snapshot(kernel)
    plain = [n for n in names if not n.startswith("nvme")]
    if plain or not names:
        facts.update(boot_with(kernel, folder, plain, []))
    nvme = [n for n in names if n.startswith("nvme")] if names else ["nvme*"]
    if nvme:
        facts.update(boot_with(kernel, folder, nvme, NVME))
    return facts


def boot_with(kernel, folder, names, devices, limit=600):
    image = os.path.join(folder, "bzImage")
    raw, console = os.path.join(folder, "raw"), os.path.join(folder, "console.log")
    cmd = ["qemu-system-x86_64", *MACHINE, *devices, "-kernel", image,
           "-initrd", os.path.join(BENCH, "initramfs.cpio"),
           "-append", f"{CMDLINE} bench={','.join(names)}", "-serial", f"file:{console}",
           "-plugin", f"{BIN}/tcg_count.so,out={raw}"]
    with subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, preexec_fn=guest.die_with_parent) as qemu:
        try:
            said = qemu.communicate(timeout=limit)[0].decode(errors="replace")
        except BaseException as e:
            qemu.kill()
            if isinstance(e, subprocess.TimeoutExpired):
                raise Failure(f"the {kernel} guest did not end within {limit} s; "
                              f"its log: {os.path.relpath(console, TOP)}") from e
            raise
    if qemu.returncode:
        raise Failure(f"QEMU failed: {said.strip()}")
    return collect(folder, raw, console)


def collect(folder, raw, console):
    """Part the raw counts by workload."""
    with open(console, encoding="utf-8", errors="replace") as f:
        log = f.read().replace("\r", "")
    bad = guest.splats(log)
    if bad:
        raise Failure(f"the kernel complained: {bad[0]}")
    facts, counted = {}, []
    for name, rest in re.findall(r"^bench: (\S+) ((?:skip|ops).*)$", log, re.M):
        if rest.startswith("skip: "):
            facts[name] = {"skip": rest[6:]}
            continue
        facts[name] = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", rest)}
        counted.append(name)
    if "bench: exit code 0" not in log:
        raise Failure("a workload failed: " + (re.findall(r"^error: .*", log, re.M) or
                                               log.splitlines() or ["no output"])[-1])
    with open(raw, encoding="ascii") as f:
        sections = re.split(r"^section \d+\n", f.read(), flags=re.M)[1:]
    if len(sections) != len(counted):
        raise Failure(f"{len(counted)} workloads, but {len(sections)} sections of counts")
    for name, text in zip(counted, sections):
        with open(os.path.join(folder, name + ".counts"), "w", encoding="ascii") as f:
            f.write(text)
    os.remove(raw)
    return facts


class Symbols:
    """Functions of a kernel, and which of them belong to io_uring/."""

    def __init__(self, kernel):
        self.folder = os.path.join(BENCH, kernel)
        self.at = []
        with open(os.path.join(self.folder, "System.map"), encoding="ascii") as f:
            for line in f:
                addr, kind, name = line.split()[:3]
                if kind in "tTwW":
                    self.at.append((int(addr, 16), name))
        self.at.sort()
        self.addrs = [a for a, _ in self.at]
        self.ours = self.own_functions()

    def own_functions(self):
        """Addresses of io_uring's functions. A name that others have too is ours only
        if it lies among those that no one else has."""
        with open(os.path.join(self.folder, "names"), encoding="ascii") as f:
            names = set(f.read().split())
        found = [(a, n) for a, n in self.at if n in names]
        times = collections.Counter(n for _, n in found)
        sure = [a for a, n in found if times[n] == 1]
        near = 1 << 20
        ours = set()
        for a, n in found:
            i = bisect.bisect_left(sure, a)
            if times[n] == 1 or any(abs(s - a) < near for s in sure[max(i - 1, 0):i + 1]):
                ours.add(a)
        return ours

    def of(self, addr):
        """(start, name) of the function at an address, or (0, 'user')."""
        if addr < 1 << 47:
            return 0, "user"
        i = bisect.bisect_right(self.addrs, addr) - 1
        return self.at[i] if i >= 0 else (0, "unknown")


Block = collections.namedtuple("Block", "addr runs insns locked percpu sizes")


def blocks(kernel, name):
    """The counted blocks of a workload's last run."""
    path = os.path.join(BENCH, kernel, name + ".counts")
    try:
        with open(path, encoding="ascii") as f:
            for line in f:
                addr, runs, insns, locked, percpu, sizes = line.split()
                yield Block(int(addr, 16), int(runs), int(insns), int(locked), int(percpu), sizes)
    except FileNotFoundError as e:
        raise Failure(f"{name} was not counted on {kernel} yet; "
                      f"run 'scripts/bench {name}'") from e


def sum_up(symbols, kernel, name):
    """Totals of a workload: instructions, atomics, allocations by where they happen."""
    total = collections.Counter()
    functions = collections.Counter()
    for b in blocks(kernel, name):
        start, fn = symbols.of(b.addr)
        n = b.runs * b.insns
        where = "user" if not start else "io_uring" if start in symbols.ours else "rest"
        total[where] += n
        if where == "user":
            continue
        total[f"atomics_{where}"] += b.runs * b.locked
        total[f"percpu_{where}"] += b.runs * b.percpu
        if where == "io_uring":
            functions[fn] += n
        if b.addr == start:
            if ALLOC.match(fn):
                total["allocs"] += b.runs
            if re.match(r"io_nop(_issue)?$", fn):
                total["nops"] += b.runs
    return total, functions
