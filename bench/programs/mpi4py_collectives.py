"""All collectives by mpi4py, results known: buffers, counts that differ, types with gaps, in place, objects, operations
of the program's own that do not commute, communicators that come and go. mpi4py_collectives.py ROUNDS"""
import sys
from array import array

from mpi4py import MPI

SIZES = [1, 7, 64, 1000]  # elements
checks = 0


def check(found, expected, what):
    global checks
    checks += 1
    if list(found) != list(expected):
        print(f"WRONG: {what}: rank {MPI.COMM_WORLD.rank} got {list(found)[:8]} ..., expected {list(expected)[:8]} ...",
              flush=True)
        MPI.COMM_WORLD.Abort(1)


def values(rank, size, step=0):
    return array("i", ((rank * 31 + step * 17 + k) % 1009 for k in range(size)))


def zeros(size):
    return array("i", bytes(4 * size))


def chain(parts):
    return [x for part in parts for x in part]


def sums(n, size, step):
    return [sum(column) for column in zip(*(values(r, size, step) for r in range(n)))]


def rooted(comm, size, step, root):
    n, rank = comm.size, comm.rank
    data = values(root, size, step) if rank == root else zeros(size)
    comm.Bcast(data, root)
    check(data, values(root, size, step), "Bcast")
    found = zeros(size * n) if rank == root else None
    comm.Gather(values(rank, size, step), found, root)
    if rank == root:
        check(found, chain(values(r, size, step) for r in range(n)), "Gather")
    part = zeros(size)
    comm.Scatter(found, part, root)
    check(part, values(rank, size, step), "Scatter")
    total = zeros(size) if rank == root else None
    comm.Reduce(values(rank, size, step), total, MPI.SUM, root)
    if rank == root:
        check(total, sums(n, size, step), "Reduce")


def unrooted(comm, size, step):
    n, rank = comm.size, comm.rank
    everything = chain(values(r, size, step) for r in range(n))
    found = zeros(size * n)
    comm.Allgather(values(rank, size, step), found)
    check(found, everything, "Allgather")
    found = zeros(size * n)
    found[rank * size:(rank + 1) * size] = values(rank, size, step)
    comm.Allgather(MPI.IN_PLACE, found)
    check(found, everything, "Allgather in place")
    given = array("i", chain(values(rank * n + r, size, step) for r in range(n)))
    comm.Alltoall(given, found)
    check(found, chain(values(r * n + rank, size, step) for r in range(n)), "Alltoall")
    total = values(rank, size, step)
    comm.Allreduce(MPI.IN_PLACE, total, MPI.SUM)
    check(total, sums(n, size, step), "Allreduce in place")
    part = zeros(size)
    comm.Reduce_scatter_block(values(rank, size * n, step), part, MPI.SUM)
    check(part, sums(n, size * n, step)[rank * size:(rank + 1) * size], "Reduce_scatter_block")
    comm.Barrier()


def with_counts(comm, size, step, root):
    n, rank = comm.size, comm.rank
    counts = [size + r for r in range(n)]
    places = [sum(counts[:r]) for r in range(n)]
    everything = chain(values(r, counts[r], step) for r in range(n))
    found = zeros(sum(counts))
    comm.Allgatherv(values(rank, counts[rank], step), [found, counts, places, MPI.INT])
    check(found, everything, "Allgatherv")
    found = zeros(sum(counts))
    comm.Gatherv(values(rank, counts[rank], step), [found, counts, places, MPI.INT], root)
    if rank == root:
        check(found, everything, "Gatherv")
    part = zeros(counts[rank])
    comm.Scatterv([found, counts, places, MPI.INT], part, root)
    check(part, values(rank, counts[rank], step), "Scatterv")
    same = [counts[rank]] * n
    given = array("i", chain(values(rank * n + r, counts[r], step) for r in range(n)))
    found = zeros(n * counts[rank])
    comm.Alltoallv([given, counts, places, MPI.INT], [found, same, [r * counts[rank] for r in range(n)], MPI.INT])
    check(found, chain(values(r * n + rank, counts[rank], step) for r in range(n)), "Alltoallv")
    part = zeros(counts[rank])
    comm.Reduce_scatter(values(rank, sum(counts), step), part, counts, MPI.SUM)
    check(part, sums(n, sum(counts), step)[places[rank]:places[rank] + counts[rank]], "Reduce_scatter")


def with_gaps(comm, size, step):
    """Every second element."""
    n, rank = comm.size, comm.rank
    type_ = MPI.INT.Create_vector(size, 1, 2).Commit()
    data = zeros(2 * size)
    if rank == n - 1:
        data[::2] = values(rank, size, step)
    comm.Bcast([data, 1, type_], n - 1)
    check(data[::2], values(n - 1, size, step), "Bcast with gaps")
    check(data[1::2], zeros(size), "what is between")
    type_.Free()




def compose(first, second, _type):
    """Functions x -> a x + b, pairs of a and b: the order in which they follow each other matters."""
    f, g = memoryview(first).cast("B").cast("i"), memoryview(second).cast("B").cast("i")
    for k in range(0, len(f), 2):
        g[k], g[k + 1] = f[k] * g[k] % 1009, (f[k] * g[k + 1] + f[k + 1]) % 1009


COMPOSE = MPI.Op.Create(compose, commute=False)


def in_order(comm, size):
    given = [values(r, 2 * size) for r in range(comm.size)]
    expected = array("i", given[-1])
    for one in reversed(given[:-1]):
        compose(one, expected, None)
    pair = MPI.INT.Create_contiguous(2).Commit()
    found = zeros(2 * size)
    comm.Allreduce([given[comm.rank], size, pair], [found, size, pair], COMPOSE)
    check(found, expected, "Allreduce in order")
    pair.Free()


def objects(comm, step, root):
    n, rank = comm.size, comm.rank

    def thing(r):
        return {"rank": r, "step": step, "text": "x" * (r * 50 + step)}

    check([comm.bcast(thing(root) if rank == root else None, root)], [thing(root)], "bcast")
    found = comm.gather(thing(rank), root)
    if rank == root:
        check(found, [thing(r) for r in range(n)], "gather")
    check([comm.scatter(found, root)], [thing(rank)], "scatter")
    check(comm.allgather(thing(rank)), [thing(r) for r in range(n)], "allgather")
    check(comm.alltoall([thing(rank * n + r) for r in range(n)]), [thing(r * n + rank) for r in range(n)], "alltoall")
    check([comm.allreduce(rank + step)], [sum(r + step for r in range(n))], "allreduce")
    comm.barrier()


def one_round(comm, step):
    for size in SIZES:
        root = step % comm.size
        rooted(comm, size, step, root)
        unrooted(comm, size, step)
        with_counts(comm, size, step, root)
        with_gaps(comm, size, step)
        in_order(comm, size)
    objects(comm, step, step % comm.size)


def main():
    rounds = int(sys.argv[1])
    world = MPI.COMM_WORLD
    halves = world.Split(world.rank % 2, world.rank)
    for step in range(rounds):
        one_round(world, step)
        one_round(halves, step)
        copy = world.Dup()
        objects(copy, step, 0)
        copy.Free()
    halves.Free()
    total = world.allreduce(checks)
    if world.rank == 0:
        print(f"checks {total}")


main()
