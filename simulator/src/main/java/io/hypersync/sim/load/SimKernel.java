package io.hypersync.sim.load;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.sim.check.LinkRecord;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.node.Recording;
import io.hypersync.sim.node.SimWorker;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of one worker's host, as seen by the vfs: numbers requests, keeps the inodes that it
 * was given, counts lookups and sends FORGET.
 */
public final class SimKernel {
  private static final int DIRECTORY = 4;

  private static final class Inode {
    private final int type;
    private long lookups;
    private int uses;

    Inode(int type) {
      this.type = type;
    }
  }

  private final SimWorker worker;
  private final Recording recording;
  private final LongSupplier numbers;
  private final TreeMap<InodeNo, Inode> inodes =
      new TreeMap<>(Comparator.comparingLong(InodeNo::value));

  /**
   * Creates a kernel that knows only the root inode.
   *
   * @param numbers source of request numbers, unique in the whole history
   */
  public SimKernel(SimWorker worker, Recording recording, LongSupplier numbers) {
    this.worker = worker;
    this.recording = recording;
    this.numbers = numbers;
    Inode root = new Inode(DIRECTORY);
    root.lookups = 1;
    inodes.put(InodeNo.ROOT, root);
  }

  SimWorker worker() {
    return worker;
  }

  /** The known inodes: either all directories, or everything else. */
  List<InodeNo> known(boolean directories) {
    List<InodeNo> known = new ArrayList<>();
    inodes.forEach(
        (number, inode) -> {
          if ((inode.type == DIRECTORY) == directories) {
            known.add(number);
          }
        });
    return known;
  }

  /** Changes the use count of an inode by {@code more}; an inode in use is not forgotten. */
  void use(InodeNo number, int more) {
    Inode inode = inodes.get(number);
    if (inode != null) {
      inode.uses += more;
    }
  }

  /** Sends a request to the vfs; returns its number. */
  RequestId request(
      int pid,
      InodeNo node,
      FuseOpcode opcode,
      FuseOperation operation,
      Consumer<Answer> receiver) {
    RequestId unique = new RequestId(numbers.getAsLong());
    int user = pid % 3 == 0 ? 0 : 1000 + pid % 2;
    FuseRequest request =
        new FuseRequest(new RequestHeader(unique, node, user, user, pid, opcode), operation);
    FuseRequest named = request.by(worker.agents().calls(pid));
    use(node, 1);
    closing(node, operation);
    LinkRecord.Moment made = worker.record().now();
    long visible = worker.agent().visible().index();
    recording.requests().made(worker.id().name(), request);
    try {
      worker
          .vfs()
          .handle(
              named,
              new SimReply(
                  unique,
                  answer -> {
                    worker.agents().returned(pid);
                    recording.requests().answered(unique);
                    if (waitsForItsBarrier(operation) && answer.errno() != Errno.EINTR) {
                      worker.record().passes(request, made, worker.agent().visible().index());
                    }
                    use(node, -1);
                    learn(answer.entry());
                    opened(node, operation, answer);
                    read(pid, node, operation, answer, visible);
                    receiver.accept(answer);
                  }));
    } catch (RuntimeException e) {
      if (e instanceof Violation) {
        throw e;
      }
      throw new IllegalStateException("the vfs failed at " + request, e);
    }
    return unique;
  }

  /** The caller of a request gets a signal. */
  void interrupt(RequestId unique, int pid) {
    worker.vfs().interrupted(unique, pid);
  }

  /** Forgets the inode, as under memory pressure, unless it is in use, unknown or the root. */
  void forget(int pid, InodeNo number) {
    Inode inode = inodes.get(number);
    if (inode == null || inode.uses > 0 || number.equals(InodeNo.ROOT)) {
      return;
    }
    inodes.remove(number);
    RequestId _ =
        request(pid, number, FuseOpcode.FORGET, new FuseOperation.Forget(inode.lookups), _ -> {});
  }

  /** Forgets every inode that is not in use. */
  void forgetUnused(int pid) {
    new ArrayList<>(inodes.keySet()).forEach(number -> forget(pid, number));
  }

  /** Whether the node was reaped, so that ESTALE is a legitimate answer. */
  boolean isReaped(NodeId node) {
    return recording.open().isReaped(node);
  }

  private void opened(InodeNo node, FuseOperation operation, Answer answer) {
    if (answer.errno() != null) {
      return;
    }
    switch (operation) {
      case FuseOperation.Opening _ -> opened(node);
      case FuseOperation.Create _, FuseOperation.Tmpfile _ -> {
        FuseEntry entry = answer.entry();
        if (entry != null) {
          opened(entry.nodeId());
        }
      }
      case FuseOperation.Query _,
          FuseOperation.NameChange _,
          FuseOperation.Change _,
          FuseOperation.Upkeep _ -> {
        // opens nothing
      }
    }
  }

  /** Notes what the process can read, and has read. */
  private void read(int pid, InodeNo number, FuseOperation operation, Answer answer, long visible) {
    if (answer.errno() != null) {
      return;
    }
    if (operation instanceof FuseOperation.Read read) {
      worker.agents().read(read.fh(), visible);
    } else if (operation instanceof FuseOperation.Open open && SyscallChoice.reads(open.flags())) {
      canRead(pid, number, answer.fh());
    } else if (operation instanceof FuseOperation.Create create
        && SyscallChoice.reads(create.flags())
        && answer.entry() != null) {
      canRead(pid, answer.entry().nodeId(), answer.fh());
    }
  }

  private void canRead(int pid, InodeNo number, FileHandle handle) {
    NodeId node = worker.inodes().node(number);
    if (node != null) {
      worker.agents().opened(pid, handle, node);
    }
  }

  private void opened(InodeNo number) {
    NodeId node = worker.inodes().node(number);
    if (node != null) {
      recording.open().opened(worker.id().name(), node);
    }
  }

  /**
   * Whether the request waits for a barrier: opens must see what was known to be committed when
   * they were made (hypersync.md 6.2).
   */
  private static boolean waitsForItsBarrier(FuseOperation operation) {
    return operation instanceof FuseOperation.Opening;
  }

  private void closing(InodeNo number, FuseOperation operation) {
    if (operation instanceof FuseOperation.Release release) {
      worker.agents().closed(release.fh());
    }
    if (operation instanceof FuseOperation.Release
        || operation instanceof FuseOperation.ReleaseDir) {
      NodeId node = worker.inodes().node(number);
      if (node != null) {
        recording.open().closed(worker.id().name(), node);
      }
    }
  }

  private void learn(@Nullable FuseEntry entry) {
    if (entry != null) {
      inodes.computeIfAbsent(entry.nodeId(), _ -> new Inode(entry.attr().mode() >>> 12)).lookups++;
    }
  }
}
