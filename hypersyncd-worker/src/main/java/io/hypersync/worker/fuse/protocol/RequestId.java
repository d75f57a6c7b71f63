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

  /** The number in decimal. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
