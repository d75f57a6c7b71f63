package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.worker.fuse.session.FuseReply;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reads, and fetches a chunk from the leader when the local copy cannot be used any more. The
 * read then starts again; its caller waits as for a slow disk. Each chunk is fetched once per
 * request; EIO if it still cannot be read. Thread-safe.
 */
final class RepairedReads {
  private static final Logger LOG = LoggerFactory.getLogger(RepairedReads.class);

  private final Mutations leader;

  RepairedReads(Mutations leader) {
    this.leader = leader;
  }

  /** Answers the request; may run more than once. */
  @FunctionalInterface
  interface Read {
    void answer() throws RequestFailed, UnreadableChunk;
  }

  /** Answers a request now, or once the chunks that it needs have been fetched. */
  void answer(FuseReply reply, Read read) throws RequestFailed {
    answer(reply, read, new HashSet<>());
  }

  private void answer(FuseReply reply, Read read, Set<Hash> tried) throws RequestFailed {
    try {
      read.answer();
    } catch (UnreadableChunk e) {
      if (!tried.add(e.chunk().hash())) {
        throw new RequestFailed(Errno.EIO);
      }
      LOG.debug("the leader is asked for what cannot be read here", e);
      leader.fetchAgain(e.chunk(), () -> again(reply, read, tried), reply::error);
    }
  }

  private void again(FuseReply reply, Read read, Set<Hash> tried) {
    try {
      answer(reply, read, tried);
    } catch (RequestFailed e) {
      reply.error(e.errno());
    }
  }
}
