"""Slurm's own tests of fair share, as data for the tests of core/queues.

    python3 bench/queues/convert_slurm.py SLURM_SOURCES > core/queues/tests/cases/slurm-fair-share.json

SLURM_SOURCES is a checkout of https://github.com/SchedMD/slurm (GPL-2.0-or-later; facts alone are taken: the
associations with their shares and usage, and the figures that `sshare -l` must print for them).

A test is a program in C that makes associations, and a script with the lines of `sshare` that it expects. A line is
account, user, raw shares, normalized shares, raw usage, normalized usage, effective usage, fair-share factor, level
fair share; empty where nothing is printed.
"""

import json
import pathlib
import re
import subprocess
import sys

TESTS = [
    ("test24.1: classic", "classic", "testsuite/expect/test24.1.prog.c", "testsuite/expect/test24.1"),
    ("test_130_2: classic with FairShare=parent", "classic", "testsuite/python/scripts/prio_multifactor.c",
     "testsuite/python/tests/test_130_2.py"),
    ("test24.4: Fair Tree", "fair-tree", "testsuite/expect/test24.4.prog.c", "testsuite/expect/test24.4"),
]
COLUMNS = ["account", "user", "raw_shares", "norm_shares", "raw_usage", "norm_usage", "effective_usage", "fair_share",
           "level"]
USE_PARENT = "SLURMDB_FS_USE_PARENT"


def associations(text):
    """The associations that a program makes, in its order."""
    found = []
    for block in text.split("slurmdb_create_assoc_usage(")[1:]:
        def field(pattern):
            match = re.search(pattern, block)
            return match and match.group(1)
        number, parent = field(r"assoc->id = (\d+)"), field(r"parent_id = (\d+)")
        shares, user = field(r"shares_raw = (\w+)"), field(r'user = xstrdup\("(.*?)"\)')
        account = field(r'acct = xstrdup\("(.*?)"\)')
        usage = field(r"usage_raw = (\d+)")
        found.append({
            "id": int(number),
            "parent": parent and int(parent),
            "account": account,
            "user": user,
            "shares": "parent" if shares == USE_PARENT else int(shares or 0),
            # Usage of accounts is the sum of their users'.
            "usage": int(usage or 0) if user else 0,
        })
    return found


def lines(text):
    """The lines of sshare that a script expects."""
    expected = []
    for line in re.findall(r'"([A-Za-z]\w*\\?\|.*?)"', text):
        cells = line.replace("\\|", "|").split("|")
        row = {name: cell for name, cell in zip(COLUMNS, cells) if cell and "=" not in cell}
        expected.append(row)
    return expected


def main():
    sources = pathlib.Path(sys.argv[1])
    commit = subprocess.run(["git", "-C", sources, "log", "-1", "--format=%H of %cs"], capture_output=True, text=True,
                            check=True).stdout.strip()
    cases = [{
        "name": name,
        "algorithm": algorithm,
        "files": [program, script],
        "associations": associations((sources / program).read_text()),
        "sshare": lines((sources / script).read_text()),
    } for name, algorithm, program, script in TESTS]
    source = ("https://github.com/SchedMD/slurm, GPL-2.0-or-later, " + commit
              + "; facts taken by bench/queues/convert_slurm.py")
    print(json.dumps({"source": source, "cases": cases}, indent=1))


main()
