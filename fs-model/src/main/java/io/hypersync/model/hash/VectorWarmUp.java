package io.hypersync.model.hash;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps vectors out of the way until they pay: before {@link Blake3Vector} is compiled, every
 * vector is an object, and hashing with them takes a hundred times longer than without. A thread of
 * its own practises, once so much has been hashed that it will be worth it, until vectors are the
 * faster way; where they never become that, as in an interpreter, they are not used.
 *
 * <p>Both ways give the same hash, so that it does not matter when a thread sees the change.
 */
final class VectorWarmUp {
  /** Whoever has hashed so much will hash more; it has taken a tenth of what compiling takes. */
  private static final int WORTH_BYTES = 64 << 20;

  private static final int PRACTICE_BYTES = 16 << 10;
  private static final int ROUND = 8;

  /** It is given up after so much practice: there may be no compiler that knows vectors. */
  private static final long MAX_PRACTICE_NS = 10_000_000_000L;

  /** The compiler needs the CPU more than this thread, which would only wait for it. */
  private static final long PAUSE_NS = 20_000_000;

  /** In a row, since what is measured may have been interrupted. */
  private static final int WINS = 3;

  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  /** How much was hashed meanwhile; threads may overwrite each other's sums, it is a hint. */
  private static int hashedBytes;

  private static volatile boolean over;

  private VectorWarmUp() {}

  /**
   * Whether to hash with vectors.
   *
   * @param length of what is going to be hashed
   */
  static boolean isOver(int length) {
    if (over) {
      return true;
    }
    if (hashedBytes < WORTH_BYTES) {
      hashedBytes += Math.min(length, WORTH_BYTES);
    } else if (!BEGUN.getPlain() && BEGUN.compareAndSet(false, true)) {
      Thread.ofPlatform().name("blake3-warm-up").daemon().start(VectorWarmUp::run);
    }
    return false;
  }

  /** {@link Blake3Vector} does not link when the module is absent. */
  private static void run() {
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
        && Blake3Vector.isUsable()) {
      over = practise();
    }
  }

  private static boolean practise() {
    byte[] data = new byte[PRACTICE_BYTES];
    int wins = 0;
    long practisedNs = 0;
    while (practisedNs < MAX_PRACTICE_NS && wins < WINS) {
      long beginNs = System.nanoTime();
      for (int i = 0; i < ROUND; i++) {
        keep(Blake3Vector.hash(data, 0, data.length), data);
      }
      long vectorNs = System.nanoTime() - beginNs;
      beginNs = System.nanoTime();
      for (int i = 0; i < ROUND; i++) {
        keep(Blake3Scalar.hash(data, 0, data.length), data);
      }
      long scalarNs = System.nanoTime() - beginNs;
      wins = vectorNs < scalarNs ? wins + 1 : 0;
      practisedNs += vectorNs;
      LockSupport.parkNanos(PAUSE_NS);
    }
    return wins == WINS;
  }

  /** The next input depends on the hash, so that none is left out. */
  private static void keep(Hash hash, byte[] data) {
    data[0] = (byte) hash.w0();
  }
}
