package io.hypersync.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.stages.Decomposition;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One profile that a worker records for this process: started, kept alive once a second by a thread
 * of this class, and ended. Each second the newest mutations are joined with the leader's
 * timestamps for them, if the leader runs on this machine.
 */
public final class ProfileSession {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MAX_SAMPLES = 100_000;

  private final AdminClient worker;
  private final Optional<AdminClient> leader;
  private final long id;
  private final ObjectNode newest = JsonNodeFactory.instance.objectNode();
  private final ObjectNode intents = JsonNodeFactory.instance.objectNode();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread keeper;
  private volatile @Nullable UserError lost;

  /**
   * Starts the profile.
   *
   * @param worker the worker's admin socket
   * @param leader the leader's admin socket, if it runs on this machine
   * @throws UserError if the worker cannot profile, or already profiles for another process
   */
  public ProfileSession(Path worker, Optional<Path> leader) {
    this.worker = new AdminClient(worker, LIMIT);
    this.leader = leader.map(socket -> new AdminClient(socket, LIMIT));
    this.id = call(this.worker, "profile", object().put("do", "start")).path("profile").asLong();
    this.keeper = Thread.ofPlatform().name("profile-keeper").daemon().start(this::keep);
  }

  /**
   * Ends the profile; blocks until the thread has ended.
   *
   * @param top how many paths and directories are wanted
   * @return the worker's report, with {@code stages}, {@code slowest} and {@code limit} for the
   *     duration of the profile
   * @throws UserError if the profile ended earlier
   */
  public ObjectNode end(int top) throws InterruptedException {
    ended.countDown();
    keeper.join();
    UserError failed = lost;
    if (failed != null) {
      throw failed;
    }
    sample();
    ObjectNode report =
        (ObjectNode)
            call(worker, "profile", object().put("do", "stop").put("profile", id).put("top", top));
    report.setAll(decomposed(report.remove("stages"), report.path("seconds").asDouble()));
    return report;
  }

  /** Ends the profile and discards its report. */
  public void giveUp() throws InterruptedException {
    ended.countDown();
    keeper.join();
    var _ = worker.ask("profile", object().put("do", "stop").put("profile", id).put("top", 0));
  }

  private ObjectNode decomposed(JsonNode stages, double seconds) {
    ObjectNode figures = object();
    figures.set("recent", stages);
    figures.set("since_start", stages);
    figures.set("newest", newest);
    var slowest = figures.putArray("slowest");
    for (JsonNode slow : call(worker, "stages", object()).path("slowest")) {
      if (slow.path("ago_ms").asDouble() < 1_000 * seconds) {
        slowest.add(slow);
      }
    }
    ObjectNode known = object();
    known.set("intents", intents);
    ObjectNode whole = Decomposition.of(figures, leader.isPresent() ? known : null);
    ObjectNode tree = object();
    tree.set("stages", whole.path("recent"));
    tree.set("slowest", whole.path("slowest"));
    tree.set("limit", whole.path("limit"));
    return tree;
  }

  private void keep() {
    try {
      while (!ended.await(1, TimeUnit.SECONDS)) {
        call(worker, "profile", object().put("do", "keep").put("profile", id));
        sample();
      }
    } catch (UserError failure) {
      lost = failure;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void sample() {
    JsonNode figures = call(worker, "stages", object());
    if (leader.isEmpty() || newest.size() >= MAX_SAMPLES) {
      return;
    }
    ObjectNode question = object();
    question.set("intents", Decomposition.intents(figures));
    newest.setAll((ObjectNode) figures.path("newest"));
    intents.setAll((ObjectNode) call(leader.get(), "stages", question).path("intents"));
  }

  private static JsonNode call(AdminClient daemon, String command, ObjectNode args) {
    return daemon.call(command, args);
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
