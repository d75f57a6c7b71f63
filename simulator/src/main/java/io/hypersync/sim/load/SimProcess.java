package io.hypersync.sim.load;

import io.hypersync.model.id.InodeNo;
import io.hypersync.sim.node.Recording;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A process that makes one random call after another, on a namespace so small that processes keep
 * conflicting. Several of its writes may be in flight at once, as with io_uring.
 */
public final class SimProcess {
  static final int O_WRONLY = 1;
  static final int O_RDWR = 2;
  static final int O_EXCL = 0200;
  static final int O_TRUNC = 01000;
  static final int O_APPEND = 02000;

  private static final int MAX_HANDLES = 3;
  private static final long THINK_SHORTEST_NS = 20_000;

  /** One in this many calls that do not return at once gets a signal. */
  private static final int SIGNALS = 8;

  private static final long SIGNAL_SOONEST_NS = 10_000;
  private static final long SIGNAL_LATEST_NS = 2_000_000_000L;

  record Handle(InodeNo inode, FileHandle fh, int flags) {}

  private final int pid;
  private final SimKernel kernel;
  private final Recording recording;
  private final Prng prng;
  private final long longestThinkNs;
  private final BooleanSupplier active;
  private final List<Handle> handles = new ArrayList<>();
  private final SyscallChoice choice;
  private int outstanding;
  private boolean thinking;

  /**
   * Creates a process; {@link #start} lets it make calls.
   *
   * @param lengths of its writes
   * @param longestThinkNs the longest time between two calls, in nanoseconds
   * @param active whether it may make new calls at present; if not, it closes what it has open
   */
  public SimProcess(
      int pid,
      SimKernel kernel,
      Recording recording,
      Prng prng,
      WriteLengths lengths,
      long longestThinkNs,
      BooleanSupplier active) {
    this.pid = pid;
    this.kernel = kernel;
    this.recording = recording;
    this.prng = prng;
    this.longestThinkNs = longestThinkNs;
    this.active = active;
    this.choice = new SyscallChoice(this, kernel, prng, lengths);
  }

  /** Schedules the next call. */
  public void start() {
    think();
  }

  int pid() {
    return pid;
  }

  boolean isActive() {
    return active.getAsBoolean();
  }

  List<Handle> handles() {
    return handles;
  }

  boolean mayOpen() {
    return handles.size() < MAX_HANDLES;
  }

  /** Records bytes that the process is about to write, so that readers of them can be checked. */
  byte[] writing(byte[] data) {
    recording.bytes().add(data);
    return data;
  }

  /**
   * Makes a call.
   *
   * @param then receives the answer
   * @return the number of the request
   */
  RequestId call(InodeNo node, FuseOpcode opcode, FuseOperation operation, Consumer<Answer> then) {
    outstanding++;
    String what = describe(node, opcode, operation);
    kernel.worker().host().note(what);
    boolean[] answered = {false};
    RequestId unique =
        kernel.request(
            pid,
            node,
            opcode,
            operation,
            answer -> {
              answered[0] = true;
              outstanding--;
              kernel.worker().host().note(what + " -> " + answer);
              then.accept(answer);
              if (outstanding == 0) {
                think();
              }
            });
    if (!answered[0] && mayGetASignal(operation) && prng.oneIn(SIGNALS)) {
      kernel
          .worker()
          .host()
          .after(
              prng.scale(SIGNAL_SOONEST_NS, SIGNAL_LATEST_NS),
              "",
              () -> {
                if (!answered[0] && isActive()) {
                  kernel.interrupt(unique, pid);
                }
              });
    }
    return unique;
  }

  /**
   * Whether the call may get a random signal. Lock calls get signals from {@link LockCalls}; reads
   * and closes are not expected to return EINTR.
   */
  private static boolean mayGetASignal(FuseOperation operation) {
    return switch (operation) {
      case FuseOperation.SetLk _,
          FuseOperation.GetLk _,
          FuseOperation.Read _,
          FuseOperation.Flush _,
          FuseOperation.Release _,
          FuseOperation.Forget _ ->
          false;
      default -> true;
    };
  }

  void opened(InodeNo inode, Answer answer, int flags) {
    if (answer.errno() == null) {
      handles.add(new Handle(inode, answer.fh(), flags));
      kernel.use(inode, 1);
    }
  }

  void close(Handle handle) {
    handles.remove(handle);
    kernel.use(handle.inode(), -1);
    choice.locks().closed(handle);
    call(
        handle.inode(),
        FuseOpcode.FLUSH,
        new FuseOperation.Flush(handle.fh(), new FuseLockOwner(pid)),
        _ ->
            call(
                handle.inode(),
                FuseOpcode.RELEASE,
                new FuseOperation.Release(handle.fh(), handle.flags(), 0, FuseLockOwner.NONE),
                _ -> {}));
  }

  private void think() {
    if (thinking) {
      return;
    }
    thinking = true;
    kernel
        .worker()
        .host()
        .after(
            prng.scale(THINK_SHORTEST_NS, longestThinkNs),
            "",
            () -> {
              thinking = false;
              if (active.getAsBoolean()) {
                choice.next();
              } else {
                choice.locks().letGo();
                if (outstanding == 0) {
                  choice.wane();
                }
              }
              if (outstanding == 0) {
                think();
              }
            });
  }

  private String describe(InodeNo node, FuseOpcode opcode, FuseOperation operation) {
    String detail =
        switch (operation) {
          case FuseOperation.Write write ->
              " " + write.data().length + " at " + write.offset() + " flags " + write.openFlags();
          case FuseOperation.Create create ->
              " " + text(create.name()) + " flags " + create.flags();
          case FuseOperation.Unlink unlink -> " " + text(unlink.name());
          case FuseOperation.SetLk lock -> " " + lock.lock() + " owner " + lock.owner();
          default -> "";
        };
    return "pid " + pid + " " + opcode + " #" + node + detail;
  }

  private static String text(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }
}
