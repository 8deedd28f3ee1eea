"""Pseudo-terminals: what commands show to people on them, and what their keys do."""

import os
import select
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from unittest import mock


@contextmanager
def terminal_for_output():
    """Let what this process prints go to a terminal; what it showed is in a list afterwards."""
    import pty
    import tty

    ours, other = pty.openpty()
    tty.setraw(other)  # nobody types, and lines end as they were written
    shown = []

    def read():
        try:
            while block := os.read(ours, 65536):
                shown.append(block)
        except OSError:  # how Linux says that the other side is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    text = []
    try:
        with (
            os.fdopen(other, "w", encoding="utf-8") as stream,
            mock.patch.object(sys, "stdout", stream),
            mock.patch.object(sys, "stderr", stream),
        ):
            yield text
    finally:
        reader.join()
        os.close(ours)
        text.append(b"".join(shown).decode(errors="replace"))


class Terminal:
    """Runs a command with a terminal for its input, output and errors."""

    def __init__(self, command, folder, **environment):
        self._command, self._folder = [str(word) for word in command], folder
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **environment}
        self.text = ""

    def __enter__(self):
        import pty

        self._fd, other = pty.openpty()
        self._process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        return self

    def __exit__(self, *error):
        os.close(self._fd)
        self._process.kill()
        self._process.wait()

    def type(self, text):
        os.write(self._fd, text.encode())

    def wait_for(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while text not in self.text and time.monotonic() < deadline and self._read():
            pass
        assert text in self.text

    def wait_for_end(self):
        while self._read():
            pass
        return self._process.wait()

    def _read(self):
        """Read what is there, if anything; False at the end."""
        if select.select([self._fd], [], [], 0.1)[0]:
            try:
                self.text += os.read(self._fd, 65536).decode(errors="replace")
            except OSError:  # how Linux says that the other side is closed
                return False
        return True
