package io.hypersync.runtime.supervision;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Sends datagrams to a Unix socket, which the JDK does not offer. Each has a socket of its own, so
 * nothing stays open and any thread may send.
 */
final class NotifySocket {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int MSG_NOSIGNAL = 0x4000;

  /** struct sockaddr_un: the family, then the path. */
  private static final long ADDRESS_BYTES = 110;

  private static final int PATH = 2;

  /** So that a NUL fits behind it. */
  private static final int MAX_PATH_BYTES = 107;

  private static final MemoryLayout ERRNO = Linker.Option.captureStateLayout();
  private static final long ERRNO_OFFSET =
      ERRNO.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SOCKET =
      handle("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle SEND =
      handle(
          "sendto",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private NotifySocket() {}

  private static MethodHandle handle(String function, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(function),
        descriptor,
        Linker.Option.captureCallState("errno"));
  }

  /**
   * Sends one datagram; blocks while the receiver's queue is full.
   *
   * @param name of the socket: a path, or {@code @} and the name of an abstract one
   * @throws IOException if it cannot be sent, with the number of the error
   */
  static void send(String name, String text) throws IOException {
    byte[] path = name.getBytes(StandardCharsets.UTF_8);
    if (path.length == 0 || path.length > MAX_PATH_BYTES) {
      throw new IOException(name.length() + " characters are no name of a socket");
    }
    boolean isAbstract = path[0] == '@';
    if (isAbstract) {
      path[0] = 0;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO);
      MemorySegment address = arena.allocate(ADDRESS_BYTES);
      address.set(JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(path, 0, address, JAVA_BYTE, PATH, path.length);
      int addressBytes = PATH + path.length + (isAbstract ? 0 : 1);
      MemorySegment data = arena.allocateFrom(JAVA_BYTE, bytes);
      int fd = (int) SOCKET.invokeExact(errno, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      check("socket", fd, errno);
      try {
        long sent =
            (long)
                SEND.invokeExact(
                    errno, fd, data, (long) bytes.length, MSG_NOSIGNAL, address, addressBytes);
        check("sendto", sent, errno);
      } finally {
        var _ = (int) CLOSE.invokeExact(errno, fd);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // a downcall throws none of its own
      throw new IllegalStateException("the service manager could not be called", e);
    }
  }

  private static void check(String call, long result, MemorySegment errno) throws IOException {
    if (result < 0) {
      throw new IOException(call + ": error " + errno.get(JAVA_INT, ERRNO_OFFSET));
    }
  }
}
