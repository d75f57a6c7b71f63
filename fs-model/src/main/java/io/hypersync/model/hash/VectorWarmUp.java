package io.hypersync.model.hash;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Keeps vectors out of the way until they pay: before the code that uses them is compiled, every
 * vector is an object, and hashing with them takes a hundred times longer than without. A thread of
 * its own practises, once so much has been hashed that it will be worth it, until vectors are the
 * faster way; where they never become that, as in an interpreter, they are not used.
 *
 * <p>Both ways give the same hash, so that it does not matter when a thread sees the change. That
 * is made sure of: by a test of itself before practice, in every round of it, and once more before
 * vectors are used, when they are compiled. One difference, and they are not used ({@link
 * VectorFaults}).
 */
final class VectorWarmUp {
  /** So long vectors are used for one comparison. */
  private static final long ROUND_NS = 2_000_000;

  /** The compiler needs the CPU more than this thread, which would only wait for it. */
  private static final long PAUSE_NS = 2_000_000;

  private final String name;
  private final int worthBlocks;
  private final BooleanSupplier usable;
  private final Way vectors;
  private final int usedFrom;
  private final List<Integer> lengths;
  private final VectorFaults faults;
  private final AtomicBoolean begun = new AtomicBoolean();

  /** How much was hashed meanwhile; threads may overwrite each other's sums, it is a hint. */
  private int hashedBlocks;

  private volatile boolean over;
  private volatile boolean decided;

  /** A way to hash a range that lies inside the array. */
  interface Way {
    Hash hash(byte[] data, int offset, int length);

    /** See {@link Blake3#pairAndTail}; scalar code where there is no other. */
    default Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
      return Blake3Scalar.INSTANCE.pairAndTail(left, right, tail, tailBytes);
    }
  }

  /**
   * Begins to count.
   *
   * @param name of what is practised, for the name of the thread
   * @param worthBlocks after so many blocks of 64 bytes practice begins: whoever has hashed so much
   *     will hash more
   * @param usable whether there are such vectors; {@code vectors} are called only if there are
   * @param vectors what is to be compiled, and to become faster than {@link Blake3Scalar}
   * @param usedFrom the shortest input that will be hashed so: what is shorter has to be compiled,
   *     but not to be faster
   * @param lengths of inputs that make it take every path, one after the other
   * @param faults told of hashes that differ
   */
  VectorWarmUp(
      String name,
      int worthBlocks,
      BooleanSupplier usable,
      Way vectors,
      int usedFrom,
      List<Integer> lengths,
      VectorFaults faults) {
    this.name = name;
    this.worthBlocks = worthBlocks;
    this.usable = usable;
    this.vectors = vectors;
    this.usedFrom = usedFrom;
    this.lengths = List.copyOf(lengths);
    this.faults = faults;
    faults.use(() -> over = false);
  }

  /**
   * Whether to hash with vectors.
   *
   * @param length in bytes of what is going to be hashed
   */
  boolean isOver(int length) {
    return over || countUntilOver(length);
  }

  private boolean countUntilOver(int length) {
    if (hashedBlocks < worthBlocks) {
      hashedBlocks += 1 + Math.min(length / Blake3Chain.BLOCK_BYTES, worthBlocks);
    } else if (!begun.getPlain() && begun.compareAndSet(false, true)) {
      Thread.ofPlatform().name(name + "-warm-up").daemon().start(this::run);
    }
    return false;
  }

  /** Whether it has found out which way is the faster one, or will not. */
  boolean isDecided() {
    return decided;
  }

  private void run() {
    try {
      if (usable.getAsBoolean() && isRight() && practise() && isRight()) {
        over = true;
        if (faults.any()) { // of the other way, meanwhile
          over = false;
        }
      }
    } catch (RuntimeException e) {
      faults.report(name + ": vectors are not used, they fail with " + e);
    } finally {
      decided = true;
    }
  }

  private boolean isRight() {
    String difference = VectorSelfTest.difference(vectors, usedFrom);
    if (difference != null) {
      report(difference);
    }
    return difference == null && !faults.any();
  }

  private void report(String input) {
    faults.report(
        name
            + ": vectors and scalar code hash "
            + input
            + " differently; this process hashes without vectors from now on");
  }

  /** Length after length, so that the compiler gets one thing to do at a time. */
  private boolean practise() {
    byte[] data = new byte[lengths.stream().mapToInt(Integer::intValue).max().orElse(0)];
    for (int length : lengths) {
      VectorTrial trial = new VectorTrial(length >= usedFrom);
      VectorTrial.Verdict verdict = VectorTrial.Verdict.OPEN;
      while (verdict == VectorTrial.Verdict.OPEN) {
        verdict = round(trial, data, length);
        LockSupport.parkNanos(PAUSE_NS);
      }
      if (verdict == VectorTrial.Verdict.LOST) {
        return false;
      }
    }
    return true;
  }

  private VectorTrial.Verdict round(VectorTrial trial, byte[] data, int length) {
    byte[] same = data.clone();
    long beginNs = System.nanoTime();
    int hashes = 0;
    long vectorNs = 0;
    while (vectorNs < ROUND_NS) {
      hash(vectors, data, length);
      hashes++;
      vectorNs = System.nanoTime() - beginNs;
    }
    beginNs = System.nanoTime();
    for (int i = 0; i < hashes; i++) {
      hash(Blake3Scalar.INSTANCE::hash, same, length);
    }
    long scalarNs = System.nanoTime() - beginNs;
    if (!Arrays.equals(data, same)) {
      report(length + " bytes");
      return VectorTrial.Verdict.LOST;
    }
    return trial.round(vectorNs, scalarNs);
  }

  /** The next input depends on the hash, so that none is left out. */
  private static void hash(Way way, byte[] data, int length) {
    way.hash(data, 0, length).write(data, 0);
  }
}
