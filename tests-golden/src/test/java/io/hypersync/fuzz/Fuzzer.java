package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Checks the contract of a decoder: each input either gives a value that encodes to the same bytes,
 * or is refused with exactly the documented exception. Nothing else is thrown, no claimed length
 * causes a large allocation, and no input takes more than a second of CPU time.
 *
 * <p>{@code -Dhypersync.fuzz.seed} repeats a run, {@code -Dhypersync.fuzz.seconds} sets its length.
 * Each round has a random sequence of its own, so it does not depend on the rounds before it.
 */
final class Fuzzer {
  private static final double SECONDS = 2;
  private static final long NS_PER_SECOND = 1_000_000_000L;
  private static final long NS_PER_MS = 1_000_000L;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final FuzzTarget target;
  private long accepted;
  private long refused;

  private Fuzzer(FuzzTarget target) {
    this.target = target;
  }

  /** Tries the committed inputs, then mutations of them until the time is over. */
  static void run(FuzzTarget target) {
    new Fuzzer(target).run();
  }

  private void run() {
    List<byte[]> inputs = new ArrayList<>(target.samples());
    inputs.addAll(Corpus.valid(target.name()));
    assertTrue(!inputs.isEmpty(), target + " has no valid input");
    for (byte[] input : inputs) {
      attempt(input, "a valid input");
    }
    assertTrue(refused == 0, () -> target + " refuses valid inputs: " + refused);
    for (byte[] input : Corpus.found(target.name())) {
      attempt(input, "an input of found.hex");
      inputs.add(input);
    }
    fuzz(inputs);
  }

  private void fuzz(List<byte[]> inputs) {
    long seed = Long.getLong("hypersync.fuzz.seed", System.nanoTime());
    double seconds =
        Double.parseDouble(System.getProperty("hypersync.fuzz.seconds", String.valueOf(SECONDS)));
    long end = System.nanoTime() + (long) (seconds * NS_PER_SECOND);
    long rounds = 0;
    accepted = 0;
    refused = 0;
    for (; System.nanoTime() < end; rounds++) {
      Random random = new Random(seed * 31 + rounds);
      byte[] input = new Mutator(inputs, random).next();
      if (random.nextBoolean()) {
        input = target.repair().apply(input, random);
      }
      attempt(input, "seed " + seed + " round " + rounds);
    }
    System.out.printf(
        "%s: seed %d, %d rounds, %d accepted, %d refused%n",
        target, seed, rounds, accepted, refused);
    assertTrue(refused > 0, target + " refuses nothing: the mutations do not bite");
  }

  /**
   * Decodes an input. Only a limit that is exceeded twice counts, because class loading and
   * compilation at first use take time and memory, too.
   */
  private void attempt(byte[] input, String where) {
    String tooMuch = decode(input.clone(), where);
    if (tooMuch != null) {
      tooMuch = decode(input.clone(), where);
    }
    if (tooMuch != null) {
      throw broken(input, where, tooMuch, null);
    }
  }

  /** Decodes an input; returns which limit was exceeded, or null. */
  private @Nullable String decode(byte[] input, String where) {
    byte[] given = input.clone();
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    long busy = THREADS.getCurrentThreadCpuTime();
    try {
      if (target.decoder().accepts(input)) {
        accepted++;
      } else {
        refused++;
      }
    } catch (Exception e) {
      if (!target.refusal().isInstance(e)) {
        throw broken(given, where, "throws " + e, e);
      }
      refused++;
    } catch (Error e) {
      throw broken(given, where, "throws " + e, e);
    }
    busy = THREADS.getCurrentThreadCpuTime() - busy;
    allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    if (busy > NS_PER_SECOND) {
      return "takes " + busy / NS_PER_MS + " ms";
    }
    return allocated > target.maxAllocation() ? "allocates " + allocated + " bytes" : null;
  }

  private AssertionError broken(
      byte[] input, String where, String what, @Nullable Throwable cause) {
    return new AssertionError(
        target
            + (" " + what + ", " + where + "; a line for tests-golden/src/test/resources/fuzz/")
            + (target + "/found.hex:\n" + HexFormat.of().formatHex(input)),
        cause);
  }
}
