package io.hypersync.worker.fuse.dev;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Handles for functions of the C library that leave their errno in a segment. */
final class Downcalls {
  /** Layout of the segment in which a call leaves its errno. */
  static final StructLayout ERRNO_STATE = Linker.Option.captureStateLayout();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final VarHandle ERRNO =
      ERRNO_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private Downcalls() {}

  /** A handle of a function; it takes a segment of {@link #ERRNO_STATE} before the arguments. */
  static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker.Option[] all = new Linker.Option[options.length + 1];
    all[0] = Linker.Option.captureCallState("errno");
    System.arraycopy(options, 0, all, 1, options.length);
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, all);
  }

  /** The function's result, or the negated errno if that is negative. */
  static int result(MemorySegment errno, int result) {
    return result < 0 ? -errno(errno) : result;
  }

  static int errno(MemorySegment errno) {
    return (int) ERRNO.get(errno, 0L);
  }

  /** A downcall itself throws nothing: only errors of the JVM, or of this code, get here. */
  static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("system call could not be made", e);
  }
}
