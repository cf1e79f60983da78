"""Processes that a load test starts, and what they use."""

import os
import pathlib
import resource
import socket
import subprocess
import threading
import time

OPEN_FILES = 131072


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def raise_open_files(wanted=OPEN_FILES):
    """Gives how many files this process and those that it starts may open; root may have more than the hard limit."""
    for hard in (wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[1]):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            return hard
        except (ValueError, OSError):
            continue
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def start(command, log, **options):
    """A program whose output goes into a file."""
    with open(log, "ab") as output:
        return subprocess.Popen([str(word) for word in command], stdout=output, stderr=output, **options)


def await_port(port, process, what):
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    raise SystemExit(f"{what} does not listen on port {port}")


def end(process, seconds=15):
    """Ends it in order, or by force when that takes too long; gives its exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def family(pid):
    """A process and its children, as nginx's worker."""
    pids = [pid]
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == pid:
                pids.append(int(stat.parent.name))
        except OSError:
            continue
    return pids


def cpu_seconds(pids):
    """The time that all threads have run, to the nanosecond (schedstat)."""
    total = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
            try:
                total += int(task.read_text().split()[0])
            except OSError:
                continue
    return total / 1e9


def resident(pids):
    """Bytes."""
    pages = 0
    for pid in pids:
        try:
            pages += int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Takes CPU time and memory of a process while a run lasts."""

    def __init__(self, pid, every=0.5):
        self.pids, self.every = family(pid), every
        self.samples, self.over = [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while True:
            self.samples.append((time.time(), cpu_seconds(self.pids), resident(self.pids)))
            if self.over.wait(self.every):
                break

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.samples.append((time.time(), cpu_seconds(self.pids), resident(self.pids)))

    @property
    def cpu(self):
        """Seconds of CPU time from the beginning to the end."""
        return self.samples[-1][1] - self.samples[0][1]

    @property
    def most_memory(self):
        return max(sample[2] for sample in self.samples)
