package io.hypersync.worker.fuse.dev;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A native buffer for a system call, with space for the call's errno. Owned by one thread at a
 * time; freed when it becomes unreachable.
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

  /** Copies the parts to the beginning, one after the other. */
  void fill(ByteBuffer... parts) {
    view.clear();
    for (ByteBuffer part : parts) {
      view.put(part.duplicate());
    }
  }

  /** read(2): the byte count, or the negated errno. */
  int read(int fd) {
    return (int) Syscalls.read(errno, fd, memory, memory.byteSize());
  }

  /** write(2) of what {@link #fill} has copied: the byte count, or the negated errno. */
  int write(int fd) {
    return (int) Syscalls.write(errno, fd, memory, view.position());
  }

  /** The first bytes, valid until the next read. */
  ByteBuffer first(int bytes) {
    return view.clear().limit(bytes);
  }
}
