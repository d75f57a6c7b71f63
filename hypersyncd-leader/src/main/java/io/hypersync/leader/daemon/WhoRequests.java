package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.blame.Blamed;
import io.hypersync.leader.blame.PathBlame;
import io.hypersync.leader.history.LogScan;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.difference.Location;
import io.hypersync.model.difference.Places;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.hazard.HazardJson;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The admin command {@code who}: the newest {@code limit} changes of what is at {@code path}, or
 * was. With {@code recursive} also of what is below it. It looks through as much of the log as
 * makes an answer in time; with {@code all}, through all of it.
 */
final class WhoRequests {
  private static final int DEFAULT_CHANGES = 10;
  private static final int MOST_CHANGES = 10_000;

  /** Entries that are looked at, from the newest one back. */
  private static final long MOST_ENTRIES = 1_000_000;

  /** Entries that are looked at behind the last change that was found. */
  private static final long BEYOND = 50_000;

  private static final long WAIT_SECONDS = 60;

  private final Moments moments;
  private final OpLog log;
  private final LogRequests below;
  private final SlowRequests requests;

  /** What a path means in the newest state. */
  private record Target(String path, @Nullable NamePlace place, @Nullable Node node) {}

  /**
   * Requests to one leader.
   *
   * @param below answers for what is below a path
   * @param requests which take turns: each of them keeps a processor busy
   */
  WhoRequests(Moments moments, OpLog log, LogRequests below, SlowRequests requests) {
    this.moments = moments;
    this.log = log;
    this.below = below;
    this.requests = requests;
  }

  ObjectNode run(ObjectNode args) {
    if (args.path("path").asText().isEmpty()) {
      throw new UserError("no path is given", "The whole workspace is /.", UserError.USAGE);
    }
    List<Name> path = Moments.path(args.path("path").asText());
    int limit = args.path("limit").asInt(DEFAULT_CHANGES);
    if (limit < 1 || limit > MOST_CHANGES) {
      throw new UserError("the limit must be from 1 to " + MOST_CHANGES, "", UserError.USAGE);
    }
    boolean isAll = args.path("all").asBoolean();
    return args.path("recursive").asBoolean()
        ? recursive(path, limit)
        : requests.run(() -> blamed(path, limit, isAll), WAIT_SECONDS);
  }

  private ObjectNode blamed(List<Name> path, int limit, boolean isAll) {
    PastStates.Newest newest = moments.newest();
    FsState head = newest.state();
    Target target = target(head, path);
    long oldest = log.firstIndex();
    long first = isAll ? oldest : Math.max(oldest, newest.index() - MOST_ENTRIES + 1);
    try {
      PathBlame.Result result =
          PathBlame.of(
              new LogScan(log, requests::requireRunning),
              target.place,
              target.node == null ? null : target.node.id(),
              first,
              newest.index(),
              limit,
              isAll ? Long.MAX_VALUE : BEYOND);
      boolean isComplete =
          result.isComplete() && (result.changes().size() >= limit || first == oldest);
      ObjectNode answer = answer(target.path, newest.index(), oldest);
      answer
          .put("exists", target.node != null)
          .put("type", target.node == null ? null : RestoreExecution.lower(target.node.type()))
          .put("searched_from", result.searchedFrom())
          .put("complete", isComplete)
          .put("content_known", result.isContentKnown());
      changes(result.changes(), head, answer.putArray("changes"));
      return answer;
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    }
  }

  private static ObjectNode answer(String path, long commitIndex, long oldest) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("path", path)
        .put("commit_index", commitIndex)
        .put("oldest_index", oldest);
  }

  /**
   * Finds what a path means. If a directory of it does not exist, that one is meant: what was in it
   * went with it.
   */
  private static Target target(FsState head, List<Name> path) {
    Node node = head.node(FsState.ROOT);
    @Nullable NamePlace place = null;
    StringBuilder text = new StringBuilder();
    for (Name name : path) {
      if (node == null) {
        break;
      }
      place = new NamePlace(node.id(), name);
      text.append(text.isEmpty() ? "" : "/").append(name);
      node = head.lookup(node, name);
    }
    return new Target(text.isEmpty() ? "." : text.toString(), place, node);
  }

  private static void changes(List<Blamed> changes, FsState head, ArrayNode to) {
    Set<NodeId> directories = new HashSet<>();
    for (Blamed change : changes) {
      add(change.place(), directories);
      add(change.other(), directories);
    }
    Places places = new Places(head, Set.of(), directories, null, Limits.NONE);
    for (Blamed change : changes) {
      ObjectNode json =
          to.addObject()
              .put("log_index", change.index())
              .put("committed_at", HazardJson.time(change.timeNs()))
              .put("agent", change.author().agent())
              .put("worker_id", change.author().worker().name())
              .put("op", change.op())
              .put("what", RestoreExecution.lower(change.what()))
              .put("path", text(change.place(), places));
      if (change.other() != null) {
        json.put("other_path", text(change.other(), places));
      }
    }
  }

  private static void add(@Nullable NamePlace place, Set<NodeId> directories) {
    if (place != null) {
      directories.add(place.directory());
    }
  }

  /** The path of a name, by where its directory is now; null if there is no name. */
  private static @Nullable String text(@Nullable NamePlace place, Places places) {
    return place == null ? null : places.path(new Location(place.directory(), place.name()));
  }

  private ObjectNode recursive(List<Name> path, int limit) {
    ObjectNode found = below.below(path, limit);
    String text =
        path.isEmpty() ? "." : String.join("/", path.stream().map(Name::toString).toList());
    ObjectNode answer =
        answer(text, found.path("commit_index").asLong(), found.path("oldest_index").asLong());
    long searchedFrom = found.path("searched_from").asLong();
    ArrayNode changes = answer.putArray("changes");
    List<JsonNode> entries = found.path("entries").valueStream().toList();
    for (JsonNode entry : entries.reversed()) {
      changes
          .addObject()
          .put("log_index", entry.path("log_index").asLong())
          .put("committed_at", entry.path("committed_at").asText())
          .put("agent", entry.path("agent").asText())
          .put("worker_id", entry.path("worker_id").asText())
          .put("op", entry.path("op").asText())
          .put("what", "below")
          .put("path", entry.path("path").asText());
    }
    return answer
        .put("searched_from", searchedFrom)
        .put("complete", entries.size() >= limit || searchedFrom <= 1)
        .put("content_known", true);
  }
}
