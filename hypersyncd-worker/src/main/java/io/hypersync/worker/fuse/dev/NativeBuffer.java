package io.hypersync.worker.fuse.dev;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory that a system call can read or write, with room for the call's errno. Owned by one thread
 * at a time; freed when it becomes unreachable.
 */
final class NativeBuffer {
  private static final int PAGE = 4096;

  private final MemorySegment memory;
  private final MemorySegment errno;
  private final ByteBuffer view;

  NativeBuffer(int bytes) {
    Arena arena = Arena.ofAuto();
    this.memory = arena.allocate(bytes, PAGE);
    this.errno = arena.allocate(Syscalls.ERRNO_STATE);
    this.view = memory.asByteBuffer();
  }

  int capacity() {
    return view.capacity();
  }

  /** Copies the parts one after the other to the beginning. */
  void fill(ByteBuffer... parts) {
    view.clear();
    for (ByteBuffer part : parts) {
      view.put(part.duplicate());
    }
  }

  /** read(2): the count of bytes, or the errno negated. */
  int read(int fd) {
    return (int) Syscalls.read(errno, fd, memory, memory.byteSize());
  }

  /** write(2) of what {@link #fill} put in: the count of bytes, or the errno negated. */
  int write(int fd) {
    return (int) Syscalls.write(errno, fd, memory, view.position());
  }

  /** The first bytes, valid until the next read. */
  ByteBuffer first(int bytes) {
    return view.clear().limit(bytes);
  }
}
