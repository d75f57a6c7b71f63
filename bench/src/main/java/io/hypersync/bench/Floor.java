package io.hypersync.bench;

import java.util.List;
import java.util.Optional;

/**
 * The least time that a durable mutation can take on a machine: a FUSE call that does nothing, a
 * loopback round trip to another process, and one synced block, each the p50 of the same run.
 *
 * @param fuseNs nanoseconds
 * @param loopbackNs nanoseconds
 * @param diskNs nanoseconds
 */
record Floor(long fuseNs, long loopbackNs, long diskNs) {
  /** Returns the floor; empty unless all three were measured with one thread. */
  static Optional<Floor> of(List<Pair> rows) {
    Optional<Sample> fuse = Pair.find(rows, Operation.STATFS, 1).flatMap(Pair::hypersync);
    Optional<Sample> loopback = Pair.find(rows, Operation.LOOPBACK, 1).flatMap(Pair::plain);
    Optional<Sample> disk = Pair.find(rows, Operation.DISK_OVERWRITE, 1).flatMap(Pair::plain);
    return fuse.isPresent() && loopback.isPresent() && disk.isPresent()
        ? Optional.of(new Floor(fuse.get().p50Ns(), loopback.get().p50Ns(), disk.get().p50Ns()))
        : Optional.empty();
  }

  /** Returns the sum, in nanoseconds. */
  long ns() {
    return fuseNs + loopbackNs + diskNs;
  }
}
