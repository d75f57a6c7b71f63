package io.hypersync.disk;

import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file, in pages; pages of zeros take no memory. The array of a page is never
 * modified, so copies share it. Not thread-safe.
 */
final class FileBytes {
  private static final int PAGE_BYTES = 4096;
  private static final byte[] ZEROS = new byte[PAGE_BYTES];

  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private long size;

  /** A copy of this content. */
  FileBytes copy() {
    FileBytes copy = new FileBytes();
    copy.pages.putAll(pages);
    copy.size = size;
    return copy;
  }

  long size() {
    return size;
  }

  /** Total size of the pages that are not all zeros, in bytes. */
  long allocated() {
    return (long) pages.size() * PAGE_BYTES;
  }

  /** Truncates, or extends with zeros. */
  void resize(long newSize) {
    if (newSize < size) {
      long pastEnd = (newSize + PAGE_BYTES - 1) / PAGE_BYTES;
      pages.tailMap(pastEnd, true).clear();
      zero(newSize, pastEnd * PAGE_BYTES - newSize);
    }
    size = newSize;
  }

  /** Overwrites bytes; the file grows as needed. */
  void write(long offset, byte[] bytes) {
    overwrite(offset, bytes, bytes.length);
    size = Math.max(size, offset + bytes.length);
  }

  /** Overwrites with zeros; the size does not change. */
  void zero(long offset, long length) {
    overwrite(offset, null, length);
  }

  /** Up to {@code length} bytes; fewer only at the end of the file. */
  byte[] read(long offset, int length) {
    int count = Math.clamp(size - offset, 0, length);
    byte[] bytes = new byte[count];
    int done = 0;
    while (done < count) {
      long position = offset + done;
      int within = (int) (position % PAGE_BYTES);
      int part = Math.min(count - done, PAGE_BYTES - within);
      byte[] page = pages.get(position / PAGE_BYTES);
      if (page != null) {
        System.arraycopy(page, within, bytes, done, part);
      }
      done += part;
    }
    return bytes;
  }

  private void overwrite(long offset, byte @Nullable [] bytes, long length) {
    long done = 0;
    while (done < length) {
      long position = offset + done;
      int within = (int) (position % PAGE_BYTES);
      int part = (int) Math.min(length - done, PAGE_BYTES - within);
      byte[] page = pages.getOrDefault(position / PAGE_BYTES, ZEROS).clone();
      if (bytes == null) {
        Arrays.fill(page, within, within + part, (byte) 0);
      } else {
        System.arraycopy(bytes, (int) done, page, within, part);
      }
      if (Arrays.equals(page, ZEROS)) {
        pages.remove(position / PAGE_BYTES);
      } else {
        pages.put(position / PAGE_BYTES, page);
      }
      done += part;
    }
  }
}
