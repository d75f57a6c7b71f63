package io.hypersync.cli.stages;

import java.util.Arrays;
import java.util.Locale;

/**
 * The stages of a mutation at the worker and the leader, in order, with advice for each. {@link
 * #LEADER} stands for all from {@link #SEND} to {@link #REPLICATE} where the leader cannot be
 * asked.
 */
public enum Stage {
  /** The worker reads the request from the kernel. */
  FUSE(
      "the worker takes the request from the kernel",
      "The CPUs of this machine are busy: give it more of them, or run less on it."),
  /** Data is split into chunks and hashed. */
  HASH(
      "what is written is split, hashed and stored here",
      "Much is written. What need not be shared belongs into /ntmfs/local:"
          + " ./hypersync profile shows which paths are worth it."),
  /** The barrier of hypersync.md 6.2. */
  GATE(
      "the worker's own thread, and what others have committed before",
      "Others commit faster than this worker applies, or the CPUs of this machine are busy:"
          + " ./hypersync log shows who writes."),
  /** Everything between sending and arrival, if the leader is not on this machine. */
  LEADER(
      "the way to the leader and back, and the leader",
      "The leader does not run on this machine. Run ./hypersync why-slow on the leader's host, too:"
          + " what it does not find there is the network, of which a change takes one round trip."),
  /** Network, from worker to leader. */
  SEND(
      "the way to the leader",
      "The leader is on this machine, so this is threads that wait for a CPU: give them more CPUs,"
          + " or run less here."),
  /** Chunks in transit to the leader. */
  UPLOAD(
      "chunks of large writes on their way to the leader",
      "Much is written. What need not be shared belongs into /ntmfs/local:"
          + " ./hypersync profile shows which paths are worth it."),
  /** Waiting in the leader's intent queue. */
  QUEUE(
      "waiting for its turn at the leader",
      "Many write at once, or one floods: ./hypersync log shows who. Beyond that, the leader needs"
          + " a faster CPU: one thread puts everything in order."),
  /** Sequencing: the op is applied to S_head and the root computed. */
  SEQUENCE(
      "the leader puts it in order and computes the Merkle root",
      "The leader needs a faster CPU, or one that is less busy: one thread puts everything in"
          + " order."),
  /** Writing and syncing the log. */
  SYNC(
      "the leader's disk",
      "A faster disk for the leader's state folder, best an NVMe disk with power-loss protection."
          + " More processes at once cost no more syncs: what waits is synced together."),
  /** From the end of the sync until the ack is sent. */
  ACK(
      "the leader's thread notices that the disk is done",
      "The CPUs of the leader's machine are busy: give it more of them, or run less on it."),
  /** Network, from leader to worker. */
  REPLICATE(
      "the way back from the leader",
      "The leader is on this machine, so this is threads that wait for a CPU: give them more CPUs,"
          + " or run less here."),
  /** The replica applies the entry. */
  APPLY(
      "the worker applies the entry and compares the Merkle root",
      "The CPUs of this machine are busy: give it more of them, or run less on it."),
  /** Invalidations of the kernel's caches. */
  NOTIFY(
      "the kernel forgets what the change makes wrong",
      "Processes keep directories busy in which others change names. names_late in"
          + " ./hypersync status --json counts how often nobody could wait for that."),
  /** The reply is written to the kernel. */
  REPLY(
      "the answer goes to the kernel",
      "The CPUs of this machine are busy: give it more of them, or run less on it."),
  TOTAL("from the call's arrival to its answer", "");

  private final String what;
  private final String advice;

  Stage(String what, String advice) {
    this.what = what;
    this.advice = advice;
  }

  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns what happens in the stage, as half a sentence. */
  public String what() {
    return what;
  }

  /** Returns what to do when most time is spent here, in sentences; empty for {@link #TOTAL}. */
  public String advice() {
    return advice;
  }

  /**
   * Returns the stage with this JSON key.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Stage of(String key) {
    return Arrays.stream(values())
        .filter(stage -> stage.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no stage is called " + key));
  }
}
