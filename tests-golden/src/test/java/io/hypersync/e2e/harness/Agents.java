package io.hypersync.e2e.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs scripts as agents, by their environment. On a busy machine a call may go on before its
 * process was looked at, and then has no name: so the work is done again, in a new folder.
 */
public final class Agents {
  private static final int ATTEMPTS = 20;

  private final TestCluster cluster;

  public Agents(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** What is done in one folder. */
  @FunctionalInterface
  public interface Work {
    /** Begins anew; is called until all that it does has names. */
    void run() throws Exception;
  }

  /** Does the work until every entry that it makes through agents is theirs. */
  public void done(Work work) throws Exception {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long late = late();
      work.run();
      if (late() == late) {
        return;
      }
    }
    throw new AssertionError("looks are late each time: " + cluster.worker("a").status());
  }

  private long late() {
    long late = 0;
    for (String worker : List.of("a", "b")) {
      JsonNode agents = cluster.worker(worker).status().path("agents");
      late += agents.path("looks_late").asLong() + agents.path("looks_refused").asLong();
    }
    return late;
  }

  /** Runs a script in a folder as an agent, which must succeed. */
  public void sh(String agent, Path folder, String script) throws Exception {
    Shell.run(folder, Map.of("AGENT_NAME", agent), List.of("sh", "-ec", script))
        .orFail(agent + ": " + script);
  }
}
