"""A PostgreSQL server of the tests' own, and a proxy before it that cuts connections."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path


def programs():
    """The folder of the newest server that is installed, or nothing."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else None


class Server:
    """In a temporary folder, reachable through a socket there and nowhere else."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="chronoveil-pg-"))
        self.user = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        common = {"cwd": self.folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **self.user}
        subprocess.run([programs() / "initdb", "-D", self.folder / "data", "-U", "chronoveil", "-A", "trust", "-E", "UTF8",
                        "--locale=C", "--no-sync"], check=True, **common)
        self.process = subprocess.Popen([programs() / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c",
                                         "listen_addresses=", "-c", "shared_buffers=16MB"], **common)
        path = self.folder / ".s.PGSQL.5432"
        deadline = time.monotonic() + 60
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(str(path))
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)


def url(folder):
    return f"postgresql:///postgres?user=chronoveil&host={folder}"


class Proxy:
    """Counts the messages of the protocol in both directions together, and cuts at one of them. Rows that are read are
    not counted: there are more of them each time."""

    def __init__(self, server_folder):
        self.server = str(server_folder / ".s.PGSQL.5432")
        self.folder = Path(tempfile.mkdtemp(prefix="chronoveil-proxy-"))
        self.lock = threading.Lock()
        self.counted, self.cut, self.after = 0, 0, False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / ".s.PGSQL.5432"))
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cut_at(self, message, after):
        """From now on; 0 for never. `after`: the message itself still arrives."""
        with self.lock:
            self.counted, self.cut, self.after = 0, message, after

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.server)
            back = threading.Thread(target=self.pass_on, args=(server, client, True), daemon=True)
            back.start()
            self.pass_on(client, server, False)
            back.join()

    def pass_on(self, source, target, from_server):
        buffer, started = b"", from_server
        try:
            while piece := source.recv(65536):
                buffer += piece
                while True:
                    at = 1 if started else 0  # the first message of a client has no type
                    if len(buffer) < at + 4:
                        break
                    size = at + int.from_bytes(buffer[at:at + 4], "big")
                    if len(buffer) < size:
                        break
                    row = from_server and buffer.startswith(b"D")
                    started = True
                    with self.lock:
                        self.counted += not row
                        due = not row and self.counted == self.cut
                    if not due or self.after:
                        target.sendall(buffer[:size])
                    if due:
                        return
                    buffer = buffer[size:]
        except OSError:
            pass
        finally:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
