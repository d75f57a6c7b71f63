package io.hypersync.model.id;

import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The name of a directory entry: 1 to 255 opaque bytes without NUL or '/', and neither "." nor
 * "..". Ordered bytewise, which is the order of readdir (hypersync.md 5.2.1). Immutable.
 */
public final class Name implements Comparable<Name> {
  /** NAME_MAX. */
  public static final int MAX_BYTES = 255;

  private final byte[] bytes;

  private Name(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Whether these bytes may name an entry at all, whatever their length. */
  public static boolean isWellFormed(byte[] bytes) {
    if (bytes.length == 0
        || (bytes[0] == '.' && (bytes.length == 1 || (bytes.length == 2 && bytes[1] == '.')))) {
      return false;
    }
    for (byte b : bytes) {
      if (b == 0 || b == '/') {
        return false;
      }
    }
    return true;
  }

  /**
   * Wraps the bytes, which must not change afterwards.
   *
   * @throws IllegalArgumentException if they are no valid name; see {@link #isWellFormed}
   */
  public static Name of(byte[] bytes) {
    if (bytes.length > MAX_BYTES || !isWellFormed(bytes)) {
      throw new IllegalArgumentException("not a valid entry name: " + Printable.line(bytes));
    }
    return new Name(bytes);
  }

  /** The UTF-8 bytes of {@code text} as a name. */
  public static Name of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The bytes themselves; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int compareTo(Name other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Name name && Arrays.equals(bytes, name.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** For people and logs: see {@link Printable}. */
  @Override
  public String toString() {
    return Printable.line(bytes);
  }
}
