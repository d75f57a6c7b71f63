package io.hypersync.fuzz;

import java.util.List;
import java.util.Random;

/**
 * A decoder and its contract.
 *
 * @param name also the name of its corpus directory
 * @param decoder decodes one input
 * @param refusal the only exception with which an input may be refused
 * @param samples valid inputs in addition to the corpus
 * @param repair makes checksums valid again, so that damage gets past them; applied in half of the
 *     rounds
 * @param maxAllocation the greatest number of bytes that one decoding may allocate
 */
public record FuzzTarget(
    String name,
    Decoder decoder,
    Class<? extends Exception> refusal,
    List<byte[]> samples,
    Repair repair,
    long maxAllocation) {
  private static final long MAX_ALLOCATION = 4L << 20;

  /** The code that is fuzzed. */
  @FunctionalInterface
  public interface Decoder {
    /**
     * Decodes an input.
     *
     * @return true if the input was accepted; false if the decoder refuses it by a return value
     * @throws Exception the refusal
     * @throws AssertionError if the decoded value does not encode to the expected bytes
     */
    boolean accepts(byte[] input) throws Exception;
  }

  /** Makes damaged bytes valid enough to get past checksums and lengths. */
  @FunctionalInterface
  public interface Repair {
    /** The bytes with their checksums or lengths recomputed. */
    byte[] apply(byte[] damaged, Random random);
  }

  /** A target whose input has no checksum. */
  public static FuzzTarget of(
      String name, Class<? extends Exception> refusal, List<byte[]> samples, Decoder decoder) {
    return new FuzzTarget(name, decoder, refusal, samples, (damaged, _) -> damaged, MAX_ALLOCATION);
  }

  /** The same target with a repair of its checksums. */
  FuzzTarget repairedBy(Repair newRepair) {
    return new FuzzTarget(name, decoder, refusal, samples, newRepair, maxAllocation);
  }

  /** The same target with another limit of allocation per decoding, in bytes. */
  FuzzTarget allocating(long bytes) {
    return new FuzzTarget(name, decoder, refusal, samples, repair, bytes);
  }

  @Override
  public String toString() {
    return name;
  }
}
