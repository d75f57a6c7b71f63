package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.inotify.MountPoints;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.inotify.ShadowAttempt;
import io.hypersync.worker.inotify.ShadowCall;
import io.hypersync.worker.inotify.ShadowCallRegistry;
import io.hypersync.worker.inotify.ShadowJob;
import io.hypersync.worker.inotify.ShadowTarget;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests that result from shadow calls (docs/inotify.md): names lead where they led
 * before the entry, the operation that the call is made for succeeds without effect, and everything
 * else is EPERM. No such request is logged, waits, or may be cached by the kernel. All other
 * requests are passed on to the filesystem.
 */
public final class ShadowRequests implements FuseHandler {
  private static final int TIMES =
      SetAttrValid.ATIME
          | SetAttrValid.MTIME
          | SetAttrValid.ATIME_NOW
          | SetAttrValid.MTIME_NOW
          | SetAttrValid.CTIME
          | SetAttrValid.FH
          | SetAttrValid.LOCKOWNER;
  private static final int STAND_IN_MODE = 0700;
  private static final int BLOCK = 4096;

  private final FuseHandler filesystem;
  private final ShadowCallRegistry registry;
  private final KernelInodes inodes;
  private final Supplier<View> view;
  private final MountPoints mounts;
  private final AtomicLong standIns = new AtomicLong(NameInDirectory.NOWHERE.value());

  /**
   * Creates a handler that passes all requests but those of shadow calls to {@code filesystem}.
   *
   * @param view S_v, the visible state
   * @param mounts what shadow calls must leave in place
   */
  public ShadowRequests(
      FuseHandler filesystem,
      ShadowCallRegistry registry,
      KernelInodes inodes,
      Supplier<View> view,
      MountPoints mounts) {
    this.filesystem = filesystem;
    this.registry = registry;
    this.inodes = inodes;
    this.view = view;
    this.mounts = mounts;
  }

  @Override
  public void handle(FuseRequest request, FuseReply reply) {
    if (!registry.isCaller(request.header().pid())) {
      filesystem.handle(request, reply);
      return;
    }
    try {
      answer(request, reply);
    } catch (RequestFailed e) {
      reply.error(e.errno());
    }
  }

  @Override
  public void interrupted(RequestId unique, int pid) {
    filesystem.interrupted(unique, pid);
  }

  private void answer(FuseRequest request, FuseReply reply) throws RequestFailed {
    RequestHeader header = request.header();
    ShadowAttempt attempt = registry.attempt();
    switch (request.operation()) {
      case FuseOperation.Lookup lookup -> lookup(request, lookup, attempt, reply);
      case FuseOperation.GetAttr _ -> reply.attr(attributes(header, attempt), 0);
      case FuseOperation.MkNod _ -> make(header, attempt, false, reply);
      case FuseOperation.MkDir _ -> make(header, attempt, true, reply);
      case FuseOperation.Unlink _, FuseOperation.RmDir _ -> {
        finish(attempt, call -> call instanceof ShadowCall.Remove);
        reply.ok();
      }
      case FuseOperation.Rename _ -> {
        finish(attempt, call -> call instanceof ShadowCall.Move);
        reply.ok();
      }
      case FuseOperation.SetAttr set -> touch(header, set, attempt, reply);
      // The kernel may send these in the name of any thread that happens to drop a reference.
      case FuseOperation.Forget _,
          FuseOperation.BatchForget _,
          FuseOperation.Release _,
          FuseOperation.ReleaseDir _ ->
          filesystem.handle(request, reply);
      default -> throw new RequestFailed(Errno.EPERM);
    }
  }

  private void lookup(
      FuseRequest request,
      FuseOperation.Lookup lookup,
      @Nullable ShadowAttempt attempt,
      FuseReply reply)
      throws RequestFailed {
    RequestHeader header = request.header();
    NameInDirectory place = new NameInDirectory(header.nodeId(), Nodes.name(lookup.name()));
    if (header.nodeId().equals(InodeNo.ROOT)
        && place.name().equals(ShadowCallRegistry.NOWHERE_NAME)) {
      reply.entry(
          new FuseEntry(
              NameInDirectory.NOWHERE, 0, standIn(header, NameInDirectory.NOWHERE), 0, 0));
      return;
    }
    if (attempt == null || !attempt.job().call().places().contains(place)) {
      throw new RequestFailed(Errno.EPERM);
    }
    if (mounts.areAtOrBelow(place, attempt.job().before(), attempt.job().after())) {
      // The truth, which leaves in place what is mounted there; the call then fails, since this
      // place does not count as looked up. Who has mounted it since the call began found the name
      // in the kernel's cache: for any other look the directory is locked by this very call.
      filesystem.handle(request, reply);
      return;
    }
    switch (attempt.job().call()) {
      case ShadowCall.Look _ -> filesystem.handle(request, reply);
      case ShadowCall.Make _ -> told(attempt, place, header, null, reply);
      case ShadowCall.Remove remove -> told(attempt, place, header, remove.subject(), reply);
      case ShadowCall.Move move -> {
        ShadowTarget subject = place.equals(move.from()) ? move.moved() : move.displaced();
        told(attempt, place, header, subject, reply);
      }
      case ShadowCall.Touch touch -> {
        attempt.lookedUp(place);
        reply.entry(entry(touch.node(), current(touch.node())));
      }
    }
  }

  /** Answers with the node that a name leads to, or ENOENT if {@code subject} is null. */
  private void told(
      ShadowAttempt attempt,
      NameInDirectory place,
      RequestHeader header,
      @Nullable ShadowTarget subject,
      FuseReply reply)
      throws RequestFailed {
    attempt.lookedUp(place);
    if (subject == null) {
      throw new RequestFailed(Errno.ENOENT);
    }
    Node real = subject.real();
    reply.entry(
        real == null
            ? standIn(header, subject.directory())
            // The kernel is about to adjust the link count itself, so it gets the one before.
            : entry(real, current(real).withNlink(real.attributes().nlink())));
  }

  private void make(
      RequestHeader header, @Nullable ShadowAttempt attempt, boolean directory, FuseReply reply)
      throws RequestFailed {
    finish(attempt, call -> call instanceof ShadowCall.Make make && make.directory() == directory);
    reply.entry(standIn(header, directory));
  }

  private void touch(
      RequestHeader header,
      FuseOperation.SetAttr set,
      @Nullable ShadowAttempt attempt,
      FuseReply reply)
      throws RequestFailed {
    if ((set.valid() & ~TIMES) != 0) {
      throw new RequestFailed(Errno.EPERM);
    }
    if (attempt == null
        || !(attempt.job().call() instanceof ShadowCall.Touch touch)
        || !touch.node().inode().equals(header.nodeId())) {
      throw new RequestFailed(Errno.ESTALE);
    }
    attempt.done();
    reply.attr(current(touch.node()), 0);
  }

  @FunctionalInterface
  private interface Expected {
    boolean isIt(ShadowCall call);
  }

  /**
   * Completes the operation that the shadow call is made for. ESTALE if the kernel has not just
   * looked up all its names: it would apply the operation's side effects to a live inode. On ESTALE
   * the kernel looks the names up and tries again by itself.
   */
  private static void finish(@Nullable ShadowAttempt attempt, Expected expected)
      throws RequestFailed {
    if (attempt == null || !expected.isIt(attempt.job().call())) {
      throw new RequestFailed(Errno.EPERM);
    }
    if (!attempt.knowsAllPlaces()) {
      throw new RequestFailed(Errno.ESTALE);
    }
    attempt.done();
  }

  private FuseAttr attributes(RequestHeader header, @Nullable ShadowAttempt attempt)
      throws RequestFailed {
    InodeNo inode = header.nodeId();
    if (inode.value() >= NameInDirectory.NOWHERE.value()) {
      return standIn(header, inode);
    }
    NodeId id = inodes.node(inode);
    Node node = id == null ? null : find(id, attempt);
    if (node == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return Attributes.of(node, node.attributes().mtimeNs());
  }

  /** The node in the visible state; if it is gone, the node as it was after or before the entry. */
  private @Nullable Node find(NodeId id, @Nullable ShadowAttempt attempt) {
    Node node = view.get().state().node(id);
    if (node == null && attempt != null) {
      ShadowJob job = attempt.job();
      FsState after = job.after();
      node = after.node(id) == null ? job.before().node(id) : after.node(id);
    }
    return node;
  }

  /** The entry of a real node; raises its lookup count. */
  private FuseEntry entry(Node node, FuseAttr attributes) {
    inodes.lookedUp(node);
    return new FuseEntry(node.inode(), 0, attributes, 0, 0);
  }

  /**
   * The node's attributes in the visible state, since the kernel uses them at once; those of the
   * given node if it is gone.
   */
  private FuseAttr current(Node node) {
    Node now = view.get().state().node(node.id());
    Node shown = now == null ? node : now;
    return Attributes.of(shown, shown.attributes().mtimeNs());
  }

  /**
   * The entry of a new stand-in, an inode that the kernel has never seen. The lowest bit of its
   * number is 0 for a directory.
   */
  private FuseEntry standIn(RequestHeader caller, boolean directory) {
    InodeNo inode = new InodeNo(standIns.addAndGet(2) | (directory ? 0 : 1));
    return new FuseEntry(inode, 0, standIn(caller, inode), 0, 0);
  }

  private static FuseAttr standIn(RequestHeader owner, InodeNo inode) {
    boolean directory = (inode.value() & 1) == 0;
    int mode = (directory ? NodeType.DIRECTORY : NodeType.FILE).modeBits() | STAND_IN_MODE;
    int links = directory ? 2 : 1;
    return new FuseAttr(inode, 0, 0, 0, 0, 0, mode, links, owner.uid(), owner.gid(), 0, BLOCK);
  }
}
