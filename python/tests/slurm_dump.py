"""A dump of Slurm's accounting as a cluster of two partitions keeps it, and its `slurm.conf`: drawn with a seed, with
users, accounts, jobs without GPUs and jobs that were queued again. Jobs start in order of arrival as far as their
partition has GPUs, so that no more run at once than there are."""

from __future__ import annotations

import datetime
import heapq
import random

CONF = """ClusterName=made-up
GresTypes=gpu
NodeName=a[01-12] CPUs=64 RealMemory=515000 Gres=gpu:a100:8 State=UNKNOWN
NodeName=t[01-06] CPUs=32 RealMemory=257000 Gres=gpu:t4:4 State=UNKNOWN
PartitionName=train Nodes=a[01-12] Default=YES MaxTime=7-00:00:00 State=UP
PartitionName=small Nodes=t[01-06] MaxTime=1-00:00:00 State=UP
"""

GPUS = {"train": 96, "small": 24}
TYPES = {"train": "a100", "small": "t4"}
HEADER = "JobID|User|Account|Partition|QOS|Priority|Submit|Start|End|ElapsedRaw|State|TimelimitRaw|ReqTRES|AllocTRES|NodeList"
MONDAY = datetime.datetime(2024, 3, 11, tzinfo=datetime.timezone.utc).timestamp()


def dump(jobs: int = 5000, seed: int = 7) -> str:
    """So many jobs as ``sacct -P --duplicates`` prints them."""
    draw = random.Random(seed)
    users = [f"user{at:02}" for at in range(24)]
    account = {user: f"lab{at % 5}" for at, user in enumerate(users)}
    free, running = dict(GPUS), {name: [] for name in GPUS}
    last = dict.fromkeys(GPUS, 0.0)
    rows = [HEADER]
    now = MONDAY

    def when(seconds: float) -> str:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")

    for job in range(1, jobs + 1):
        # Few come at night, and at weekends.
        day = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
        quiet = 3.0 if day.hour < 8 or day.weekday() > 4 else 1.0
        now += draw.expovariate(1 / (85 * quiet))
        user = users[int(len(users) * draw.random() ** 2)]
        partition = "train" if draw.random() < 0.7 else "small"
        submit = int(now)
        run = max(30, int(draw.lognormvariate(7.2, 1.6)))
        state = draw.choices(["COMPLETED", "FAILED", "CANCELLED by 1001", "TIMEOUT"], [80, 12, 6, 2])[0]
        priority, limit = draw.randint(1000, 90000), -(-run // 60) * 2
        about = f"{job}|{user}|{account[user]}|{partition}|normal|{priority}"
        if draw.random() < 0.25:
            cores = draw.choice([1, 4, 16])
            tres = f"billing={cores},cpu={cores},mem={cores * 4}G,node=1"
            rows.append(
                f"{about}|{when(submit)}|{when(submit)}|{when(submit + run)}|{run}|{state}|{limit}|{tres}|{tres}|{partition[0]}01"
            )
            continue
        gpus = draw.choices([1, 2, 4, 8, 16], [50, 15, 15, 15, 5] if partition == "train" else [70, 20, 10, 0, 0])[0]
        # Who comes later starts later, in a partition.
        start = max(float(submit), last[partition])
        ended = running[partition]
        while ended and ended[0][0] <= start:
            free[partition] += heapq.heappop(ended)[1]
        while free[partition] < gpus:
            end, held = heapq.heappop(ended)
            start = max(start, end)
            free[partition] += held
        start = int(-(-start // 1))
        last[partition] = start
        free[partition] -= gpus
        heapq.heappush(ended, (start + run, gpus))
        cores = gpus * 6
        req = f"cpu={cores},gres/gpu={gpus},mem={gpus * 32}G,node={-(-gpus // 8)}"
        alloc = f"billing={cores},cpu={cores},gres/gpu:{TYPES[partition]}={gpus},gres/gpu={gpus},mem={gpus * 32}G,node={-(-gpus // 8)}"
        nodes = f"{partition[0] if partition == 'small' else 'a'}{draw.randint(1, 9):02}".replace("s", "t")
        if run > 600 and draw.random() < 0.02:
            # Its node failed after a while, and it went on at once.
            first = run // 3
            rows.append(
                f"{about}|{when(submit)}|{when(start)}|{when(start + first)}|{first}|NODE_FAIL|{limit}|{req}|{alloc}|{nodes}"
            )
            submit, start, run = start + first, start + first, run - first
        rows.append(
            f"{about}|{when(submit)}|{when(start)}|{when(start + run)}|{run}|{state}|{limit}|{req}|{alloc}|{nodes}"
        )
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    import pathlib
    import sys

    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sacct.psv").write_text(dump(int(sys.argv[2]) if len(sys.argv) > 2 else 5000))
    (folder / "slurm.conf").write_text(CONF)
