# SPDX-License-Identifier: GPL-2.0
"""Boot a guest in QEMU, watch its log, and tell how it ended.

Used by scripts/vm (one command) and scripts/check (many tests). The kernel's
log has the first serial port to itself and goes to a file; the second port
carries the output of the command.
"""

import ctypes
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, "build")
ROOT_IMAGE = os.path.join(BUILD, "guest", "root.img")

# What no test may leave in the kernel's log.
SPLAT = re.compile(
    r"WARNING: |BUG: |kernel BUG at|Oops: |Oops\b.*\[#|Internal error|"
    r"general protection fault|possible recursive locking|"
    r"possible circular locking|INFO: suspicious RCU|"
    r"suspicious RCU usage|inconsistent lock state|KASAN:|UBSAN:|"
    r"INFO: task .* blocked for more than|soft lockup|hard LOCKUP|"
    r"rcu.*detected stalls|rcu.*self-detected stall|refcount_t:|"
    r"ODEBUG:|list_(add|del) corruption|unreferenced object|"
    r"kmemleak: [1-9]\d* new suspected|Kernel panic|page allocation failure|"
    r"sleeping function called from invalid|scheduling while atomic|"
    r"unregister_netdevice: waiting|io_uring: debug:")

# What the guest's own set-up says about itself and means no harm.
HARMLESS = re.compile(r"spectre|MDS CPU bug|x86/cpu: ")


def lock(name):
    """Let one process at a time run the rest of a script; the lock goes with
    the process."""
    # pylint: disable=consider-using-with
    held = open(os.path.join(BUILD, f".lock-{name}"), "w", encoding="ascii")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"waiting for another run of '{name}' to end", flush=True)
        fcntl.flock(held, fcntl.LOCK_EX)
    return held


PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Runs in QEMU's process before QEMU: no guest outlives what started it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_on_signal():
    """Let a SIGTERM unwind like an exit, so that work folders are removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Failure(Exception):
    """A guest that could not be started; the text says why."""


def splats(text):
    """The lines of a kernel log that no test may cause."""
    return [line for line in text.splitlines()
            if SPLAT.search(line) and not HARMLESS.search(line)]


def need(tool, package):
    if not shutil.which(tool):
        raise Failure(f"{tool} is missing; install {package}, or run 'make deps'")


def sparse_file(path, size):
    with open(path, "wb") as f:
        f.truncate(size)
    return path


def folder_image(folder, path):
    """An ext4 image of a host folder, with room to write beside it."""
    need("mke2fs", "e2fsprogs")
    used = 0
    for base, _, names in os.walk(folder):
        used += sum(os.lstat(os.path.join(base, n)).st_size for n in names) + 4096
    sparse_file(path, (used * 5 // 4 + (64 << 20) + 4095) & ~4095)
    cmd = ["mke2fs", "-q", "-t", "ext4", "-d", folder, path]
    if os.geteuid():
        cmd = ["unshare", "-r"] + cmd
    done = subprocess.run(cmd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"no disk could be made of {folder}: {done.stderr.strip()}")
    return path


def qemu_command(config, work, accel, smp, mem, mode, append="", share=None,
                 script=None, gdb=False, extra=()):
    """The command line; disks are made in `work`."""
    kernel = os.path.join(BUILD, config, "arch/x86/boot/bzImage")
    for path, how in ((kernel, f"make kernel CONFIG={config}"), (ROOT_IMAGE, "make guest")):
        if not os.path.exists(path):
            raise Failure(f"{os.path.relpath(path, TOP)} is missing; run '{how}'")
    need("qemu-system-x86_64", "qemu-system-x86")

    disks = [("root", ROOT_IMAGE, True),
             ("scratch", sparse_file(f"{work}/scratch.img", 1 << 30), False)]
    if script is not None:
        data = script.encode()
        with open(f"{work}/command.img", "wb") as f:
            f.write(data.ljust((len(data) // 512 + 1) * 512, b"\0"))
        disks.append(("command", f"{work}/command.img", False))
    if share:
        disks.append(("host", folder_image(share, f"{work}/host.img"), False))

    cmdline = ["root=/dev/vda rw rootfstype=ext4 console=ttyS0 panic=-1 oops=panic",
               "nvme.poll_queues=1 null_blk.poll_queues=1 printk.time=1",
               f"guest.mode={mode}", append]
    cmd = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot",
           "-display", "none", "-machine", "q35", "-m", mem, "-smp", str(smp),
           "-kernel", kernel, "-append", " ".join(cmdline).strip(),
           "-serial", f"file:{work}/console.log", "-serial", "stdio"]
    if accel == "kvm":
        cmd += ["-accel", "kvm", "-cpu", "host"]
    else:
        cmd += ["-accel", "tcg,thread=multi" if int(smp) > 1 else "tcg", "-cpu", "max"]
    for name, path, throw_away in disks:
        cmd += ["-drive", f"if=none,id={name},format=raw,file={path}"
                + (",snapshot=on" if throw_away else ",cache=unsafe"),
                "-device", f"virtio-blk-pci,drive={name},serial={name}"]
    sparse_file(f"{work}/nvme.img", 1 << 30)
    cmd += ["-drive", f"if=none,id=nvme,format=raw,cache=unsafe,file={work}/nvme.img",
            "-device", "nvme,serial=nvme,drive=nvme,max_ioqpairs=8",
            "-netdev", "user,id=net,restrict=on", "-device", "virtio-net-pci,netdev=net,romfile="]
    if gdb:
        cmd += ["-gdb", "tcp:127.0.0.1:1234", "-S"]
    return cmd + list(extra)


def choose_accel(wanted, config):
    """kvm or tcg. auto proves KVM by booting a guest, since on some machines
    /dev/kvm opens and yet no guest runs. The answer is kept until reboot."""
    if wanted in ("kvm", "tcg"):
        return wanted
    if wanted != "auto":
        raise Failure(f"ACCEL must be auto, kvm or tcg, not '{wanted}'")
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        boot = f.read().strip()
    kept = os.path.join(BUILD, "accel")
    try:
        with open(kept, encoding="ascii") as f:
            known, answer = f.read().split()
        if known == boot:
            return answer
    except (OSError, ValueError):
        pass
    with tempfile.TemporaryDirectory(prefix="kvm-", dir=work_base()) as work:
        cmd = qemu_command(config, work, "kvm", 1, "512M", "command", script="echo alive")
        try:
            out = subprocess.run(cmd, stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=15, check=False,
                                 preexec_fn=die_with_parent).stdout
        except subprocess.TimeoutExpired:
            out = b""
    answer = "kvm" if b"alive" in out else "tcg"
    with open(kept, "w", encoding="ascii") as f:
        f.write(f"{boot} {answer}\n")
    return answer


def work_base():
    path = os.path.join(BUILD, "vm")
    os.makedirs(path, exist_ok=True)
    return path


class Guest:
    """A running guest. Use as a context manager: leaving it ends QEMU."""

    def __init__(self, config, mode, *, accel="tcg", smp=2, mem="2G", stdin=None,
                 stdout=subprocess.PIPE, verbose=False, **kw):
        self.work = tempfile.mkdtemp(prefix=f"{config}-", dir=work_base())
        self.console = f"{self.work}/console.log"
        self.seen = 0
        try:
            cmd = qemu_command(config, self.work, accel, smp, mem, mode, **kw)
            if verbose:
                print("+", shlex.join(cmd), flush=True)
            with open(f"{self.work}/qemu.log", "wb") as err:
                self.process = subprocess.Popen(cmd, stdin=stdin, stdout=stdout, stderr=err,
                                                preexec_fn=die_with_parent)
        except BaseException:
            shutil.rmtree(self.work, ignore_errors=True)
            raise
        self.started = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.work, ignore_errors=True)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self):
        """The whole kernel log so far."""
        try:
            with open(self.console, encoding="utf-8", errors="replace") as f:
                return f.read().replace("\r", "")
        except FileNotFoundError:
            return ""

    def qemu_errors(self):
        with open(f"{self.work}/qemu.log", encoding="utf-8", errors="replace") as f:
            return f.read().strip()

    def exit_code(self):
        """What the command left, None if the guest did not get that far."""
        found = re.findall(r"guest: exit code (\d+)", self.log())
        return int(found[-1]) if found else None
