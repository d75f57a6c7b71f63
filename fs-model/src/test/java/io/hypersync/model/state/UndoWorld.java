package io.hypersync.model.state;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.undo.Contested;
import io.hypersync.model.undo.UndoAgent;
import io.hypersync.model.undo.UndoHistory;
import io.hypersync.model.undo.UndoPlan;
import io.hypersync.model.undo.UndoPlanner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A history of several agents, of which one is undone. */
final class UndoWorld {
  static final String A = "a";
  static final String B = "b";

  private static final WorkerId WORKER = new WorkerId("w");
  private static final byte[] NOTHING = {};

  private final UndoHistory history = new UndoHistory(new UndoAgent(A)::role, Limits.NONE);
  private final Scenario scenario;
  private long index = 100;

  UndoWorld(Scenario scenario) {
    this.scenario = scenario;
  }

  UndoHistory history() {
    return history;
  }

  UndoWorld a(Function<Scenario, FsOp> op) {
    return by(A, op);
  }

  UndoWorld b(Function<Scenario, FsOp> op) {
    return by(B, op);
  }

  UndoWorld by(String agent, Function<Scenario, FsOp> op) {
    FsOp did = op.apply(scenario);
    FsState before = scenario.state();
    index++;
    scenario.did(did, index);
    FsState after = scenario.state();
    history.entry(entry(index, agent, did, created(before, after)), before, after);
    return this;
  }

  static LogEntry entry(long index, String agent, FsOp op, NodeId created) {
    return new LogEntry(
        index,
        new OpId(0, index),
        index,
        new IntentId(new ClientId(1, 1), index),
        WORKER,
        agent,
        op,
        created,
        Hash.ZERO,
        NOTHING,
        NOTHING);
  }

  private static NodeId created(FsState before, FsState after) {
    for (Node node : after.nodes()) {
      if (before.node(node.id()) == null) {
        return node.id();
      }
    }
    return LogEntry.NO_NODE;
  }

  FsState state() {
    return scenario.state();
  }

  UndoPlan plan(String path, boolean force) {
    return UndoPlanner.plan(
        history, scenario.state(), RestoreWorld.names(path), force, Limits.NONE);
  }

  /** What the undo does and what it leaves, a line each, sorted. */
  static List<String> lines(FsState head, UndoPlan undo) throws Exception {
    RestorePlan plan = RestorePlanner.plan(head, undo.target(), List.of(), Limits.NONE);
    List<String> lines = new ArrayList<>(RestoreWorld.lines(plan));
    lines.removeIf(line -> line.startsWith("TIMES"));
    lines.addAll(contested(undo.contested()));
    lines.sort(null);
    return lines;
  }

  private static List<String> contested(Collection<Contested> contested) {
    return contested.stream()
        .map(
            each ->
                (each.isForced() ? "forced " : "left ")
                    + each.path()
                    + " "
                    + each.what()
                    + " "
                    + each.why()
                    + (each.other() == null ? "" : " by " + agent(each)))
        .toList();
  }

  private static @Nullable String agent(Contested contested) {
    return Objects.requireNonNull(contested.other()).author().agent();
  }
}
