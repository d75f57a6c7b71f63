package io.hypersync.cli.stages;

import java.util.Arrays;
import java.util.Locale;

/**
 * The whole way of a mutation, the worker's part and the leader's (design 4), and what can be done
 * about each part. {@link #LEADER} stands for all from {@link #SEND} to {@link #REPLICATE} where
 * the leader cannot be asked.
 */
public enum Stage {
  /** The request is taken from the kernel. */
  FUSE(
      "the worker takes the request from the kernel",
      "The CPUs of this machine are busy: give it more of them, or run less on it."),
  /** Bytes become chunks. */
  HASH(
      "what is written is split, hashed and stored here",
      "Much is written. What need not be shared belongs into /ntmfs/local:"
          + " ./hypersync profile shows which paths are worth it."),
  /** The barrier. */
  GATE(
      "the worker's own thread, and what others have committed before",
      "Others commit faster than this worker applies, or the CPUs of this machine are busy:"
          + " ./hypersync log shows who writes."),
  /** Not to be looked into from here. */
  LEADER(
      "the way to the leader and back, and the leader",
      "The leader does not run on this machine. Run ./hypersync why-slow on the leader's host, too:"
          + " what it does not find there is the network, of which a change takes one round trip."),
  /** Network, one way. */
  SEND(
      "the way to the leader",
      "The leader is on this machine, so this is threads that wait for a CPU: give them more CPUs,"
          + " or run less here."),
  /** Chunks on their way. */
  UPLOAD(
      "chunks of large writes on their way to the leader",
      "Much is written. What need not be shared belongs into /ntmfs/local:"
          + " ./hypersync profile shows which paths are worth it."),
  /** The leader's queue. */
  QUEUE(
      "waiting for its turn at the leader",
      "Many write at once, or one floods: ./hypersync log shows who. Beyond that, the leader needs"
          + " a faster CPU: one thread puts everything in order."),
  /** The sequencer. */
  SEQUENCE(
      "the leader puts it in order and computes the Merkle root",
      "The leader needs a faster CPU, or one that is less busy: one thread puts everything in"
          + " order."),
  /** The disk. */
  SYNC(
      "the leader's disk",
      "A faster disk for the leader's state folder, best an NVMe disk with power-loss protection."
          + " More processes at once cost no more syncs: what waits is synced together."),
  /** The answer leaves. */
  ACK(
      "the leader's thread notices that the disk is done",
      "The CPUs of the leader's machine are busy: give it more of them, or run less on it."),
  /** Network, other way. */
  REPLICATE(
      "the way back from the leader",
      "The leader is on this machine, so this is threads that wait for a CPU: give them more CPUs,"
          + " or run less here."),
  /** The replica. */
  APPLY(
      "the worker applies the entry and compares the Merkle root",
      "The CPUs of this machine are busy: give it more of them, or run less on it."),
  /** The kernel's caches. */
  NOTIFY(
      "the kernel forgets what the change makes wrong",
      "Processes keep directories busy in which others change names. names_late in"
          + " ./hypersync status --json counts how often nobody could wait for that."),
  /** The kernel gets its answer. */
  REPLY(
      "the answer goes to the kernel",
      "The CPUs of this machine are busy: give it more of them, or run less on it."),
  /** All of it. */
  TOTAL("from the call's arrival to its answer", "");

  private final String what;
  private final String advice;

  Stage(String what, String advice) {
    this.what = what;
    this.advice = advice;
  }

  /** Its key in JSON. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What happens in it, as half a sentence. */
  public String what() {
    return what;
  }

  /** What to do when most time goes here, in sentences. */
  String advice() {
    return advice;
  }

  /** The one with this key. */
  public static Stage of(String key) {
    return Arrays.stream(values())
        .filter(stage -> stage.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no stage is called " + key));
  }
}
