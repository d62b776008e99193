#!/usr/bin/env bash
# Communicators of all kinds, threads, errors, large counts: with nothing forced, and with each
# operation forced. More communicators come and go than an MPI library can have at once (MPICH:
# 2046), so none may be kept.
. "$(dirname "$0")/lib.sh"
forced=bcast:chain,scatter:binomial,gather:split,reduce:binomial,reduce_scatter:halving
forced+=,allgather:bruck,alltoall:ring,allreduce:recursive-doubling,barrier:dissemination

run 2 -- "$programs/communicators" 10 200 || fail "nothing forced: $(cat stdout stderr)"
run 4 --force "$forced" -- "$programs/communicators" 10 200 || fail "forced: $(cat stdout stderr)"
run 2 --verbose --force "$forced" -- "$programs/communicators" 3000 || fail "3000: $(cat stdout stderr)"
[ "$(awk '$2 == "bcast" && $3 == "chain" {calls += $6} END {print (calls > 3000)}' stderr)" = 1 ] || fail "$(cat stderr)"
finish
