package io.hypersync.sim.load;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.sim.check.history.Directory;
import io.hypersync.sim.check.history.History;
import io.hypersync.sim.check.history.Register;
import io.hypersync.sim.node.Recording;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A process whose calls are recorded and checked for linearizability. It writes and reads one file
 * as a whole, and creates, removes, renames and looks up a few names. All such processes share
 * these objects, and no other process uses them. Each has a kernel of its own, so that no other
 * process uses its inodes.
 */
public final class HistoryProcess {
  private static final InodeNo ROOT = InodeNo.ROOT;
  private static final int MKNOD_MODE = 0100644;
  private static final int O_RDWR = 2;
  private static final long THINK_SHORTEST_NS = 50_000;
  private static final byte[] REGISTER = name("register");
  private static final List<String> NAMES = List.of("x", "y", "z");

  private final int pid;
  private final SimKernel kernel;
  private final Recording recording;
  private final Histories histories;
  private final Prng prng;
  private final long longestThinkNs;
  private final BooleanSupplier active;
  private @Nullable FuseEntry file;
  private FileHandle handle = FileHandle.NONE;

  /**
   * Creates a process; {@link #start} lets it make calls.
   *
   * @param kernel used by this process only
   * @param longestThinkNs the longest time between two calls, in nanoseconds
   * @param active whether it may make calls at present
   */
  public HistoryProcess(
      int pid,
      SimKernel kernel,
      Recording recording,
      Histories histories,
      Prng prng,
      long longestThinkNs,
      BooleanSupplier active) {
    this.pid = pid;
    this.kernel = kernel;
    this.recording = recording;
    this.histories = histories;
    this.prng = prng;
    this.longestThinkNs = longestThinkNs;
    this.active = active;
  }

  /** Schedules the next call. */
  public void start() {
    kernel.worker().host().after(prng.scale(THINK_SHORTEST_NS, longestThinkNs), "", this::next);
  }

  private void next() {
    FuseEntry opened = file;
    if (!active.getAsBoolean()) {
      rest(opened);
    } else if (prng.oneIn(2)) {
      directory();
    } else if (opened == null) {
      open();
    } else {
      register(opened);
    }
  }

  private void rest(@Nullable FuseEntry opened) {
    if (opened == null) {
      kernel.forgetUnused(pid);
      return;
    }
    file = null;
    kernel.use(opened.nodeId(), -1);
    call(
        opened.nodeId(),
        FuseOpcode.RELEASE,
        new FuseOperation.Release(handle, O_RDWR, 0, FuseLockOwner.NONE),
        _ -> {});
  }

  private void open() {
    call(
        ROOT,
        FuseOpcode.CREATE,
        new FuseOperation.Create(REGISTER, O_RDWR, 0644, 022, 0),
        answer -> {
          FuseEntry entry = answer.entry();
          if (entry != null) {
            file = entry;
            handle = answer.fh();
            kernel.use(entry.nodeId(), 1);
          }
        });
  }

  private void register(FuseEntry opened) {
    History<Register.Input, Long> history = histories.register();
    if (prng.oneIn(2)) {
      long value = histories.newValue();
      byte[] data = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
      recording.bytes().add(data);
      int number = history.called(who(), new Register.Write(value));
      call(
          opened.nodeId(),
          FuseOpcode.WRITE,
          new FuseOperation.Write(handle, 0, data, 0, FuseLockOwner.NONE, O_RDWR),
          answer -> mutated(history, number, answer, answer.errno() == null ? value : null));
    } else {
      int number = history.called(who(), new Register.Read());
      boolean isPromised = isPromised();
      call(
          opened.nodeId(),
          FuseOpcode.READ,
          new FuseOperation.Read(handle, 0, Long.BYTES, 0, FuseLockOwner.NONE, O_RDWR),
          answer -> read(history, number, isPromised, value(answer)));
    }
  }

  private void directory() {
    History<Directory.Input, Directory.Output> history = histories.directory();
    String name = prng.pick(NAMES);
    switch (prng.below(5)) {
      case 0 -> {
        int number = history.called(who(), new Directory.Create(name));
        call(
            ROOT,
            FuseOpcode.MKNOD,
            new FuseOperation.MkNod(name(name), MKNOD_MODE, 0, 022),
            answer -> mutated(history, number, answer, output(answer)));
      }
      case 1 -> {
        int number = history.called(who(), new Directory.Unlink(name));
        call(
            ROOT,
            FuseOpcode.UNLINK,
            new FuseOperation.Unlink(name(name)),
            answer -> mutated(history, number, answer, output(answer)));
      }
      case 2 -> {
        String to = NAMES.get((NAMES.indexOf(name) + 1) % NAMES.size());
        int number = history.called(who(), new Directory.Rename(name, to));
        call(
            ROOT,
            FuseOpcode.RENAME2,
            new FuseOperation.Rename(name(name), ROOT, name(to), 0),
            answer -> mutated(history, number, answer, output(answer)));
      }
      default -> {
        int number = history.called(who(), new Directory.Lookup(name));
        boolean isPromised = isPromised();
        call(
            ROOT,
            FuseOpcode.LOOKUP,
            new FuseOperation.Lookup(name(name)),
            answer -> read(history, number, isPromised, output(answer)));
      }
    }
  }

  /** Records the answer to a mutation. After EROFS it has not happened and never will (6.4). */
  private static <I, O> void mutated(
      History<I, O> history, int call, Answer answer, @Nullable O output) {
    if (answer.errno() == Errno.EROFS) {
      history.forget(call);
    } else {
      history.answered(call, output);
    }
  }

  /**
   * Records the answer to a read. Reads are still served while the leader is unreachable or the
   * worker cannot apply, but without any promise (6.4): those are not checked. That is so for a
   * read that began at such a moment, too: it may have chosen its state then, and have waited for a
   * chunk of it.
   */
  private <I, O> void read(
      History<I, O> history, int call, boolean isPromised, @Nullable O output) {
    if (isPromised && isPromised()) {
      history.answered(call, output);
    } else {
      history.forget(call);
    }
  }

  private boolean isPromised() {
    return kernel.worker().isLive() && !kernel.worker().isStuck();
  }

  /** Null if the answer leaves the outcome open: EIO, or any other unexpected errno. */
  private static Directory.@Nullable Output output(Answer answer) {
    FuseEntry entry = answer.entry();
    return switch (answer.errno()) {
      case null ->
          entry == null ? new Directory.Done() : new Directory.Found(entry.nodeId().value());
      case ENOENT -> new Directory.Missing();
      case EEXIST -> new Directory.Exists();
      default -> null;
    };
  }

  private static @Nullable Long value(Answer answer) {
    byte[] data = answer.data();
    if (data == null) {
      return null;
    }
    return data.length == 0 ? Register.NOTHING : ByteBuffer.wrap(data).getLong();
  }

  private void call(
      InodeNo node, FuseOpcode opcode, FuseOperation operation, Consumer<Answer> then) {
    String what = who() + " " + opcode + " #" + node;
    kernel.worker().host().note(what);
    RequestId _ =
        kernel.request(
            pid,
            node,
            opcode,
            operation,
            answer -> {
              kernel.worker().host().note(what + " -> " + answer);
              then.accept(answer);
              start();
            });
  }

  private String who() {
    return kernel.worker().id() + " pid " + pid;
  }

  private static byte[] name(String name) {
    return name.getBytes(StandardCharsets.US_ASCII);
  }
}
