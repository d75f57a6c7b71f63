package io.hypersync.model.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Vector code that computes wrong hashes is never used. The test needs no processor with vectors.
 */
class VectorWarmUpTest {
  private static final int LENGTH = 157;

  private final VectorFaults faults = new VectorFaults();
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  @Test
  void vectorsThatAreWrongFromTheBeginningAreFoundByTheSelfTest() throws Exception {
    faults.listen(told::add);
    VectorWarmUp warmUp = decided((data, offset, length) -> wrong(data, offset, length));
    assertFalse(warmUp.isOver(LENGTH));
    assertEquals(1, faults.count());
    assertEquals(1, told.size());
    assertTrue(
        told.getFirst().startsWith("test: vectors and scalar code hash 0 bytes"), told::toString);
  }

  /** Simulates a miscompilation: correct at first, then wrong. */
  @Test
  void vectorsThatBecomeWrongAreFoundInTheRound() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    VectorWarmUp warmUp =
        decided(
            (data, offset, length) ->
                calls.incrementAndGet() > 1_000
                    ? wrong(data, offset, length)
                    : Blake3Scalar.INSTANCE.hash(data, offset, length));
    assertFalse(warmUp.isOver(LENGTH));
    assertEquals(1, faults.count());
  }

  @Test
  void vectorsThatFailAreNotUsed() throws Exception {
    VectorWarmUp warmUp =
        decided(
            (_, _, _) -> {
              throw new IndexOutOfBoundsException("told to break");
            });
    assertFalse(warmUp.isOver(LENGTH));
    assertEquals(1, faults.count());
  }

  @Test
  void wrongHashesOfPairsAreFound() throws Exception {
    VectorWarmUp warmUp =
        decided(
            new VectorWarmUp.Way() {
              @Override
              public Hash hash(byte[] data, int offset, int length) {
                return Blake3Scalar.INSTANCE.hash(data, offset, length);
              }

              @Override
              public Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
                return left;
              }
            });
    assertFalse(warmUp.isOver(LENGTH));
    assertEquals(1, faults.count());
  }

  @Test
  void wrongHashesWithAKeyAreFound() throws Exception {
    VectorWarmUp warmUp =
        decided(
            new VectorWarmUp.Way() {
              @Override
              public Hash hash(byte[] data, int offset, int length) {
                return Blake3Scalar.INSTANCE.hash(data, offset, length);
              }

              @Override
              public Hash keyedPair(Hash key, Hash left, Hash right) {
                return left;
              }
            });
    assertFalse(warmUp.isOver(LENGTH));
    assertEquals(1, faults.count());
  }

  @Test
  void aFaultOfOneWayEndsTheOtherAndIsToldOnce() {
    AtomicInteger ended = new AtomicInteger();
    faults.use(ended::incrementAndGet);
    faults.listen(told::add);
    faults.report("first");
    faults.report("second");
    faults.listen(told::add);
    assertEquals(List.of("first", "first"), told, "who listens late is told, too");
    assertEquals(2, ended.get());
    assertEquals(2, faults.count());
  }

  @Test
  void afterAFaultNobodyBeginsToPractise() throws Exception {
    faults.report("of the other way");
    assertFalse(decided(Blake3Scalar.INSTANCE::hash).isOver(LENGTH));
    assertEquals(1, faults.count());
  }

  @Test
  @Tag("slow")
  void theTwoWaysOfThisProcessorAgree() throws Exception {
    byte[] data = new byte[1 << 16];
    while (!Blake3.SHORT.isDecided() || !Blake3.LONG.isDecided()) {
      Blake3.hash(data);
      Blake3.hash(data, 0, 100);
    }
    assertNull(VectorSelfTest.difference(Blake3Scalar.INSTANCE::hash, 0));
    assertEquals(0, Blake3.vectorFaults().count());
  }

  private VectorWarmUp decided(VectorWarmUp.Way way) throws InterruptedException {
    VectorWarmUp warmUp = new VectorWarmUp("test", 1, () -> true, way, 0, List.of(LENGTH), faults);
    while (!warmUp.isDecided()) {
      warmUp.isOver(LENGTH);
      Thread.sleep(1);
    }
    return warmUp;
  }

  private static Hash wrong(byte[] data, int offset, int length) {
    Hash right = Blake3Scalar.INSTANCE.hash(data, offset, length);
    return new Hash(right.w0() ^ 1, right.w1(), right.w2(), right.w3());
  }
}
