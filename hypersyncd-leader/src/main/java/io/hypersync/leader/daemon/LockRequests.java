package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.lock.ListedLock;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.AgentQueries;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The admin command {@code locks}: who holds and wants locks (hypersync.md 10.2). */
final class LockRequests {
  private static final int DEFAULT = 100;
  private static final int MOST = 1_000;

  private LockRequests() {}

  /** What the agent knows at one moment. */
  private record Moment(ListedLock.Listing listing, FsState state) {}

  static ObjectNode run(AgentQueries<LeaderAgent> questions, JsonNode args) {
    int most = Math.clamp(args.path("limit").asInt(DEFAULT), 1, MOST);
    Moment moment =
        questions.ask(leader -> new Moment(leader.locks().list(most), leader.sequencer().head()));
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("complete", moment.listing.isComplete());
    ArrayNode list = json.putArray("locks");
    for (ListedLock lock : moment.listing.locks()) {
      boolean isToTheEnd = lock.range().last() == LockRange.TO_THE_END;
      ObjectNode row =
          list.addObject()
              .put("held", lock.isHeld())
              .put("worker_id", lock.worker().name())
              .put("pid", lock.pid())
              .put("space", lock.space() == LockSpace.FLOCK ? "flock" : "fcntl")
              .put("mode", lock.mode().name().toLowerCase(Locale.ROOT))
              .put("first", lock.range().first())
              .put("last", isToTheEnd ? null : Long.valueOf(lock.range().last()))
              .put("inode", inode(moment.state, lock));
      ArrayNode waitsFor = row.putArray("waits_for");
      for (ListedLock.Holder holder : lock.waitsFor()) {
        waitsFor.addObject().put("worker_id", holder.worker().name()).put("pid", holder.pid());
      }
    }
    return json;
  }

  /**
   * The number of a file; null if it is gone. States never change, so this is read on the asking
   * thread: it may wait for the disk.
   */
  private static @Nullable Long inode(FsState state, ListedLock lock) {
    try {
      Node node = state.node(lock.node());
      return node == null ? null : node.inode().value();
    } catch (PageUnreadableException collectedMeanwhile) {
      return null;
    }
  }
}
