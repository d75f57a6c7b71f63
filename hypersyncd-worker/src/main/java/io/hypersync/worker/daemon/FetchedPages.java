package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.fuse.session.FuseSession;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a worker's states: those in its store, and those that the leader has. A thread that
 * needs a page which is not here waits while the agent fetches it, as for a slow disk. The agent's
 * thread and those that take the kernel's requests never wait, and get an exception: {@code
 * PageFetches} has the page fetched, and goes on with the request on another thread. Thread-safe.
 *
 * <p>Nothing waits in a circle. Threads that look at states hold no lock that the agent takes, and
 * the agent needs only the network and the thread that stores chunks to fetch a page. The kernel
 * may keep an invalidation until a request is answered that waits here; the agent does not wait for
 * the kernel either.
 */
public final class FetchedPages implements PageSource {
  /** Longer than the agent waits for the leader; it may have ended. */
  private static final long LIMIT_S = 120;

  private final PageSource local;
  private volatile @Nullable AgentLoop<WorkerAgent> loop;

  /** Completed when the agent fetches nothing any more. */
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  /** Pages that are only looked for in the local store, until {@link #begin}. */
  public FetchedPages(PageSource local) {
    this.local = local;
  }

  /** From now on the leader is asked for what is not here. */
  void begin(AgentLoop<WorkerAgent> agentLoop) {
    loop = agentLoop;
  }

  /** Nothing is fetched any more; whoever waits gets an exception. Any thread. */
  void end() {
    ended.complete(null);
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    try {
      return local.get(page);
    } catch (PageMissingException e) {
      AgentLoop<WorkerAgent> agent = loop;
      if (agent == null || agent.isAgentsThread() || FuseSession.isReader()) {
        throw e;
      }
      fetch(agent, page, e);
      return local.get(page);
    }
  }

  private void fetch(AgentLoop<WorkerAgent> loop, Hash page, PageMissingException missing)
      throws PageMissingException {
    CompletableFuture<@Nullable Errno> outcome = new CompletableFuture<>();
    // The length of a page is not known; the leader goes by the hash.
    List<ChunkRef> wanted = List.of(new ChunkRef(page, ChunkRef.MAX_LENGTH));
    loop.post(agent -> agent.fetchAgain(wanted, () -> outcome.complete(null), outcome::complete));
    try {
      var _ = CompletableFuture.anyOf(outcome, ended).get(LIMIT_S, TimeUnit.SECONDS);
      if (!outcome.isDone() || outcome.join() != null) {
        throw missing;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw missing;
    } catch (ExecutionException | TimeoutException e) {
      missing.addSuppressed(e);
      throw missing;
    }
  }
}
