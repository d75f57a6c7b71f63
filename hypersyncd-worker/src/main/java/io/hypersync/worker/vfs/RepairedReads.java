package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.worker.fuse.session.FuseReply;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reads, and fetches a chunk from the leader when it is not here, or the local copy cannot be
 * used any more. The read then starts again; its caller waits as for a slow disk. Each chunk is
 * fetched once per request, or a few times if it is gone again: a small cache may have given it up
 * before the others were here. EIO if it still cannot be read. Thread-safe.
 */
final class RepairedReads {
  private static final int MOST_FETCHES = 8;
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

  /**
   * Answers a request now, or once the chunks that it needs have been fetched.
   *
   * @param read the first attempt, which is repeated with what was fetched
   * @param newer the same from the newest state: a chunk that cannot be had may be one that was
   *     overwritten since, and that is gone everywhere
   */
  void answer(FuseReply reply, Read read, Read newer) throws RequestFailed {
    new Attempt(reply, read, newer).run();
  }

  private final class Attempt {
    private final FuseReply reply;
    private final Read newer;

    /** How often each chunk was fetched. */
    private final Map<Hash, Integer> fetched = new HashMap<>();

    private Read read;

    Attempt(FuseReply reply, Read read, Read newer) {
      this.reply = reply;
      this.read = read;
      this.newer = newer;
    }

    void run() throws RequestFailed {
      try {
        read.answer();
      } catch (UnreadableChunk e) {
        int count = fetched.merge(e.chunk().hash(), 1, Integer::sum);
        if (count > (e.isDamaged() ? 1 : MOST_FETCHES)) {
          throw new RequestFailed(Errno.EIO);
        }
        LOG.debug("the leader is asked for what cannot be read here", e);
        leader.fetchAgain(e.chunk(), this::again, this::cannotBeHad);
      }
    }

    private void again() {
      try {
        run();
      } catch (RequestFailed e) {
        reply.error(e.errno());
      }
    }

    private void cannotBeHad(Errno errno) {
      if (read.equals(newer)) {
        reply.error(errno);
      } else {
        read = newer;
        again();
      }
    }
  }
}
