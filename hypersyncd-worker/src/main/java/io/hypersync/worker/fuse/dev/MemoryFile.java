package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that outlives this process while another one holds its descriptor (memfd_create): a file
 * without a name, which takes room only where it was written, and is gone with its last holder.
 */
public final class MemoryFile {
  private static final int MFD_CLOEXEC = 1;

  private static final MethodHandle CREATE =
      Downcalls.handle("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle TRUNCATE =
      Downcalls.handle("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

  private MemoryFile() {}

  /**
   * Makes such a file, of zeros.
   *
   * @param name for {@code /proc/PID/maps}
   * @return its descriptor
   */
  public static int create(String name, long bytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      int fd = (int) CREATE.invokeExact(errno, arena.allocateFrom(name), MFD_CLOEXEC);
      if (fd < 0) {
        throw new IOException("memfd_create: " + Errno.of(Downcalls.errno(errno)).message());
      }
      int result = (int) TRUNCATE.invokeExact(errno, fd, bytes);
      if (result < 0) {
        int why = Downcalls.errno(errno);
        var _ = Syscalls.close(fd);
        throw new IOException("ftruncate: " + Errno.of(why).message());
      }
      return fd;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * Maps such a file, in the byte order of this machine.
   *
   * @throws IOException if it has another size
   */
  public static ByteBuffer map(int descriptor, long bytes) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            Path.of("/proc/self/fd/" + descriptor),
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      if (file.size() != bytes) {
        throw new IOException("the memory has " + file.size() + " bytes instead of " + bytes);
      }
      return file.map(FileChannel.MapMode.READ_WRITE, 0, bytes).order(ByteOrder.nativeOrder());
    }
  }
}
