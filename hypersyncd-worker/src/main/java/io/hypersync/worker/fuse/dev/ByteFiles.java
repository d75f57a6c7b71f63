package io.hypersync.worker.fuse.dev;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Files of other people's choice, read without being led astray: by a symbolic link at the end of
 * the path, a pipe that nobody writes to, or a file without an end.
 *
 * <p>Paths are strings of bytes: each character is a byte, from 0 to 255.
 */
public final class ByteFiles {
  private static final byte[] NOTHING = {};
  private static final int LONGEST_LINK = 4_096;
  private static final int BUFFER_BYTES = 8 << 10;

  private ByteFiles() {}

  /**
   * The beginning of a plain file.
   *
   * @param owner its user id
   * @param mtimeS when it was written, in seconds since 1970
   * @param content its first bytes
   */
  public record Beginning(int owner, long mtimeS, byte[] content) {}

  /**
   * Reads the beginning of a plain file. Blocks as long as its filesystem does.
   *
   * @param most bytes
   * @return null if there is no plain file, or it cannot be read
   */
  public static @Nullable Beginning read(String path, int most) {
    try (Arena arena = Arena.ofConfined()) {
      // Only looked at, because opening a device may do something: directories on the way are other
      // people's choice, too, and may be symbolic links.
      int place =
          Syscalls.open(
              bytes(arena, path), Syscalls.O_PATH | Syscalls.O_NOFOLLOW | Syscalls.O_CLOEXEC);
      if (place < 0) {
        return null;
      }
      try {
        return Syscalls.plainFile(place) == null ? null : readAgain(arena, place, most);
      } finally {
        var _ = Syscalls.close(place);
      }
    }
  }

  /** Opens what was looked at, whatever its path leads to now. */
  private static @Nullable Beginning readAgain(Arena arena, int place, int most) {
    int descriptor =
        Syscalls.open(
            bytes(arena, "/proc/self/fd/" + place),
            Syscalls.O_NONBLOCK | Syscalls.O_NOCTTY | Syscalls.O_CLOEXEC);
    if (descriptor < 0) {
      return null;
    }
    try {
      return read(arena, descriptor, most);
    } finally {
      var _ = Syscalls.close(descriptor);
    }
  }

  private static @Nullable Beginning read(Arena arena, int descriptor, int most) {
    Syscalls.@Nullable PlainFile file = Syscalls.plainFile(descriptor);
    if (file == null) {
      return null;
    }
    MemorySegment errno = arena.allocate(Syscalls.ERRNO_STATE);
    MemorySegment buffer = arena.allocate(most);
    long length = Syscalls.read(errno, descriptor, buffer, most);
    return length < 0
        ? null
        : new Beginning(
            file.owner(), file.mtimeS(), buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
  }

  /**
   * All of a file that the kernel makes, such as those of {@code /proc}, or its beginning.
   *
   * @param most bytes
   * @return empty if it cannot be read
   */
  public static byte[] ofKernel(String path, int most) {
    try (Arena arena = Arena.ofConfined()) {
      int descriptor = Syscalls.open(bytes(arena, path), Syscalls.O_CLOEXEC);
      if (descriptor < 0) {
        return NOTHING;
      }
      try {
        return whole(arena, descriptor, most);
      } finally {
        var _ = Syscalls.close(descriptor);
      }
    }
  }

  private static byte[] whole(Arena arena, int descriptor, int most) {
    MemorySegment errno = arena.allocate(Syscalls.ERRNO_STATE);
    MemorySegment buffer = arena.allocate(Math.min(most, BUFFER_BYTES));
    byte[] all = NOTHING;
    while (all.length < most) {
      long wanted = Math.min(buffer.byteSize(), most - all.length);
      long length = Syscalls.read(errno, descriptor, buffer, wanted);
      if (length < 0) {
        return NOTHING; // it has ended
      }
      if (length == 0) {
        return all;
      }
      int before = all.length;
      all = Arrays.copyOf(all, before + (int) length);
      MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, all, before, (int) length);
    }
    return all;
  }

  /** Where a symbolic link points to; empty if there is none, or it cannot be read. */
  public static String link(String path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment target = arena.allocate(LONGEST_LINK);
      long length = Syscalls.readLink(bytes(arena, path), target);
      return length < 0 || length == LONGEST_LINK
          ? ""
          : new String(
              target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE),
              StandardCharsets.ISO_8859_1);
    }
  }

  private static MemorySegment bytes(Arena arena, String path) {
    return arena.allocateFrom(path, StandardCharsets.ISO_8859_1);
  }
}
