package io.hypersync.model.id;

import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The name of a directory entry: 1 to 255 opaque bytes without NUL or '/', and neither "." nor
 * "..". Ordered bytewise, which is the order of readdir (hypersync.md 5.2.1). Immutable.
 */
public final class Name implements Comparable<Name> {
  /** NAME_MAX of Linux, in bytes. */
  public static final int MAX_BYTES = 255;

  private final byte[] bytes;

  private Name(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Whether these bytes are a valid name apart from their length: not empty, no NUL, no '/',
   * neither "." nor "..". The length is checked separately because it has its own errno,
   * ENAMETOOLONG.
   */
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
   * Wraps the array without copying it; it must not change afterwards.
   *
   * @throws IllegalArgumentException if the bytes are longer than {@link #MAX_BYTES} or not {@link
   *     #isWellFormed}
   */
  public static Name of(byte[] bytes) {
    if (bytes.length > MAX_BYTES || !isWellFormed(bytes)) {
      throw new IllegalArgumentException("not a valid entry name: " + Printable.line(bytes));
    }
    return new Name(bytes);
  }

  /**
   * The name whose bytes are the UTF-8 encoding of {@code text}.
   *
   * @throws IllegalArgumentException as for {@link #of(byte[])}
   */
  public static Name of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The backing array itself, not a copy; must not be changed. */
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

  /**
   * Printable form for messages and logs, with control characters escaped; see {@link Printable}.
   */
  @Override
  public String toString() {
    return Printable.line(bytes);
  }
}
