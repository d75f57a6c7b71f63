package io.hypersync.cli.support;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * Writes files into a compressed archive, in the format ustar of POSIX:
 *
 * <pre>
 *   0  name, ASCII, 100 bytes     136  time, octal, 12        257  "ustar" NUL "00"
 * 100  mode, octal, 8             148  checksum, octal, 8     345  prefix, 155
 * 124  size, octal, 12            156  type, '0'              512  content, filled up to 512
 * </pre>
 */
final class TarWriter {
  private static final int BLOCK = 512;
  private static final int MOST_NAME = 99;

  private final GZIPOutputStream out;
  private final long seconds;

  /**
   * Begins an archive.
   *
   * @param seconds since 1970: the time of all files
   */
  TarWriter(OutputStream to, long seconds) throws IOException {
    this.out = new GZIPOutputStream(to);
    this.seconds = seconds;
  }

  /**
   * Adds a file that its owner may read.
   *
   * @throws IllegalArgumentException if the name is longer than 99 characters
   */
  void add(String name, byte[] content) throws IOException {
    if (name.length() > MOST_NAME) {
      throw new IllegalArgumentException("a long name in an archive: " + name);
    }
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 100, "0000600");
    put(header, 108, "0000000");
    put(header, 116, "0000000");
    put(header, 124, String.format(Locale.ROOT, "%011o", content.length));
    put(header, 136, String.format(Locale.ROOT, "%011o", seconds));
    put(header, 148, "        ");
    put(header, 156, "0");
    put(header, 257, "ustar");
    put(header, 263, "00");
    int sum = 0;
    for (byte each : header) {
      sum += Byte.toUnsignedInt(each);
    }
    put(header, 148, String.format(Locale.ROOT, "%06o", sum) + "\0 ");
    out.write(header);
    out.write(content);
    out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  /** Ends the archive; the stream stays open, so that it can be synced. */
  void finish() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.finish();
  }
}
