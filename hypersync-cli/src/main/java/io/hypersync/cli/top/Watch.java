package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.stages.Decomposition;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the daemons of this host, each on a thread of its own, so that one that hangs holds up no
 * other. What comes of it goes to a consumer, which must be safe to call from any thread. All
 * threads end with the process, whatever they wait for.
 */
final class Watch implements AutoCloseable {
  /** More daemons than that are not asked: each has a thread here, and a part of the screen. */
  static final int MOST_DAEMONS = 64;

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration LEADER_LIMIT = Duration.ofSeconds(1);

  /** A profile of a worker ends when nobody asks for so long; half of it is left. */
  private static final long LONGEST_PROFILE_MS = 5_000;

  private static final int FIRST_DIGITS = 8;

  private final Supplier<List<Path>> sockets;
  private final Consumer<Observation> consumer;
  private final BiPredicate<String, Question> waits;
  private final Map<Path, Asker> askers = new HashMap<>();
  private final Map<String, Long> openSince = new ConcurrentHashMap<>();
  private volatile Set<Question> wanted;
  private final long intervalMs;

  /**
   * Asks nobody yet.
   *
   * @param sockets which daemons there are now
   * @param wanted what is asked
   * @param consumer is told what comes of it
   * @param waits whether what came of a question to a daemon, by its socket, was not looked at yet:
   *     then it is not asked again
   */
  Watch(
      Supplier<List<Path>> sockets,
      Set<Question> wanted,
      Duration interval,
      Consumer<Observation> consumer,
      BiPredicate<String, Question> waits) {
    this.sockets = sockets;
    this.wanted = Set.copyOf(wanted);
    this.intervalMs = interval.toMillis();
    this.consumer = consumer;
    this.waits = waits;
  }

  /**
   * Begins to ask daemons that have come, forgets those whose sockets are gone, and tells a model
   * which ones there are. Called on one thread only.
   */
  void look(TopModel model, long nowNs) {
    List<Path> found = sockets.get();
    List<Path> asked = found.subList(0, Math.min(MOST_DAEMONS, found.size()));
    Map<String, String> roles = new HashMap<>();
    for (Path socket : asked) {
      roles.put(socket.toString(), RunDirectory.role(socket));
      askers.computeIfAbsent(socket, Asker::new);
    }
    Set<Path> gone = new HashSet<>(askers.keySet());
    gone.removeAll(new HashSet<>(asked));
    for (Path socket : gone) {
      Asker asker = askers.remove(socket);
      if (asker != null) {
        asker.end();
      }
    }
    model.present(roles, openSince, found.size() - asked.size(), nowNs);
  }

  /** From now on asks this, at once. */
  void want(Set<Question> questions) {
    if (!wanted.equals(questions)) {
      wanted = Set.copyOf(questions);
      askers.values().forEach(Asker::wake);
    }
  }

  /** Ends all askers; profiles that they have begun end now, if their workers answer. */
  @Override
  public void close() {
    askers.values().forEach(Asker::end);
    long untilNs = System.nanoTime() + LEADER_LIMIT.toNanos();
    for (Asker each : askers.values()) {
      each.await(untilNs);
    }
    askers.clear();
  }

  private final class Asker {
    private final Path socket;
    private final String role;
    private final Cursor cursor = new Cursor();
    private final Thread thread;
    private boolean isWoken;
    private volatile boolean isEnded;

    Asker(Path socket) {
      this.socket = socket;
      this.role = RunDirectory.role(socket);
      this.thread =
          Thread.ofPlatform().daemon().name("top-" + socket.getFileName()).start(this::run);
    }

    private void run() {
      try {
        while (!isEnded) {
          for (Question question : Question.values()) {
            if (isWanted(question) && question.isFor(role) && !isEnded) {
              ask(question);
            }
          }
          if (cursor.isProfiling() && !isWanted(Question.HOT)) {
            ask(Question.HOT);
          }
          pause();
        }
        if (cursor.isProfiling()) {
          ask(Question.HOT);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        var _ = openSince.remove(socket.toString());
      }
    }

    private boolean isWanted(Question question) {
      return wanted.contains(question) && !waits.test(socket.toString(), question);
    }

    private synchronized void pause() throws InterruptedException {
      long untilNs = System.nanoTime() + intervalNs();
      while (!isWoken && !isEnded) {
        long leftNs = untilNs - System.nanoTime();
        if (leftNs <= 0) {
          return;
        }
        wait(leftNs / 1_000_000, (int) (leftNs % 1_000_000));
      }
      isWoken = false;
    }

    private long intervalNs() {
      long ms = cursor.isProfiling() ? Math.min(intervalMs, LONGEST_PROFILE_MS) : intervalMs;
      return ms * 1_000_000;
    }

    private synchronized void wake() {
      isWoken = true;
      notifyAll();
    }

    private synchronized void end() {
      isEnded = true;
      notifyAll();
    }

    private void await(long untilNs) {
      try {
        long leftMs = (untilNs - System.nanoTime()) / 1_000_000;
        var _ = thread.join(Duration.ofMillis(Math.max(1, leftMs)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void ask(Question question) {
      String name = socket.toString();
      Observation.@Nullable Outcome outcome;
      try {
        outcome = outcome(question);
      } catch (RuntimeException bug) { // which would be printed over the screen
        outcome = new Observation.Outcome.Refused("this is a bug in hypersync: " + bug);
      }
      if (outcome != null) {
        consumer.accept(new Observation(name, role, question, outcome, System.nanoTime()));
      }
    }

    private Observation.@Nullable Outcome outcome(Question question) {
      openSince.put(socket.toString(), System.nanoTime());
      AdminClient.Reply reply =
          new AdminClient(socket, LIMIT).ask(question.command(), cursor.arguments(question));
      var _ = openSince.remove(socket.toString());
      return switch (reply) {
        case AdminClient.Reply.Result(JsonNode value) -> answered(question, value);
        case AdminClient.Reply.Refused refused -> {
          cursor.failed(question);
          yield new Observation.Outcome.Refused(refused.error().message());
        }
        case AdminClient.Reply.Unresponsive(String why) -> {
          cursor.failed(question);
          yield new Observation.Outcome.Silent(why);
        }
        case AdminClient.Reply.Dead(String why) -> {
          cursor.failed(question);
          yield new Observation.Outcome.Dead(why);
        }
      };
    }

    /** What is to be told of an answer; null for one that only begins something. */
    private Observation.@Nullable Outcome answered(Question question, JsonNode value) {
      boolean isReport = question != Question.HOT || cursor.isProfiling();
      cursor.accept(question, value);
      if (question == Question.HOT && isReport && !isEnded && isWanted(Question.HOT)) {
        beginNext();
      }
      if (!isReport) {
        return null;
      }
      return new Observation.Outcome.Answer(
          question == Question.STAGES ? decomposed(value) : value);
    }

    /** Begins the next profile as soon as one has ended, so that nothing is missed. */
    private void beginNext() {
      if (new AdminClient(socket, LIMIT).ask(Question.HOT.command(), cursor.arguments(Question.HOT))
          instanceof AdminClient.Reply.Result(JsonNode begun)) {
        cursor.accept(Question.HOT, begun);
      }
    }

    /** With the leader's own stages, if it is on this host and answers soon. */
    private ObjectNode decomposed(JsonNode figures) {
      @Nullable JsonNode known = null;
      Path leader = leaderSocket();
      if (Files.exists(leader)) { // a socket, in the run directory
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        question.set("intents", Decomposition.intents(figures));
        if (new AdminClient(leader, LEADER_LIMIT).ask("stages", question)
            instanceof AdminClient.Reply.Result(JsonNode answer)) {
          known = answer;
        }
      }
      return Decomposition.of(figures, known);
    }

    /** {@code worker-00112233-name.sock} belongs to {@code leader-00112233.sock}. */
    private Path leaderSocket() {
      String name = socket.getFileName().toString();
      int begin = name.indexOf('-') + 1;
      int end = Math.min(name.length(), begin + FIRST_DIGITS);
      return socket.resolveSibling("leader-" + name.substring(begin, end) + ".sock");
    }
  }
}
