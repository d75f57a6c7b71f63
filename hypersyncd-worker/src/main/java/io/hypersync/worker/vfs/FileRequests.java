package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.intents.Completion;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Answers open, create, read and write of regular files, and fsync of files and directories
 * (hypersync.md 6.3.2, 6.5, 6.7, 6.8).
 */
final class FileRequests {
  private static final int ACCESS_MODE = 03;
  private static final int O_WRONLY = 01;
  private static final int O_EXCL = 0200;
  static final int O_TRUNC = 01000;
  private static final int O_APPEND = 02000;
  private static final int O_DIRECT = 040000;
  private static final int PERMISSIONS = 07777;
  private static final int CREATE_ATTEMPTS = 16;

  private final Nodes nodes;
  private final OpenHandles handles;
  private final UnnamedFiles unnamed;
  private final FileReader reader;
  private final RepairedReads repaired;
  private final Submitter submitter;
  private final AccessCheck access;
  private final Clock clock;
  private final PathRewalks pathRewalks;
  private final LongAdder directOpens = new LongAdder();

  FileRequests(
      Nodes nodes,
      OpenHandles handles,
      UnnamedFiles unnamed,
      FileReader reader,
      RepairedReads repaired,
      Submitter submitter,
      AccessCheck access,
      PathRewalks pathRewalks,
      Clock clock) {
    this.nodes = nodes;
    this.handles = handles;
    this.unnamed = unnamed;
    this.reader = reader;
    this.repaired = repaired;
    this.submitter = submitter;
    this.access = access;
    this.pathRewalks = pathRewalks;
    this.clock = clock;
  }

  /**
   * Whether the request opens a file for writing, so that later requests can change the file that
   * its path led to.
   */
  static boolean opensForWriting(FuseOperation operation) {
    return operation instanceof FuseOperation.Open open && writes(open.flags());
  }

  /**
   * Answers OPEN. EISDIR for a directory, ENXIO for any other type but a regular file; O_TRUNC is
   * committed as a truncate before the reply.
   *
   * <p>If the policy asks the leader before writing, an open that can write gets here only after
   * everything that was committed when it arrived is visible, or after the leader was found
   * unreachable, and then it fails with EROFS. The kernel may have walked the path before that, by
   * cached names. If another host has removed the node's name since, the bytes would be written to
   * a file that the caller did not mean, or to one that no path leads to any more. So the reply is
   * ESTALE, upon which the kernel walks the path again. The second walk finds what was there after
   * this call began, so its result is always right.
   */
  void open(RequestHeader header, FuseOperation.Open request, FuseReply reply)
      throws RequestFailed {
    Node node = nodes.node(nodes.state(), header.nodeId());
    if (node.type() != NodeType.FILE) {
      throw new RequestFailed(node.type() == NodeType.DIRECTORY ? Errno.EISDIR : Errno.ENXIO);
    }
    if (writes(request.flags())) {
      submitter.requireWritable();
      if (nodes.policy().asksBeforeWriting()) {
        requireName(header, node.id());
      }
    }
    boolean kill = (request.openFlags() & FuseFlags.OpenRequest.KILL_SUIDGID) != 0;
    if ((request.flags() & O_TRUNC) == 0) {
      reply.open(opened(header, node, request.flags(), false), replyFlags(request.flags()));
      return;
    }
    submitter.submit(
        header,
        new FsOp.Truncate(node.id(), 0, kill),
        reply,
        (_, _) ->
            reply.open(opened(header, node, request.flags(), false), replyFlags(request.flags())));
  }

  void create(RequestHeader header, FuseOperation.Create request, FuseReply reply)
      throws RequestFailed {
    new Creation(header, request, reply).attempt();
  }

  /** Answers open(O_TMPFILE): makes a file without a name. */
  void createUnnamed(RequestHeader header, FuseOperation.Tmpfile request, FuseReply reply)
      throws RequestFailed {
    NodeId parent = nodes.id(header.nodeId());
    FsOp op =
        new FsOp.MakeTemporary(parent, request.mode() & PERMISSIONS, header.uid(), header.gid());
    submitter.submit(
        header,
        op,
        reply,
        (entry, state) -> {
          Node node = state.node(entry.createdNode());
          if (node == null) {
            reply.error(Errno.EIO);
            return;
          }
          boolean mayBeNamed = (request.flags() & O_EXCL) == 0;
          if (mayBeNamed) {
            unnamed.made(node.inode());
          }
          created(header, node, request.flags(), mayBeNamed, reply);
        });
  }

  /** The number of opens with O_DIRECT since the start. */
  long directOpens() {
    return directOpens.sum();
  }

  void read(RequestHeader header, FuseOperation.Read request, FuseReply reply)
      throws RequestFailed {
    nodes.reading(header.nodeId());
    read(header, request, reply, () -> read(header, request, reply, null));
  }

  private void read(
      RequestHeader header,
      FuseOperation.Read request,
      FuseReply reply,
      RepairedReads.@Nullable Newer newer)
      throws RequestFailed {
    View view = nodes.view();
    if (view.isGrowing(header.nodeId())
        && handles.get(request.fh()) instanceof OpenHandles.OpenFile file
        && file.direct()) {
      // A reader that has seen bytes behind the old end must find them by every other call, too, so
      // the answer waits until the kernel has the new size. That cannot deadlock: a direct read
      // holds no page that the invalidations in progress could be waiting for.
      submitter.whenSettled(view, reply, () -> answer(view, header, request, reply, newer));
      return;
    }
    answer(view, header, request, reply, newer);
  }

  /**
   * Reads from a view that was the newest one at some moment during the call.
   *
   * @param newer does so from a newer one, if a chunk cannot be had because it was overwritten
   *     since and is gone everywhere
   */
  private void answer(
      View view,
      RequestHeader header,
      FuseOperation.Read request,
      FuseReply reply,
      RepairedReads.@Nullable Newer newer)
      throws RequestFailed {
    repaired.answer(
        reply,
        () -> {
          Node node = nodes.node(view.state(), header.nodeId(), request.fh());
          if (!(node.content() instanceof FileContent content)) {
            throw new RequestFailed(Errno.EISDIR);
          }
          long size = node.attributes().size();
          reply.data(reader.read(content, size, request.offset(), request.size()));
        },
        newer);
  }

  Optional<Byte> byteAt(InodeNo inode, long offset) {
    try {
      Node node = nodes.node(nodes.state(), inode);
      if (!(node.content() instanceof FileContent content)) {
        return Optional.empty();
      }
      byte[] read = reader.read(content, node.attributes().size(), offset, 1);
      return read.length == 0 ? Optional.empty() : Optional.of(read[0]);
    } catch (RequestFailed | UnreadableChunks | PageUnreadableException unreadable) {
      return Optional.empty();
    }
  }

  void write(RequestHeader header, FuseOperation.Write request, FuseReply reply)
      throws RequestFailed {
    NodeId node = nodes.id(header.nodeId(), request.fh());
    int length = request.data().length;
    if (length == 0) {
      reply.write(0);
      return;
    }
    if (request.offset() < 0 || request.offset() + length < 0) {
      throw new RequestFailed(Errno.EFBIG);
    }
    boolean append = (request.openFlags() & O_APPEND) != 0;
    boolean kill = (request.writeFlags() & FuseFlags.Write.KILL_SUIDGID) != 0;
    Submitter.Payload payload = submitter.split(request.data());
    FsOp op =
        new FsOp.Write(
            node,
            append ? WriteMode.APPEND : WriteMode.PWRITE,
            append ? 0 : request.offset(),
            payload.refs(),
            kill);
    boolean isOwned = (request.writeFlags() & FuseFlags.Write.LOCKOWNER) != 0;
    Descriptor through =
        new Descriptor(node, request.fh(), isOwned ? request.lockOwner() : FuseLockOwner.NONE);
    submitter.submit(header, through, op, payload, reply, (_, _) -> reply.write(length));
  }

  void fsync(RequestHeader header, FileHandle handle, FuseReply reply) throws RequestFailed {
    submitter.fsync(header, nodes.id(header.nodeId(), handle), reply);
  }

  /**
   * Fails with ESTALE if the path that led to this node may be out of date; at most once per call.
   */
  private void requireName(RequestHeader header, NodeId node) throws RequestFailed {
    boolean again = pathRewalks.take(header.pid(), clock.monotonicNs()) == PathRewalks.Walk.SECOND;
    if (!again && header.pid() != 0 && submitter.hasLostName(node)) {
      throw new RequestFailed(Errno.ESTALE);
    }
  }

  /**
   * The error that makes the kernel look up a name again that it believed to be free. ESTALE makes
   * it walk the path again, but only once per call: a second ESTALE would be returned to the
   * caller. So a call that has been walked again already gets EINTR, upon which callers retry.
   */
  private RequestFailed lookAgain(RequestHeader header) {
    long nowNs = clock.monotonicNs();
    if (pathRewalks.take(header.pid(), nowNs) != PathRewalks.Walk.FIRST) {
      return new RequestFailed(Errno.EINTR);
    }
    pathRewalks.note(header.pid(), nowNs);
    return new RequestFailed(Errno.ESTALE);
  }

  private FileHandle opened(RequestHeader header, Node node, int openFlags, boolean mayBeNamed) {
    if ((openFlags & O_DIRECT) != 0) {
      directOpens.increment();
    }
    boolean direct = (replyFlags(openFlags) & FuseFlags.OpenReply.DIRECT_IO) != 0;
    @Nullable CallerAgent reader = (openFlags & ACCESS_MODE) == O_WRONLY ? null : header.agent();
    return handles.open(
        header.unique(), new OpenHandles.OpenFile(node.id(), direct, reader), mayBeNamed);
  }

  private void created(
      RequestHeader header, Node node, int openFlags, boolean mayBeNamed, FuseReply reply) {
    reply.create(
        nodes.made(node), opened(header, node, openFlags, mayBeNamed), replyFlags(openFlags));
  }

  private static boolean writes(int openFlags) {
    return (openFlags & ACCESS_MODE) != 0;
  }

  /** Handles that can write bypass the page cache: no write is visible before it is committed. */
  private int replyFlags(int openFlags) {
    if (writes(openFlags)) {
      return FuseFlags.OpenReply.DIRECT_IO | FuseFlags.OpenReply.PARALLEL_DIRECT_WRITES;
    }
    return nodes.policy().readerFlags();
  }

  /**
   * An open(O_CREAT) of a name that the kernel believes to be free. The leader decides whether it
   * is; if it is not, and O_EXCL was not given, the existing file is opened (hypersync.md 6.8).
   */
  private final class Creation {
    private final RequestHeader header;
    private final FuseOperation.Create request;
    private final FuseReply reply;
    private final NodeId parent;
    private final Name name;
    private int attempts;

    Creation(RequestHeader header, FuseOperation.Create request, FuseReply reply)
        throws RequestFailed {
      this.header = header;
      this.request = request;
      this.reply = reply;
      this.parent = nodes.id(header.nodeId());
      this.name = Nodes.name(request.name());
    }

    void attempt() throws RequestFailed {
      if (attempts == CREATE_ATTEMPTS) {
        throw lookAgain(header); // the name is created and removed in turn
      }
      attempts++;
      FsOp op =
          new FsOp.CreateFile(
              parent, name, request.mode() & PERMISSIONS, header.uid(), header.gid());
      submitter.submit(
          header,
          op,
          Submitter.Payload.NONE,
          reply,
          new Completion() {
            @Override
            public void committed(LogEntry entry, FsState state) {
              Node node = state.node(entry.createdNode());
              if (node == null) {
                reply.error(Errno.EIO);
              } else {
                opened(node);
              }
            }

            @Override
            public void failed(Errno errno) {
              submitter.answer(reply, () -> refused(errno));
            }
          });
    }

    private void refused(Errno errno) throws RequestFailed {
      if (errno != Errno.EEXIST || (request.flags() & O_EXCL) != 0) {
        throw new RequestFailed(errno);
      }
      FsState state = nodes.state();
      Node directory = state.node(parent);
      Node existing = directory == null ? null : state.lookup(directory, name);
      if (existing == null) {
        attempt(); // removed again since the leader answered
        return;
      }
      switch (existing.type()) {
        case FILE -> openExisting(existing);
        case DIRECTORY -> throw new RequestFailed(Errno.EISDIR);
        // On ESTALE the kernel looks the name up again, then follows the link or opens the device
        // itself.
        case SYMLINK, FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> throw lookAgain(header);
      }
    }

    private void openExisting(Node file) throws RequestFailed {
      if (!access.mayOpen(header, file.attributes(), request.flags())) {
        throw new RequestFailed(Errno.EACCES);
      }
      if ((request.flags() & O_TRUNC) == 0) {
        opened(file);
        return;
      }
      submitter.submit(
          header,
          new FsOp.Truncate(file.id(), 0, header.uid() != 0), // as the kernel does for open
          reply,
          (_, state) -> {
            Node truncated = state.node(file.id());
            if (truncated == null) {
              reply.error(Errno.ESTALE); // unlinked and reaped meanwhile
            } else {
              opened(truncated);
            }
          });
    }

    private void opened(Node node) {
      var _ = pathRewalks.take(header.pid(), clock.monotonicNs());
      created(header, node, request.flags(), false, reply);
    }
  }
}
