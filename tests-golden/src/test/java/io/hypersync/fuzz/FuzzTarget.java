package io.hypersync.fuzz;

import java.util.List;
import java.util.Random;

/**
 * A decoder and what it promises.
 *
 * @param name also of its folder of inputs
 * @param decoder reads one input
 * @param refusal the one exception that a refused input may end with
 * @param samples valid inputs beside those of the folder
 * @param repair makes checksums fit again, so that damage gets past them; used in half of the
 *     rounds
 * @param maxAllocation the most bytes that one decoding may allocate
 */
public record FuzzTarget(
    String name,
    Decoder decoder,
    Class<? extends Exception> refusal,
    List<byte[]> samples,
    Repair repair,
    long maxAllocation) {
  private static final long MAX_ALLOCATION = 4L << 20;

  /** What is fuzzed. */
  @FunctionalInterface
  public interface Decoder {
    /**
     * Decodes.
     *
     * @return whether the input is a value; false if the decoder says so with a value of its own
     * @throws Exception the refusal
     * @throws AssertionError if the value does not encode to what it should
     */
    boolean accepts(byte[] input) throws Exception;
  }

  /** Makes damaged bytes good enough to be looked into. */
  @FunctionalInterface
  public interface Repair {
    /** The bytes with what guards them computed anew. */
    byte[] apply(byte[] damaged, Random random);
  }

  /** A decoder of bytes that nothing guards. */
  public static FuzzTarget of(
      String name, Class<? extends Exception> refusal, List<byte[]> samples, Decoder decoder) {
    return new FuzzTarget(name, decoder, refusal, samples, (damaged, _) -> damaged, MAX_ALLOCATION);
  }

  /** The same with guards that can be computed anew. */
  FuzzTarget repairedBy(Repair newRepair) {
    return new FuzzTarget(name, decoder, refusal, samples, newRepair, maxAllocation);
  }

  /** The same with another limit of what one decoding may allocate. */
  FuzzTarget allocating(long bytes) {
    return new FuzzTarget(name, decoder, refusal, samples, repair, bytes);
  }

  @Override
  public String toString() {
    return name;
  }
}
