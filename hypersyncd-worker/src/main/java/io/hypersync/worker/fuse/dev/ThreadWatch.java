package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a thread is the same still, and its process has not called exec, by two open files
 * of {@code /proc/<tid>}. Thread-safe.
 *
 * <ul>
 *   <li>An open file below {@code /proc/<tid>} belongs to that thread for ever, not to its number:
 *       {@code oom_score_adj} can be read until it has ended, and gives ESRCH from then on. A
 *       descriptor of {@code pidfd_open} tells that for single threads only since Linux 6.9.
 *   <li>{@code pagemap} belongs to the memory that the process had when it was opened, which exec
 *       gives up. Then a read gives 0 bytes; before that a read of one byte gives EINVAL, as it is
 *       not a multiple of eight, and takes no lock of the memory's.
 * </ul>
 *
 * <p>A child of vfork or posix_spawn shares its parent's memory until it calls exec, which then
 * would not be noticed. It is not watched.
 */
public final class ThreadWatch implements AutoCloseable {
  private static final int O_RDONLY = 0;
  private static final int NONE = -1;

  private static final long SYS_KCMP = 312;

  /** kcmp(2): whether two processes share their memory. */
  private static final int KCMP_VM = 1;

  private static final long SAME = 0;
  private static final long ENOSYS = 38;

  private static final MethodHandle PREAD =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("pread"),
              FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SYSCALL =
      Downcalls.handle(
          "syscall",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));

  /** Written by reads, looked at by nobody. */
  private static final MemorySegment BYTE = Arena.global().allocate(1);

  private final int life;
  private final int memory;
  private boolean closed;

  private ThreadWatch(int life, int memory) {
    this.life = life;
    this.memory = memory;
  }

  /**
   * Begins to watch a thread. To be closed.
   *
   * @param process the id of its process
   * @param parent the id of the parent of that; 0 if it is not visible here
   * @return null if it has ended, may call exec unseen, or there are no descriptors left
   */
  public static @Nullable ThreadWatch open(int tid, int process, int parent) {
    long shared = parent == 0 ? NONE : kcmp(process, parent);
    if (shared == SAME) {
      return null;
    }
    int life = Syscalls.open("/proc/" + tid + "/oom_score_adj", O_RDONLY | Syscalls.O_CLOEXEC);
    if (life < 0) {
      return null;
    }
    boolean isKnown = parent == 0 || shared > 0;
    int memory =
        isKnown ? Syscalls.open("/proc/" + tid + "/pagemap", O_RDONLY | Syscalls.O_CLOEXEC) : NONE;
    return new ThreadWatch(life, Math.max(memory, NONE));
  }

  /** Whether it is the same thread, without a call of exec since. False after {@link #close}. */
  public synchronized boolean isUnchanged() {
    return !closed && read(life) > 0 && (memory == NONE || read(memory) < 0);
  }

  /** Whether {@link #isUnchanged} notices a call of exec. */
  public boolean seesExec() {
    return memory != NONE;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      var _ = Syscalls.close(life);
      if (memory != NONE) {
        var _ = Syscalls.close(memory);
      }
    }
  }

  private static long read(int descriptor) {
    try {
      return (long) PREAD.invokeExact(descriptor, BYTE, 1L, 0L);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Whether two processes share their memory: 0 if so, a positive number if not, else an errno. */
  private static long kcmp(int one, int other) {
    if (!"amd64".equals(System.getProperty("os.arch"))) {
      return -ENOSYS; // its number is another one there
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      long result =
          (long)
              SYSCALL.invokeExact(
                  errno, SYS_KCMP, (long) one, (long) other, (long) KCMP_VM, 0L, 0L);
      return result < 0 ? -Downcalls.errno(errno) : result;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }
}
