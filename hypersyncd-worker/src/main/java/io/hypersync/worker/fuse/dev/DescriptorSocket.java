package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket of packets that carry open descriptors from one process to another, which the JDK
 * does not offer. A packet arrives whole or not at all. Used by one thread at a time, except that
 * any thread may ask whether it is readable.
 */
public final class DescriptorSocket implements AutoCloseable {
  /** Most descriptors in one packet. */
  public static final int MAX_DESCRIPTORS = 128;

  /** Longest path of a socket, in bytes, so that a NUL fits behind it. */
  private static final int MAX_PATH_BYTES = 107;

  private static final int AF_UNIX = 1;
  private static final int SOCK_SEQPACKET = 5;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int SO_PEERCRED = 17;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_SNDTIMEO = 21;
  private static final int MSG_CTRUNC = 0x8;
  private static final int MSG_TRUNC = 0x20;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;
  private static final int BACKLOG = 4;
  private static final short POLLIN = 1;

  /** struct sockaddr_un: the family, then the path. */
  private static final long ADDRESS_BYTES = 110;

  private static final long PATH = 2;

  /** struct msghdr on 64-bit machines. */
  private static final long HEADER_BYTES = 56;

  private static final long VECTOR = 16;
  private static final long VECTORS = 24;
  private static final long CONTROL = 32;
  private static final long CONTROL_BYTES = 40;
  private static final long RETURNED_FLAGS = 48;

  /** struct iovec. */
  private static final long VECTOR_BYTES = 16;

  /** struct cmsghdr: length, level, type. */
  private static final long RIGHTS_BYTES = 16;

  private static final long RIGHTS_LEVEL = 8;
  private static final long RIGHTS_TYPE = 12;

  /** struct ucred. */
  private static final int CREDENTIALS_BYTES = 12;

  /** struct pollfd. */
  private static final long POLL_BYTES = 8;

  private static final MethodHandle SOCKET =
      Downcalls.handle("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      Downcalls.handle("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle LISTEN =
      Downcalls.handle("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CONNECT =
      Downcalls.handle("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle ACCEPT =
      Downcalls.handle(
          "accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle GET_OPTION =
      Downcalls.handle(
          "getsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle SET_OPTION =
      Downcalls.handle(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle SEND =
      Downcalls.handle("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle RECEIVE =
      Downcalls.handle("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle POLL =
      Downcalls.handle("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

  private final int fd;
  private boolean closed;

  private DescriptorSocket(int fd) {
    this.fd = fd;
  }

  /**
   * A packet.
   *
   * @param descriptors open in this process from now on; the receiver closes them
   */
  public record Packet(byte[] bytes, List<Integer> descriptors) {}

  /**
   * The process at the other end, as the kernel knows it.
   *
   * @param uid its effective user id when it connected
   */
  public record Peer(int pid, int uid) {}

  /**
   * A socket that takes connections.
   *
   * @param path where nothing is; at most 107 bytes
   */
  public static DescriptorSocket listen(Path path) throws IOException {
    DescriptorSocket socket = open();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment address = address(arena, path);
      check("bind", errno, (int) BIND.invokeExact(errno, socket.fd, address, (int) ADDRESS_BYTES));
      check("listen", errno, (int) LISTEN.invokeExact(errno, socket.fd, BACKLOG));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    } catch (Throwable e) {
      socket.close();
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * Connects to a socket.
   *
   * @throws IOException if nobody listens there
   */
  public static DescriptorSocket connect(Path path) throws IOException {
    DescriptorSocket socket = open();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment address = address(arena, path);
      check(
          "connect",
          errno,
          (int) CONNECT.invokeExact(errno, socket.fd, address, (int) ADDRESS_BYTES));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    } catch (Throwable e) {
      socket.close();
      throw Downcalls.unexpected(e);
    }
  }

  /** Takes the next connection; to be called when this is readable. */
  public DescriptorSocket accept() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      int accepted =
          (int) ACCEPT.invokeExact(errno, fd, MemorySegment.NULL, MemorySegment.NULL, SOCK_CLOEXEC);
      check("accept", errno, accepted);
      return new DescriptorSocket(accepted);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Who is at the other end. */
  public Peer peer() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment found = arena.allocate(CREDENTIALS_BYTES, Integer.BYTES);
      MemorySegment length = arena.allocateFrom(JAVA_INT, CREDENTIALS_BYTES);
      check(
          "SO_PEERCRED",
          errno,
          (int) GET_OPTION.invokeExact(errno, fd, SOL_SOCKET, SO_PEERCRED, found, length));
      return new Peer(found.getAtIndex(JAVA_INT, 0), found.getAtIndex(JAVA_INT, 1));
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** The effective user id of this process. */
  public static int ownUid() {
    return Syscalls.effectiveUid();
  }

  /** Lets no call on this socket wait longer than this. */
  public void limit(Duration longest) throws IOException {
    for (int option : new int[] {SO_RCVTIMEO, SO_SNDTIMEO}) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
        MemorySegment time =
            arena.allocateFrom(JAVA_LONG, longest.toSeconds(), longest.toNanosPart() / 1_000L);
        check(
            "SO_RCVTIMEO",
            errno,
            (int)
                SET_OPTION.invokeExact(errno, fd, SOL_SOCKET, option, time, (int) time.byteSize()));
      } catch (IOException e) {
        throw e;
      } catch (Throwable e) {
        throw Downcalls.unexpected(e);
      }
    }
  }

  /**
   * Sends one packet, with these descriptors of this process, which stay open here.
   *
   * @throws IOException if the other end is gone or does not read
   */
  public void send(byte[] bytes, List<Integer> descriptors) throws IOException {
    if (descriptors.size() > MAX_DESCRIPTORS) {
      throw new IOException(descriptors.size() + " descriptors are too many for one packet");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment body = arena.allocateFrom(JAVA_BYTE, bytes);
      long controlBytes = descriptors.isEmpty() ? 0 : space(descriptors.size());
      MemorySegment control = arena.allocate(Math.max(controlBytes, RIGHTS_BYTES), Long.BYTES);
      if (!descriptors.isEmpty()) {
        control.set(JAVA_LONG, 0, RIGHTS_BYTES + (long) descriptors.size() * Integer.BYTES);
        control.set(JAVA_INT, RIGHTS_LEVEL, SOL_SOCKET);
        control.set(JAVA_INT, RIGHTS_TYPE, SCM_RIGHTS);
        for (int i = 0; i < descriptors.size(); i++) {
          control.set(JAVA_INT, RIGHTS_BYTES + (long) i * Integer.BYTES, descriptors.get(i));
        }
      }
      MemorySegment header = header(arena, body, control, controlBytes);
      long sent = (long) SEND.invokeExact(errno, fd, header, MSG_NOSIGNAL);
      if (sent < 0) {
        throw failed("sendmsg", Downcalls.errno(errno));
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * Receives one packet.
   *
   * @param maxBytes a longer one is an error
   * @return null if the other end is closed
   * @throws IOException if there is none within {@link #limit}, or it is too long
   */
  public @Nullable Packet receive(int maxBytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment body = arena.allocate(maxBytes);
      MemorySegment control = arena.allocate(space(MAX_DESCRIPTORS), Long.BYTES);
      MemorySegment header = header(arena, body, control, control.byteSize());
      long received;
      do {
        received = (long) RECEIVE.invokeExact(errno, fd, header, MSG_CMSG_CLOEXEC);
      } while (received < 0 && Downcalls.errno(errno) == Errno.EINTR.code());
      if (received < 0) {
        throw failed("recvmsg", Downcalls.errno(errno));
      }
      List<Integer> descriptors = rights(control, header.get(JAVA_LONG, CONTROL_BYTES));
      if ((header.get(JAVA_INT, RETURNED_FLAGS) & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        closeAll(descriptors);
        throw new IOException("a packet is longer than " + maxBytes + " bytes");
      }
      return received == 0 && descriptors.isEmpty()
          ? null
          : new Packet(body.asSlice(0, received).toArray(JAVA_BYTE), descriptors);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * Waits until one of these sockets can be read, or its other end is closed.
   *
   * @return which of them, in the same order
   */
  public static List<Boolean> awaitReadable(Duration longest, List<DescriptorSocket> sockets)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment polled = arena.allocate(POLL_BYTES * sockets.size(), Integer.BYTES);
      for (int i = 0; i < sockets.size(); i++) {
        polled.set(JAVA_INT, i * POLL_BYTES, sockets.get(i).fd);
        polled.set(JAVA_SHORT, i * POLL_BYTES + Integer.BYTES, POLLIN);
      }
      int found =
          (int) POLL.invokeExact(errno, polled, (long) sockets.size(), (int) longest.toMillis());
      if (found < 0 && Downcalls.errno(errno) != Errno.EINTR.code()) {
        throw failed("poll", Downcalls.errno(errno));
      }
      List<Boolean> readable = new ArrayList<>();
      for (int i = 0; i < sockets.size(); i++) {
        readable.add(found > 0 && polled.get(JAVA_SHORT, i * POLL_BYTES + Integer.BYTES + 2) != 0);
      }
      return readable;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Closes descriptors that a packet has brought. */
  public static void closeAll(List<Integer> descriptors) {
    for (int descriptor : descriptors) {
      var _ = Syscalls.close(descriptor);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      var _ = Syscalls.close(fd);
    }
  }

  private static DescriptorSocket open() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      int opened = (int) SOCKET.invokeExact(errno, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
      check("socket", errno, opened);
      return new DescriptorSocket(opened);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private static MemorySegment address(Arena arena, Path path) throws IOException {
    byte[] bytes = path.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_PATH_BYTES) {
      throw new IOException("the path of a socket is longer than " + MAX_PATH_BYTES + " bytes");
    }
    MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
    address.set(JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, PATH, bytes.length);
    return address;
  }

  private static MemorySegment header(
      Arena arena, MemorySegment body, MemorySegment control, long controlBytes) {
    MemorySegment vector = arena.allocate(VECTOR_BYTES, Long.BYTES);
    vector.set(ADDRESS, 0, body);
    vector.set(JAVA_LONG, Long.BYTES, body.byteSize());
    MemorySegment header = arena.allocate(HEADER_BYTES, Long.BYTES);
    header.set(ADDRESS, VECTOR, vector);
    header.set(JAVA_LONG, VECTORS, 1L);
    if (controlBytes > 0) {
      header.set(ADDRESS, CONTROL, control);
      header.set(JAVA_LONG, CONTROL_BYTES, controlBytes);
    }
    return header;
  }

  /** CMSG_SPACE of so many descriptors. */
  private static long space(int descriptors) {
    long bytes = (long) descriptors * Integer.BYTES;
    return RIGHTS_BYTES + (bytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
  }

  private static List<Integer> rights(MemorySegment control, long controlBytes) {
    List<Integer> descriptors = new ArrayList<>();
    long at = 0;
    while (at + RIGHTS_BYTES <= controlBytes) {
      long length = control.get(JAVA_LONG, at);
      if (length < RIGHTS_BYTES || at + length > controlBytes) {
        break;
      }
      if (control.get(JAVA_INT, at + RIGHTS_LEVEL) == SOL_SOCKET
          && control.get(JAVA_INT, at + RIGHTS_TYPE) == SCM_RIGHTS) {
        for (long next = RIGHTS_BYTES; next + Integer.BYTES <= length; next += Integer.BYTES) {
          descriptors.add(control.get(JAVA_INT, at + next));
        }
      }
      at += (length + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    }
    return descriptors;
  }

  private static void check(String call, MemorySegment errno, int result) throws IOException {
    if (result < 0) {
      throw failed(call, Downcalls.errno(errno));
    }
  }

  private static IOException failed(String call, int errno) {
    return new IOException(call + ": " + Errno.of(errno).message());
  }
}
