package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.fuse.session.FuseReply;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests, and fetches pages of the state from the leader that are not here, or cannot be
 * read here any more. The request then begins again: nothing looks at the state behind what cannot
 * be undone, which is the submission of a mutation. EIO if a page cannot be had. Thread-safe.
 */
public final class PageFetches {
  /** How many pages are fetched for one request: a listing of a large directory needs many. */
  private static final int MOST = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PageFetches.class);

  private final Mutations leader;

  /** Fetches from this leader. */
  public PageFetches(Mutations leader) {
    this.leader = leader;
  }

  /** Answers a request; may run more than once. */
  @FunctionalInterface
  public interface Answer {
    /** Answers it, or fails it with an errno. */
    void answer() throws RequestFailed;
  }

  /** Answers a request now, or once all pages that it needs have been fetched. */
  public void answer(FuseReply reply, Answer answer) {
    new Attempt(reply, answer).run();
  }

  private final class Attempt {
    private final FuseReply reply;
    private final Answer answer;
    private int fetched;
    private @Nullable Hash last;

    Attempt(FuseReply reply, Answer answer) {
      this.reply = reply;
      this.answer = answer;
    }

    void run() {
      try {
        answer.answer();
      } catch (PageUnreadableException e) {
        fetch(List.of(e.page()));
      } catch (PagesUnreadable e) {
        fetch(e.pages());
      } catch (RequestFailed e) {
        reply.error(e.errno());
      }
    }

    /**
     * One that was just fetched, and cannot be read again, is not fetched for ever.
     *
     * @param pages different ones; the request cannot go on without the first
     */
    private void fetch(List<Hash> pages) {
      Hash first = pages.getFirst();
      if (fetched >= MOST || first.equals(last)) {
        reply.error(Errno.EIO);
        return;
      }
      fetched += pages.size();
      last = first;
      // The length of a page is not known; the leader goes by the hash.
      List<ChunkRef> wanted =
          pages.stream().map(page -> new ChunkRef(page, ChunkRef.MAX_LENGTH)).toList();
      leader.fetchAgain(wanted, this::again, _ -> reply.error(Errno.EIO));
    }

    /** On the agent's thread; an exception fails this request with EIO, not the agent. */
    private void again() {
      try {
        run();
      } catch (RuntimeException e) {
        LOG.error("a request has failed", e);
        reply.error(Errno.EIO);
      }
    }
  }
}
