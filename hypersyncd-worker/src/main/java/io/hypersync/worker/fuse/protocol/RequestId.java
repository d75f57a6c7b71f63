package io.hypersync.worker.fuse.protocol;

/**
 * The number by which the kernel tells requests apart ({@code unique} in {@code fuse_in_header}): a
 * reply carries the number of its request, and an INTERRUPT names the request that it is about.
 *
 * @param value as the kernel sent it; 0 is no request's number
 */
public record RequestId(long value) {
  /** No request's number: matches no interrupt. */
  public static final RequestId NONE = new RequestId(0);

  /** Set in the number of a request that the kernel sends once more; Linux 6.9. */
  private static final long SENT_AGAIN = Long.MIN_VALUE;

  /** Set in the numbers that the kernel gives to interrupts themselves. */
  private static final long OF_INTERRUPT = 1;

  /** Whether the kernel has sent this request before, to a process that has not answered it. */
  public boolean isSentAgain() {
    return (value & SENT_AGAIN) != 0;
  }

  /** What is the same however often the kernel sends the request; 0 for {@link #NONE}. */
  public long identity() {
    return value & ~(SENT_AGAIN | OF_INTERRUPT);
  }

  /** The number of the same request that matches no interrupt. */
  public RequestId uninterruptible() {
    return new RequestId(value | OF_INTERRUPT);
  }

  /** Whether no interrupt matches the number. */
  public boolean isUninterruptible() {
    return value == 0 || (value & OF_INTERRUPT) != 0;
  }

  /** The number in decimal. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
