"""How much processor time and memory an easim command takes, for tests of sizes."""
import subprocess
import sys

# A process begins with the memory of the one that started it: this small one starts easim and says what it used.
STARTER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write(f"\\n{done.returncode} {used.ru_utime + used.ru_stime} {used.ru_maxrss * 1024}")
"""


def run(*command):
    """Standard output, standard error, exit status, seconds of processor time, bytes of memory at the peak."""
    done = subprocess.run([sys.executable, "-c", STARTER, *map(str, command)], capture_output=True, text=True, check=True)
    said, _, used = done.stderr.rpartition("\n")
    code, seconds, peak = used.split()
    return done.stdout, said, int(code), float(seconds), int(peak)
