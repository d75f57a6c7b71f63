package io.hypersync.leader.oplog;

/** Receives entries of a sequential read. */
@FunctionalInterface
public interface RecordConsumer {
  /** Takes one entry; the consumer owns the array. */
  void accept(long index, byte[] payload);
}
