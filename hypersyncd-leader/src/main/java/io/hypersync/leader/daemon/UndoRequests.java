package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.LogScan;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.id.Name;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.UnrestorableException;
import io.hypersync.model.state.FsState;
import io.hypersync.model.undo.Contested;
import io.hypersync.model.undo.Toucher;
import io.hypersync.model.undo.UndoAgent;
import io.hypersync.model.undo.UndoHistory;
import io.hypersync.model.undo.UndoPlan;
import io.hypersync.model.undo.UndoPlanner;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin command {@code undo}: what {@code agent} has changed becomes what it was before. With
 * {@code dry_run} it only says what that would be. {@code since}, {@code path}, {@code force} and
 * {@code limit} may be missing.
 *
 * <p>{@code planned_at}, which may be missing, is the {@code head_index} of a dry run. The plan is
 * made from the state after that entry again, so what was shown is what is done; what anybody has
 * changed since, the agent too, is left alone.
 */
final class UndoRequests {
  private static final Logger LOG = LoggerFactory.getLogger(UndoRequests.class);
  private static final int DEFAULT_ACTIONS = 10_000;
  private static final int MOST_ACTIONS = 100_000;
  private static final int MOST_CHARS = 4 << 20;
  private static final long NS_PER_MS = 1_000_000;

  private final Consumer<Consumer<LeaderAgent>> post;
  private final Moments moments;
  private final OpLog log;
  private final Clock clock;
  private final SlowRequests requests;
  private final RestoreExecution execution;

  /** What is asked for. */
  private record Question(
      UndoAgent agent,
      String since,
      List<Name> path,
      boolean isDry,
      boolean force,
      int limit,
      long plannedAt) {
    /** The entry whose state the plan is made from. */
    long planned(PastStates.Newest newest) {
      if (plannedAt > newest.index()) {
        throw new UserError(
            "there is no entry " + plannedAt + " yet; the newest is " + newest.index(),
            "Give the head_index of a dry run.",
            UserError.USAGE);
      }
      return plannedAt < 0 ? newest.index() : plannedAt;
    }
  }

  /**
   * Requests to one leader.
   *
   * @param post runs a call of the agent on its thread, and has it do its work
   * @param requests which take turns with others that need memory for a state
   */
  UndoRequests(
      Consumer<Consumer<LeaderAgent>> post,
      Moments moments,
      OpLog log,
      Clock clock,
      SlowRequests requests,
      RestoreExecution execution) {
    this.post = post;
    this.moments = moments;
    this.log = log;
    this.clock = clock;
    this.requests = requests;
    this.execution = execution;
  }

  ObjectNode run(ObjectNode args) {
    String agent = args.path("agent").asText();
    if (agent.isEmpty()) {
      throw new UserError(
          "whose changes are to be undone? No agent is named",
          "./hypersync status lists the agents of each mount, ./hypersync log shows who did what.",
          UserError.USAGE);
    }
    int limit = args.path("limit").asInt(DEFAULT_ACTIONS);
    if (limit < 1 || limit > MOST_ACTIONS) {
      throw new UserError("the limit must be from 1 to " + MOST_ACTIONS, "", UserError.USAGE);
    }
    Question question =
        new Question(
            new UndoAgent(agent),
            args.path("since").asText(),
            Moments.path(args.path("path").asText()),
            args.path("dry_run").asBoolean(true),
            args.path("force").asBoolean(),
            limit,
            args.path("planned_at").asLong(-1));
    return requests.run(() -> undone(question));
  }

  private ObjectNode undone(Question question) {
    long beganNs = clock.monotonicNs();
    PastStates.Newest newest = moments.newest();
    HeapAllowance allowance = Moments.allowance("Undo less at a time: --since, --path");
    PastStates past = moments.past(newest, allowance);
    long planned = question.planned(newest);
    WalkLimits limits = new WalkLimits(requests, allowance);
    UndoHistory history = new UndoHistory(question.agent::role, limits);
    try {
      long since = since(question, newest, past);
      long first =
          new LogScan(log, requests::requireRunning)
              .first(since, planned, entry -> question.agent.role(entry) == UndoAgent.Role.OWN);
      long begin = first == 0 ? planned + 1 : first;
      SnapshotHold hold = moments.hold(newest, begin - 1);
      try {
        past.walk(begin, planned, history::entry);
        FsState shown =
            planned == newest.index() ? newest.state() : past.both(planned, planned).second();
        UndoPlan undo = UndoPlanner.plan(history, shown, question.path, question.force, limits);
        RestorePlan plan = RestorePlanner.plan(shown, undo.target(), List.of(), limits);
        ObjectNode answer = RestoreExecution.planned(plan, question.limit);
        contested(undo, question.limit, answer);
        answer
            .put("agent", question.agent.name())
            .put("undo_agent", question.agent.undoer())
            .put("since_index", since)
            .put("agent_entries", history.entries())
            .put("first_index", history.first())
            .put("last_agent_index", history.last())
            .put("head_index", planned)
            .put("force", question.force)
            .put("dry_run", question.isDry);
        if (!question.isDry && !plan.actions().isEmpty()) {
          execution.storeLogged(hold.index(), newest.index());
          post.accept(leader -> hold.releaseLog(leader.snapshots()));
          String author = question.agent.undoer();
          long entries = execution.carryOut(plan, shown, begin - 1, author, limits, answer);
          LOG.info(
              LogEvent.UNDONE.marker(),
              "undid what an agent did from entry {} on: {} entries, {} paths contested",
              begin,
              entries,
              undo.left());
        }
        return answer.put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
      } finally {
        moments.end(hold);
      }
    } catch (UnrestorableException e) {
      throw new UserError(String.valueOf(e.getMessage()), e.hint());
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    } catch (ChunkStoreException e) {
      throw new UserError("cannot read the chunks: " + e.getMessage(), "Look at the disk.");
    }
  }

  /** The first entry that is looked at. */
  private long since(Question question, PastStates.Newest newest, PastStates past)
      throws IOException {
    long oldest = past.oldest() + 1;
    if (question.since.isEmpty()) {
      return oldest;
    }
    long since = moments.since(question.since, newest, past);
    if (since < oldest) {
      throw new UserError(
          "what was before entry " + oldest + " is not known any more",
          "What the agent did from there on can be undone: --since " + oldest);
    }
    return since;
  }

  private static void contested(UndoPlan undo, int limit, ObjectNode answer) {
    ArrayNode list = answer.putArray("contested");
    int chars = 0;
    boolean isComplete = true;
    for (Contested each : undo.contested()) {
      chars += each.path().length();
      if (list.size() >= limit || chars > MOST_CHARS) {
        isComplete = false;
        break;
      }
      ObjectNode json =
          list.addObject()
              .put("path", each.path())
              .put("what", RestoreExecution.lower(each.what()))
              .put("why", RestoreExecution.lower(each.why()))
              .put("forced", each.isForced());
      Toucher other = each.other();
      if (other != null) {
        json.put("log_index", other.index())
            .put("agent", other.author().agent())
            .put("worker_id", other.author().worker().name());
      }
    }
    answer.put("contested_count", undo.left()).put("contested_complete", isComplete);
  }
}
