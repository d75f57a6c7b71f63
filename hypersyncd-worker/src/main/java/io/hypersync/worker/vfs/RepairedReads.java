package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.vfs.UnreadableChunks.Unreadable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reads, and fetches chunks from the leader that are not here, or whose local copy cannot be
 * used any more, all that a read lacks at once. The read then starts again; its caller waits as for
 * a slow disk. A damaged chunk is fetched once per request, and a missing one a few times: a small
 * cache may have given it up again before the others were here. EIO if it still cannot be read.
 * Thread-safe.
 */
final class RepairedReads {
  private static final int MOST_FETCHES = 3;
  private static final Logger LOG = LoggerFactory.getLogger(RepairedReads.class);

  private final Mutations leader;
  private final PageFetches pages;

  /** Calls that have asked the leader for chunks, each of them once. */
  private final LongAdder fetching = new LongAdder();

  RepairedReads(Mutations leader, PageFetches pages) {
    this.leader = leader;
    this.pages = pages;
  }

  /** How many calls have waited for chunks of the leader. */
  long fetching() {
    return fetching.sum();
  }

  /** Answers the request; may run more than once. */
  @FunctionalInterface
  interface Read {
    void answer() throws RequestFailed, UnreadableChunks;
  }

  /** Answers the request in another way. */
  @FunctionalInterface
  interface Newer {
    void answer() throws RequestFailed;
  }

  /**
   * Answers a request now, or once the chunks that it needs have been fetched.
   *
   * @param read the attempt, which is repeated with what was fetched
   * @param newer does the same from the newest state: a chunk that cannot be had may be one that
   *     was overwritten since, and that is gone everywhere. Null if that was done already
   */
  void answer(FuseReply reply, Read read, @Nullable Newer newer) throws RequestFailed {
    new Attempt(reply, read, newer).run();
  }

  private final class Attempt {
    private final FuseReply reply;
    private final Read read;
    private final @Nullable Newer newer;

    /** How often each chunk was fetched. */
    private final Map<Hash, Integer> fetched = new HashMap<>();

    Attempt(FuseReply reply, Read read, @Nullable Newer newer) {
      this.reply = reply;
      this.read = read;
      this.newer = newer;
    }

    void run() throws RequestFailed {
      try {
        read.answer();
      } catch (UnreadableChunks e) {
        if (fetched.isEmpty()) {
          fetching.increment();
        }
        List<ChunkRef> wanted = new ArrayList<>();
        for (Unreadable chunk : e.chunks()) {
          int count = fetched.merge(chunk.ref().hash(), 1, Integer::sum);
          if (count > (chunk.isDamaged() ? 1 : MOST_FETCHES)) {
            throw new RequestFailed(Errno.EIO);
          }
          wanted.add(chunk.ref());
        }
        LOG.debug("the leader is asked for what cannot be read here", e);
        leader.fetchAgain(wanted, this::again, this::cannotBeHad);
      }
    }

    private void again() {
      pages.answer(reply, this::run);
    }

    private void cannotBeHad(Errno errno) {
      Newer other = newer;
      if (other == null) {
        reply.error(errno);
      } else {
        pages.answer(reply, other::answer);
      }
    }
  }
}
