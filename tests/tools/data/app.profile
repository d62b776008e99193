{
  "format": "cpm profile",
  "version": 1,
  "provenance": {
    "program": "./app",
    "library": "mpich",
    "mpi": "MPICH Version: 4.0.2"
  },
  "processes": 4,
  "hosts": ["node2", "node0", "node1", "node3"],
  "seconds": 2.5,
  "collectives": 0.125,
  "left_out": 0,
  "communicators": [
    {"size": 4, "processes": [0, 1, 2, 3]},
    {"size": 2, "processes": [3, 1]}
  ],
  "calls": [
    {"communicator": 0, "operation": "bcast", "root": 3, "bytes": 4, "calls": 210, "mean": 0.00025, "total": 0.0525, "between": 0.0134009, "back_to_back": 200},
    {"communicator": 0, "operation": "gatherv", "root": 0, "bytes": 107.5, "calls": 20, "mean": 0.000375, "total": 0.0075, "between": 2.2e-06, "back_to_back": 8},
    {"communicator": 0, "operation": "alltoallv", "bytes": 4000, "calls": 20, "mean": 0.0015, "total": 0.03, "between": 1.5e-06, "back_to_back": 17},
    {"communicator": 0, "operation": "barrier", "bytes": 0, "calls": 10, "mean": 0.0001, "total": 0.001, "between": 1e-06, "back_to_back": 10},
    {"communicator": 1, "operation": "allgather", "bytes": 65536, "calls": 20, "mean": 0.00125, "total": 0.025, "between": 7.5e-07, "back_to_back": 19}
  ]
}
