package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.id.Name;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.UnrestorableException;
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
 * The admin command {@code restore}: brings {@code path} back to what it was {@code at} a state.
 * With {@code dry_run} it only says what that would be. {@code limit} may be missing.
 *
 * <p>{@code planned_at}, which may be missing, is the {@code head_index} of a dry run. The plan is
 * then made from the state of that entry: it is the one that was shown, and its guards leave alone
 * all that others have changed, moved or made since.
 */
final class RestoreRequests {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreRequests.class);
  private static final int DEFAULT_ACTIONS = 10_000;
  private static final int MOST_ACTIONS = 100_000;
  private static final long NS_PER_MS = 1_000_000;

  /** Nobody's: the leader's own. */
  private static final String NOBODY = "";

  private final Consumer<Consumer<LeaderAgent>> post;
  private final Moments moments;
  private final Clock clock;
  private final SlowRequests requests;
  private final RestoreExecution execution;

  /**
   * Requests to one leader.
   *
   * @param post runs a call of the agent on its thread, and has it do its work
   * @param requests which take turns with others that need memory for a state
   */
  RestoreRequests(
      Consumer<Consumer<LeaderAgent>> post,
      Moments moments,
      Clock clock,
      SlowRequests requests,
      RestoreExecution execution) {
    this.post = post;
    this.moments = moments;
    this.clock = clock;
    this.requests = requests;
    this.execution = execution;
  }

  ObjectNode run(ObjectNode args) {
    String at = args.path("at").asText();
    List<Name> path = Moments.path(args.path("path").asText());
    boolean isDry = args.path("dry_run").asBoolean(true);
    int limit = args.path("limit").asInt(DEFAULT_ACTIONS);
    long plannedAt = args.path("planned_at").asLong(-1);
    if (args.path("path").asText().isEmpty()) {
      throw new UserError("no path is given", "The whole workspace is /.", UserError.USAGE);
    }
    if (limit < 1 || limit > MOST_ACTIONS) {
      throw new UserError("the limit must be from 1 to " + MOST_ACTIONS, "", UserError.USAGE);
    }
    return requests.run(() -> restored(at, path, isDry, limit, plannedAt));
  }

  private ObjectNode restored(
      String at, List<Name> path, boolean isDry, int limit, long plannedAt) {
    long beganNs = clock.monotonicNs();
    PastStates.Newest newest = moments.newest();
    HeapAllowance allowance =
        Moments.allowance("Restore a smaller part of the workspace at a time");
    PastStates past = moments.past(newest, allowance);
    try {
      long index = moments.index(at, newest, past);
      long planned = plannedAt < 0 ? newest.index() : plannedAt;
      SnapshotHold hold = moments.hold(newest, Math.min(index, planned));
      try {
        PastStates.Two states = past.both(index, planned);
        RestorePlan plan =
            RestorePlanner.plan(
                states.second(), states.first(), path, new WalkLimits(requests, allowance));
        ObjectNode answer = RestoreExecution.planned(plan, limit);
        answer
            .put("at_index", index)
            .put("at_root", states.first().root().toString())
            .put("head_index", planned)
            .put("dry_run", isDry);
        if (!isDry) {
          execution.storeLogged(hold.index(), index);
          post.accept(leader -> hold.releaseLog(leader.snapshots()));
          long entries =
              execution.carryOut(
                  plan,
                  states.second(),
                  index,
                  NOBODY,
                  new WalkLimits(requests, allowance),
                  answer);
          LOG.info(
              LogEvent.RESTORED.marker(),
              "restored a path to entry {}: {} entries, {} left",
              index,
              entries,
              answer.path("left_count").asLong());
        }
        return answer.put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
      } finally {
        post.accept(leader -> hold.end(leader.snapshots()));
      }
    } catch (UnrestorableException e) {
      throw new UserError(String.valueOf(e.getMessage()), e.hint());
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    } catch (ChunkStoreException e) {
      throw new UserError("cannot read the chunks: " + e.getMessage(), "Look at the disk.");
    }
  }
}
