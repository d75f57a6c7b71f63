package io.hypersync.sim.check;

import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.Node;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.replica.IndexedState;

/** Checks that all states have converged once the cluster is at rest. */
public final class ConvergenceChecker {
  private ConvergenceChecker() {}

  /** Compares a worker with the log: its root, and the length of every file. */
  public static void check(WorkerAgent worker, NaiveFiles files, LogChecker log) {
    IndexedState visible = worker.visible();
    Violation.unless(
        visible.root().equals(log.root(log.index())), "a worker rests in another state");
    for (Node node : visible.state().nodes()) {
      if (node.content() instanceof FileContent _) {
        Violation.unless(
            files.bytes(node.id()).length == node.attributes().size(),
            node.id(),
            " is ",
            node.attributes().size(),
            " bytes long, should be ",
            files.bytes(node.id()).length);
      }
    }
  }
}
