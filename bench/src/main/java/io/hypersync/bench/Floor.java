package io.hypersync.bench;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The least time that a durable mutation can take on a machine: a FUSE call that does nothing, a
 * loopback round trip to another process, and one synced block, each the p50 of the same run.
 *
 * @param fuseNs nanoseconds
 * @param loopbackNs nanoseconds
 * @param diskNs nanoseconds
 */
record Floor(long fuseNs, long loopbackNs, long diskNs) {
  /** Operations that are one durable log entry each. */
  static final List<Operation> ONE_COMMIT =
      List.of(
          Operation.MKDIR,
          Operation.RENAME,
          Operation.UNLINK,
          Operation.CHMOD,
          Operation.WRITE,
          Operation.APPEND);

  /** The same, and the one that is two. */
  static final List<Operation> COMMITS =
      Stream.concat(ONE_COMMIT.stream(), Stream.of(Operation.CREATE)).toList();

  /** Returns of how many log entries one of {@link #COMMITS} is. */
  static int commits(Operation operation) {
    return operation == Operation.CREATE ? 2 : 1;
  }

  /** Returns the floor; empty unless all three were measured with one thread. */
  static Optional<Floor> of(List<Pair> rows) {
    Optional<Sample> fuse = Pair.find(rows, Operation.STATFS, 1).flatMap(Pair::hypersync);
    Optional<Sample> loopback = Pair.find(rows, Operation.LOOPBACK, 1).flatMap(Pair::plain);
    Optional<Sample> disk = Pair.find(rows, Operation.DISK_OVERWRITE, 1).flatMap(Pair::plain);
    return fuse.isPresent() && loopback.isPresent() && disk.isPresent()
        ? Optional.of(new Floor(fuse.get().p50Ns(), loopback.get().p50Ns(), disk.get().p50Ns()))
        : Optional.empty();
  }

  /**
   * Returns the floor of a mount in the leader's process, in nanoseconds: a FUSE call there and one
   * synced block. Empty unless both were measured with one thread.
   */
  static OptionalLong ofMainHost(List<Pair> rows) {
    Optional<Sample> fuse =
        Pair.find(rows, Operation.STATFS, 1)
            .flatMap(row -> row.on(MeasuredFilesystem.Kind.MAIN_HOST));
    Optional<Sample> disk = Pair.find(rows, Operation.DISK_OVERWRITE, 1).flatMap(Pair::plain);
    return fuse.isPresent() && disk.isPresent()
        ? OptionalLong.of(fuse.get().p50Ns() + disk.get().p50Ns())
        : OptionalLong.empty();
  }

  /** Returns the sum, in nanoseconds. */
  long ns() {
    return fuseNs + loopbackNs + diskNs;
  }
}
