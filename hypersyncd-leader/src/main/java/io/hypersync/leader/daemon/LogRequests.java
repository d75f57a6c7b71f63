package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.history.PathFollower;
import io.hypersync.model.id.Name;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The admin command {@code log}: the newest {@code tail} entries that all filters let through.
 * {@code agent}, {@code since}, {@code until}, {@code hazards} and {@code path} may be missing.
 *
 * <p>Entries name nodes by their ids. So with a path the states between the entries are made again,
 * from the newest snapshot before them, and each entry says which path it has changed.
 */
final class LogRequests {
  private static final int DEFAULT_TAIL = 20;

  /** Entries with their paths are collected before they are written out. */
  private static final int MOST_WITH_PATHS = 10_000;

  private final Moments moments;
  private final OpLog log;
  private final SlowRequests requests;

  /** What is asked for. */
  private record Question(int tail, String since, String until, Predicate<LogEntry> wanted) {}

  /** A part of the log. */
  private record Part(long first, long last) {}

  /**
   * Requests to one leader.
   *
   * @param requests which take turns with others that need memory for a state
   */
  LogRequests(Moments moments, OpLog log, SlowRequests requests) {
    this.moments = moments;
    this.log = log;
    this.requests = requests;
  }

  JsonSerializable run(JsonNode args) {
    int tail = args.path("tail").asInt(DEFAULT_TAIL);
    Question question =
        new Question(tail, args.path("since").asText(), args.path("until").asText(), wanted(args));
    if (args.hasNonNull("path")) {
      List<Name> path = Moments.path(args.path("path").asText());
      return requests.run(() -> below(path, question));
    }
    boolean isPart = !question.since.isEmpty() || !question.until.isEmpty();
    boolean isSome = args.path("agent").isTextual() || args.path("hazards").asBoolean();
    if (!isPart && !isSome) {
      return LogTail.of(log, tail);
    }
    Part part =
        isPart
            ? part(question)
            : new Part(log.durableIndex() - LogTail.MAX_TAIL + 1, log.durableIndex());
    return LogTail.newest(log, tail, part.first, part.last, question.wanted);
  }

  private static Predicate<LogEntry> wanted(JsonNode args) {
    boolean isOfAgent = args.path("agent").isTextual();
    String agent = args.path("agent").asText();
    boolean onlyHazards = args.path("hazards").asBoolean();
    return entry ->
        (!isOfAgent || agent.equals(entry.agent())) && (!onlyHazards || LogTail.isHazard(entry));
  }

  private Part part(Question question) {
    PastStates.Newest newest = moments.newest();
    return part(question, newest, moments.past(newest, Moments.allowance("Ask for less")));
  }

  private Part part(Question question, PastStates.Newest newest, PastStates past) {
    try {
      long last =
          question.until.isEmpty()
              ? newest.index()
              : Math.min(newest.index(), moments.index(question.until, newest, past));
      long first =
          question.since.isEmpty()
              ? last - LogTail.MAX_TAIL + 1
              : moments.since(question.since, newest, past);
      return new Part(first, last);
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    }
  }

  /**
   * The newest entries that change what is below a path, each with the path that it changes.
   *
   * @param tail how many at most
   */
  ObjectNode below(List<Name> path, int tail) {
    return requests.run(() -> below(path, new Question(tail, "", "", _ -> true)));
  }

  private ObjectNode below(List<Name> path, Question question) {
    PastStates.Newest newest = moments.newest();
    HeapAllowance allowance = Moments.allowance("Ask for a smaller directory, or for less");
    PastStates past = moments.past(newest, allowance);
    Part part = part(question, newest, past);
    long first = Math.max(part.first, past.oldest() + 1);
    if (!question.since.isEmpty() && part.first < first) {
      throw new UserError(
          "entries from " + part.first + " on are not there any more",
          "The oldest is entry " + first + ": --since " + first);
    }
    SnapshotHold hold = moments.hold(newest, first - 1);
    try {
      Below found = new Below(path, question, new WalkLimits(requests, allowance));
      past.walk(first, part.last, found);
      return found.json(newest.index(), log.firstIndex(), first);
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    } finally {
      moments.end(hold);
    }
  }

  /** The newest wanted entries below a path. */
  private static final class Below implements PastStates.Observer {
    private final List<Name> path;
    private final Question question;
    private final WalkLimits limits;
    private final int most;
    private final ArrayDeque<ObjectNode> newest = new ArrayDeque<>();
    private @Nullable PathFollower follower;

    Below(List<Name> path, Question question, WalkLimits limits) {
      this.path = path;
      this.question = question;
      this.limits = limits;
      this.most = Math.clamp(question.tail, 0, MOST_WITH_PATHS);
    }

    @Override
    public void entry(LogEntry entry, FsState before, FsState after) {
      PathFollower follows = follower == null ? new PathFollower(before, path, limits) : follower;
      follower = follows;
      String where = follows.entry(entry, before, after);
      if (where != null && question.wanted.test(entry) && most > 0) {
        if (newest.size() == most) {
          newest.removeFirst();
        }
        newest.addLast(LogTail.entry(entry).put("path", where));
      }
    }

    ObjectNode json(long commitIndex, long oldest, long searchedFrom) {
      ObjectNode json =
          JsonNodeFactory.instance
              .objectNode()
              .put("commit_index", commitIndex)
              .put("oldest_index", oldest)
              .put("searched_from", searchedFrom);
      ArrayNode entries = json.putArray("entries");
      newest.forEach(entries::add);
      return json;
    }
  }
}
