"""Where processes sit: maps of trees and topologies of networks, as files say."""
from __future__ import annotations

from ._library import Handle, Path, create, lib, path_of


class Map(Handle):
    """Which process sits where in the tree of an algorithm: a file of ``cpm map``."""

    _free = "cpm_map_free"

    @classmethod
    def load(cls, path: Path) -> Map:
        """Reads a file (FileError, ParseError)."""
        return cls(create(lib.cpm_map_read, path_of(path)))


class Topology(Handle):
    """Switches and hosts of a network; process i is on the i-th host."""

    _free = "cpm_topology_free"

    @classmethod
    def load(cls, path: Path) -> Topology:
        """Reads a file (FileError, ParseError)."""
        return cls(create(lib.cpm_topology_read, path_of(path)))
