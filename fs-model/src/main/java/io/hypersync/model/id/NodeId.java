package io.hypersync.model.id;

/**
 * Identity of a filesystem object, assigned by the leader at creation and kept across rename
 * (hypersync.md 7.1).
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record NodeId(long high, long low) implements Comparable<NodeId> {

  /** Length of the binary form in bytes. */
  public static final int BYTES = Id128.BYTES;

  /**
   * Parses 32 hexadecimal digits.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static NodeId parse(String hex) {
    return new NodeId(Id128.parseHigh(hex), Id128.parseLow(hex));
  }

  /** Orders by the bytes of the binary form, unsigned. */
  @Override
  public int compareTo(NodeId other) {
    return Id128.compare(high, low, other.high, other.low);
  }

  /** The 32 hexadecimal digits. */
  @Override
  public String toString() {
    return Id128.toHex(high, low);
  }
}
