package io.hypersync.model.hash;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Decides when hashing switches from scalar to vector code. Until the JIT compiler has compiled
 * code that uses the Vector API, every vector is a heap object and hashing takes a hundred times
 * longer than scalar code. So callers use scalar code at first. Once enough has been hashed to make
 * it worth while, a background thread runs the vector code until it is measured to be faster; where
 * it never is, as in an interpreter, it is not used.
 *
 * <p>Both implementations give the same hash, so it does not matter when a thread sees the switch.
 * This is verified: by a self-test before warm-up, by comparing the hashes of every warm-up round,
 * and by a second self-test after warm-up, when the code is compiled. A single difference disables
 * vector code ({@link VectorFaults}).
 */
final class VectorWarmUp {
  /** Duration of the vector half of one warm-up round. */
  private static final long ROUND_NS = 2_000_000;

  /**
   * Pause between rounds: the compiler needs the CPU more than this thread, which only waits for
   * it.
   */
  private static final long PAUSE_NS = 2_000_000;

  private final String name;
  private final int worthBlocks;
  private final BooleanSupplier usable;
  private final Way vectors;
  private final int usedFrom;
  private final List<Integer> lengths;
  private final VectorFaults faults;
  private final AtomicBoolean begun = new AtomicBoolean();

  /**
   * Blocks hashed so far, counted without synchronisation: a hint, and racing threads may lose
   * updates.
   */
  private int hashedBlocks;

  private volatile boolean over;
  private volatile boolean decided;

  /** An implementation of BLAKE3. The range must lie inside the array. */
  interface Way {
    Hash hash(byte[] data, int offset, int length);

    /** As {@link Blake3#pairAndTail}; scalar code unless overridden. */
    default Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
      return Blake3Scalar.INSTANCE.pairAndTail(left, right, tail, tailBytes);
    }

    /** As {@link Blake3#keyedPair}; scalar code unless overridden. */
    default Hash keyedPair(Hash key, Hash left, Hash right) {
      return Blake3Scalar.INSTANCE.keyedPair(key, left, right);
    }
  }

  /**
   * Starts counting hashed blocks; the warm-up thread starts later.
   *
   * @param name of the vector code, for the thread name and for reports
   * @param worthBlocks the number of hashed 64-byte blocks after which the warm-up starts: a
   *     process that has hashed so much will hash more
   * @param usable whether this JVM and processor support {@code vectors}, which is not called
   *     otherwise
   * @param vectors the vector code that is to be compiled and to become faster than {@link
   *     Blake3Scalar}
   * @param usedFrom the shortest input, in bytes, that the vector code will hash; for shorter
   *     inputs it has to be compiled but not to be faster
   * @param lengths input lengths, in bytes, that together exercise every path; warmed up in this
   *     order
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
   * Whether the warm-up is over and the caller should hash with vectors. Counts the input
   * otherwise.
   *
   * @param length of the input to be hashed, in bytes
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

  /** Whether the warm-up has ended, with whatever result. */
  boolean isDecided() {
    return decided;
  }

  private void run() {
    try {
      if (usable.getAsBoolean() && isRight() && practise() && isRight()) {
        over = true;
        if (faults.any()) { // another instance reported a fault meanwhile
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

  /** One length after another, so that the compiler has one code path at a time to compile. */
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

  /** Writes the hash into the input, so that the compiler cannot eliminate any call. */
  private static void hash(Way way, byte[] data, int length) {
    way.hash(data, 0, length).write(data, 0);
  }
}
