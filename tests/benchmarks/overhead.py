"""What PyMC adds to the sweeps, and how long the first draw takes.

python -m tests.benchmarks.overhead sample        # whole pm.sample over one chain's steps
python -m tests.benchmarks.overhead first_draw    # first draw in a new process, over import pymc
python -m tests.benchmarks.overhead step          # whole step over its sweep alone
python -m tests.benchmarks.overhead tasks         # step with 20 tasks over a step with one
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from tests.benchmarks import data


def build(n_topics=20):
    import pymc_medlda as med

    corpus, y = data.load("20ng_religion")
    return med.GibbsMedLDA(corpus, y, n_topics=n_topics, loss=med.Hinge(c=1.0, margin=164.0))


def warm_steps(step, point, n):
    for _ in range(n):
        point, _ = step.step(point)
    return point


def sample(options):
    """Time `pm.sample(draws=1000, ...)` with convergence checks, relative to one chain's steps.

    Three further times are printed. No sampler with two processes can avoid the first: the same
    steps by two processes at once. The second is the time of PyMC itself, with a step that returns
    the same draw again and again. The third is the first write to the memory of the draws: PyMC
    writes the draws to one array per chain, and copies them to the array of the result. Processor
    times depend less on other work of the machine than elapsed times.
    """
    import pymc as pm

    import pymc_medlda as med

    n = options.draws
    with build() as model:
        step = med.GibbsMedLDAStep(rng=1)
        point = warm_steps(step, model.initial_point(1), 5)
        _, (alone, own, _) = timed(lambda: warm_steps(step, point, n + 50))
        _, (together, _, both) = timed(lambda: step_in_two_processes(step, point, n + 50))
        _, (touching, _, _) = timed(
            lambda: np.empty(2 * (n + 50) * point["z"].nbytes, np.uint8).fill(1)
        )
        print(f"one chain's {n + 50} steps {alone:.2f} s (processor {own:.2f} s)")
        print(f"two processes at once {together:.2f} s (processor {both:.2f} s)")
        print(f"first write to the memory of the draws, twice: {2 * touching:.2f} s")
        arguments = {"tune": 50, "chains": 2, "cores": 2, "random_seed": 1, "progressbar": False}
        for name in ("first", "second"):  # ArviZ and PyTensor load more at the first of a process
            idata, (whole, main, chains) = timed(lambda: pm.sample(n, **arguments))
            print(f"{name} pm.sample {whole:.2f} s (processor: main process {main:.2f} s, chains")
            print(f"    {chains:.2f} s): {whole / alone:.2f} times one chain's steps,")
            print(f"    {whole / together:.2f} times those of two processes at once")
        _, (idle, _, _) = timed(lambda: pm.sample(n, step=idle_step(), **arguments))
        print(f"pm.sample with a step that changes nothing {idle:.2f} s")
    z = idata["posterior"]["z"]
    print(f"{z.nbytes / z.size:.2f} bytes per token and draw")


def idle_step():
    """Return a step that takes the first draw, and then returns it again and again."""
    import pymc_medlda as med

    class IdleStep(med.GibbsMedLDAStep):
        drawn = None

        def step(self, point):
            self.drawn = self.drawn or super().step(point)
            return self.drawn

    return IdleStep()


def timed(work):
    """Return a result, the seconds it took, and those of the processor, here and in children."""
    start, before = time.perf_counter(), os.times()
    result = work()
    seconds, after = time.perf_counter() - start, os.times()
    own, children = np.subtract(after, before)[:4].reshape(2, 2).sum(axis=1)
    return result, (seconds, own, children)


def step_in_two_processes(step, point, n):
    """Take n steps in each of two processes."""
    context = multiprocessing.get_context()
    processes = [context.Process(target=warm_steps, args=(step, point, n)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def first_draw(options):
    """Time a process from its start to its first draw, and another that only imports PyMC.

    The caches of numba and PyTensor are empty at first ("cold"), and then filled ("warm"). The
    share of this package is the difference between the two processes.
    """
    programs = {"import pymc": "import pymc", "first draw": FIRST_DRAW}
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "NUMBA_CACHE_DIR": f"{folder}/numba",
            "PYTENSOR_FLAGS": f"base_compiledir={folder}/pytensor",
        }
        # As for an installed package, whose modules are not parsed again in every process.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for name, program in programs.items():
            print(f"{name}, cold: {seconds_to_end(program, environment):.2f} s", flush=True)
        seconds = {name: [] for name in programs}
        for _ in range(options.rounds):  # in turns, so that other load on the machine affects both
            for name, program in programs.items():
                seconds[name].append(seconds_to_end(program, environment))
    for name, own in seconds.items():
        print(f"{name}, warm: median {np.median(own):.2f} s, least {min(own):.2f} s")
    base, whole = seconds.values()
    print(f"share of pymc-medlda: {np.median(whole) - np.median(base):.2f} s", end=" ")
    print(f"(of the least: {min(whole) - min(base):.2f} s)")


FIRST_DRAW = "from tests.benchmarks.overhead import one_draw; one_draw()"


def seconds_to_end(program, environment):
    """Return how long a new process takes from its start to the last line of a program.

    What the interpreter does after that line, to free its memory, is not counted.
    """
    command = [sys.executable, "-W", "ignore", "-c", f"{program}\nprint('end', flush=True)"]
    start = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline()
        seconds = time.perf_counter() - start
    if said != "end\n":
        raise SystemExit(f"{program!r} did not reach its end")
    return seconds


def one_draw():
    """Take one draw by `pm.sample`: this is what `first_draw` times."""
    import pymc as pm

    import pymc_medlda as med

    with build():
        pm.sample(
            draws=1,
            tune=0,
            chains=1,
            step=med.GibbsMedLDAStep(),
            progressbar=False,
            compute_convergence_checks=False,
            random_seed=1,
            quiet=True,
        )


def step(options):
    """Time whole steps, and their sweeps inside them, of the same chain."""
    import pymc_medlda as med

    with build(options.topics) as model:
        step = med.GibbsMedLDAStep(rng=1)
        point = warm_steps(step, model.initial_point(1), 50)
    inside = []
    original = step.conditionals.sampler.sweep

    def timed(*arguments, **keywords):
        start = time.perf_counter()
        moved = original(*arguments, **keywords)
        inside.append(time.perf_counter() - start)
        return moved

    step.conditionals.sampler.sweep = timed
    whole = []
    for _ in range(200):
        start = time.perf_counter()
        point, _ = step.step(point)
        whole.append(time.perf_counter() - start)
    n_tokens = point["z"].size
    print(
        f"K={options.topics}: step {1e3 * np.median(whole):.2f} ms, sweep "
        f"{1e3 * np.median(inside):.2f} ms, ratio {np.median(whole) / np.median(inside):.3f}, "
        f"{n_tokens / np.median(whole) / 1e6:.1f} million tokens per second"
    )


def tasks(options):
    """Time steps with 20 classes as tasks and with one class: 20ng_bydate_nostop, K = 40."""
    import pymc_medlda as med

    corpus, y = data.load("20ng_bydate_nostop")
    chains = {}
    for n_tasks, response in ((20, y), (1, y == 0)):
        model = med.GibbsMedLDA(corpus, response, n_topics=40, loss=med.Hinge(margin=64.0))
        step = med.GibbsMedLDAStep(rng=1, model=model)
        chains[n_tasks] = step, warm_steps(step, model.initial_point(1), 40)
    seconds = {1: [], 20: []}
    for _ in range(6):  # in turns, so that other load on the machine affects both
        for n_tasks, (step, point) in chains.items():
            start = time.perf_counter()
            point, _ = step.step(point)
            seconds[n_tasks].append(time.perf_counter() - start)
            chains[n_tasks] = step, point
    one, twenty = min(seconds[1]), min(seconds[20])
    print(f"whole step, 1 task {one:.3f} s, 20 tasks {twenty:.3f} s, ratio {twenty / one:.2f}")


FIGURES = {f.__name__: f for f in (sample, first_draw, step, tasks)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if not data.available("20ng_religion"):
        raise SystemExit(data.MISSING)
    FIGURES[options.figure](options)


if __name__ == "__main__":
    main()
