package io.hypersync.worker.vfs;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.intents.Completion;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.MutationTimestamps;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.sighting.Sightings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits mutations. Their bytes are put into the local chunk store first, so that the entry can be
 * applied here as soon as it is committed. A chunk that was in the store before belongs to an entry
 * or an earlier intent, so the leader is assumed to have it; all others are uploaded.
 */
final class Submitter {
  private static final Logger LOG = LoggerFactory.getLogger(Submitter.class);

  private final Mutations mutations;
  private final PageFetches pages;
  private final ChunkStore chunks;
  private final KernelPaths paths;
  private final Sightings sightings;
  private final Locks locks;
  private final Supplier<View> view;
  private final Clock clock;

  Submitter(
      Mutations mutations,
      PageFetches pages,
      ChunkStore chunks,
      KernelPaths paths,
      Sightings sightings,
      Locks locks,
      Supplier<View> view,
      Clock clock) {
    this.mutations = mutations;
    this.pages = pages;
    this.chunks = chunks;
    this.paths = paths;
    this.sightings = sightings;
    this.locks = locks;
    this.view = view;
    this.clock = clock;
  }

  /**
   * The bytes of a mutation, as chunks.
   *
   * @param chunks in order
   * @param hashNs how long splitting and hashing took
   */
  record Payload(List<Chunk> chunks, long hashNs) {
    static final Payload NONE = new Payload(List.of(), 0);

    /** The references by which an op names the chunks. */
    List<ChunkRef> refs() {
      return chunks.stream().map(Chunk::ref).toList();
    }
  }

  /** Splits written bytes into chunks of the size that the leader has set, and hashes them. */
  Payload split(byte[] bytes) {
    return split(bytes, mutations.chunkMax());
  }

  /**
   * Hashes the value of an extended attribute, which is one chunk whatever chunk size the leader
   * has set.
   */
  Payload value(byte[] bytes) {
    return split(bytes, Chunker.MAX_CHUNK_BYTES);
  }

  private Payload split(byte[] bytes, int chunkMax) {
    long begunNs = clock.monotonicNs();
    List<Chunk> pieces = Chunker.split(bytes, chunkMax);
    return new Payload(pieces, clock.monotonicNs() - begunNs);
  }

  /** Runs when a mutation has been committed and applied. */
  @FunctionalInterface
  interface OnCommit {
    void committed(LogEntry entry, FsState state);
  }

  /** Fails with EROFS unless mutations are accepted now. */
  void requireWritable() throws RequestFailed {
    if (!mutations.isWritable()) {
      throw new RequestFailed(Errno.EROFS);
    }
  }

  /** See {@link Mutations#hasLostName}. */
  boolean hasLostName(NodeId node) {
    return mutations.hasLostName(node);
  }

  void submit(RequestHeader caller, FsOp op, FuseReply reply, OnCommit onCommit)
      throws RequestFailed {
    submit(caller, op, Payload.NONE, reply, completion(reply, onCommit));
  }

  void submit(RequestHeader caller, FsOp op, Payload payload, FuseReply reply, OnCommit onCommit)
      throws RequestFailed {
    submit(caller, op, payload, reply, completion(reply, onCommit));
  }

  void submit(
      RequestHeader caller, FsOp op, Payload payload, FuseReply reply, Completion completion)
      throws RequestFailed {
    submit(caller, op, payload, reply, completion, 0);
  }

  /** Submits a mutation that is made through a descriptor. */
  void submit(
      RequestHeader caller,
      Descriptor through,
      FsOp op,
      Payload payload,
      FuseReply reply,
      OnCommit onCommit)
      throws RequestFailed {
    submit(caller, through, op, payload, reply, completion(reply, onCommit));
  }

  /**
   * Submits a mutation that is made through a descriptor, with the lock session that it rests on:
   * the leader refuses it with EIO if that is over. If nobody here knows yet that it is, the number
   * says it all the same.
   */
  void submit(
      RequestHeader caller,
      Descriptor through,
      FsOp op,
      Payload payload,
      FuseReply reply,
      Completion completion)
      throws RequestFailed {
    long session = locks.heldLocks().session(through.node(), through.handle(), through.process());
    submit(
        caller,
        op,
        payload,
        reply,
        session == 0 ? completion : telling(caller, through, completion),
        session);
  }

  private void submit(
      RequestHeader caller,
      FsOp op,
      Payload payload,
      FuseReply reply,
      Completion completion,
      long lockSession)
      throws RequestFailed {
    // Asked again last: the leader may have come back between the first two questions.
    if (!mutations.isWritable() && !mutations.isAwaitingLeader()) {
      requireWritable();
    }
    long beganNs = clock.monotonicNs();
    List<Hash> uploading = store(payload.chunks());
    long nowNs = payload.chunks().isEmpty() ? beganNs : clock.monotonicNs();
    long receivedNs = reply.takeReceivedNs();
    MutationTimestamps times =
        new MutationTimestamps(
            receivedNs == 0 ? beganNs : receivedNs, payload.hashNs() + nowNs - beganNs, nowNs);
    mutations.submit(
        new Mutation(
            caller.unique(),
            caller.pid(),
            caller.agent().name(),
            new CallContext(paths.of(op), caller.agent().isLate(), seen(caller.agent(), op)),
            op,
            payload.chunks(),
            uploading,
            naming(completion),
            lockSession,
            times));
  }

  /**
   * What the caller's agent may have read of the file that an op writes over, or puts another one
   * in the place of.
   */
  private long seen(CallerAgent agent, FsOp op) {
    return switch (op) {
      case FsOp.Write write -> sightings.seen(write.node(), agent);
      case FsOp.CopyRange copy -> sightings.seen(copy.target(), agent);
      case FsOp.Rename rename -> {
        NodeId replaced = replaced(rename);
        yield replaced == null ? CallContext.NOT_KNOWN : sightings.seen(replaced, agent);
      }
      default -> CallContext.NOT_KNOWN;
    };
  }

  private @Nullable NodeId replaced(FsOp.Rename rename) {
    try {
      FsState state = view.get().state();
      Node directory = state.node(rename.newParent());
      Node there = directory == null ? null : state.lookup(directory, rename.newName());
      return there == null ? null : there.id();
    } catch (PageUnreadableException e) {
      return null; // the call itself will tell
    }
  }

  /** Notes that a caller is told of its lost locks, and says so in the log. */
  private Completion telling(RequestHeader caller, Descriptor through, Completion completion) {
    return new Completion() {
      @Override
      public void committed(LogEntry entry, FsState state) {
        completion.committed(entry, state);
      }

      @Override
      public void failed(Errno errno) {
        if (errno == Errno.EIO) {
          for (int pid :
              locks.heldLocks().told(through.node(), through.handle(), through.process())) {
            LOG.warn(
                "process {} has lost its locks of node {}, and a call of thread {} is refused with"
                    + " EIO: so is all that changes the file, until it locks again or closes it",
                pid,
                through.node(),
                caller.pid());
          }
        }
        completion.failed(errno);
      }
    };
  }

  /**
   * Notes what names lead to, before the caller is answered and may use them; and once more
   * afterwards, for nodes that the kernel holds only with the answer.
   */
  private Completion naming(Completion completion) {
    return new Completion() {
      @Override
      public void committed(LogEntry entry, FsState state) {
        try {
          paths.committed(entry.op(), state);
          completion.committed(entry, state);
          paths.committed(entry.op(), state);
        } catch (PageUnreadableException e) {
          // The ack came so much later than the entry that a page of its state has left the memory,
          // and cannot be read any more. What the caller is to be told is not known.
          completion.failed(Errno.EIO);
        }
      }

      @Override
      public void failed(Errno errno) {
        completion.failed(errno);
      }
    };
  }

  /**
   * Stores the chunks that are not in the local store; returns their hashes: the leader cannot have
   * them yet.
   */
  private List<Hash> store(List<Chunk> payload) throws RequestFailed {
    List<Chunk> fresh = new ArrayList<>();
    List<Hash> uploading = new ArrayList<>();
    try {
      for (Chunk chunk : payload) {
        if (!uploading.contains(chunk.hash()) && !isHere(chunk.hash())) {
          fresh.add(chunk);
          uploading.add(chunk.hash());
        }
      }
      if (!fresh.isEmpty()) {
        chunks.putAll(fresh);
      }
    } catch (ChunkStoreException e) {
      // A blocking write(2) never fails with EAGAIN.
      throw new RequestFailed(e.errno() == Errno.EAGAIN ? Errno.EIO : e.errno());
    }
    return uploading;
  }

  /**
   * Whether the chunk is stored here and readable. One that cannot be read counts as missing: this
   * caller has its bytes, so storing them repairs it.
   */
  private boolean isHere(Hash hash) {
    try {
      return chunks.isKnownVerified(hash) || chunks.getVerified(hash) != null;
    } catch (ChunkStoreException e) {
      return false; // if the disk has failed, storing the chunk fails, too
    }
  }

  /** Answers a request once the kernel has completed the invalidations of a view's last entry. */
  void whenSettled(View view, FuseReply reply, PageFetches.Answer answer) {
    mutations.whenSettled(view.visible().index(), () -> pages.answer(reply, answer));
  }

  /** Goes on with a request, on any thread. */
  void answer(FuseReply reply, PageFetches.Answer answer) {
    pages.answer(reply, answer);
  }

  void fsync(RequestHeader caller, NodeId node, FuseReply reply) {
    mutations.fsync(
        node, new WaitingCall(caller.unique(), reply::ok, () -> reply.error(Errno.EINTR)));
  }

  private static Completion completion(FuseReply reply, OnCommit onCommit) {
    return new Completion() {
      @Override
      public void committed(LogEntry entry, FsState state) {
        onCommit.committed(entry, state);
      }

      @Override
      public void failed(Errno errno) {
        reply.error(errno);
      }
    };
  }
}
