"""Names of the package may be used first by many threads at once."""

import subprocess
import sys

# A short switch interval lets the threads meet inside the imports.
SCRIPT = """
import sys, threading, traceback
sys.setswitchinterval(1e-5)
import pymc_medlda as med
names = ["Corpus", "GibbsMedLDA", "predict", "Hinge", "TopicAssignments"]
names += ["GibbsMedLDAStep", "losses"]
together, failed = threading.Barrier(len(names)), []

def use(first):
    together.wait()
    for name in names[first:] + names[:first]:
        try:
            getattr(med, name)
        except Exception:
            failed.append(name)
            traceback.print_exc()

threads = [threading.Thread(target=use, args=(first,)) for first in range(len(names))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
print(len(names), "threads")
"""


def test_many_threads_may_import_the_package_at_once():
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "7 threads\n"
