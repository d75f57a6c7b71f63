package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.past.Bisection;
import io.hypersync.cli.past.PastView;
import io.hypersync.cli.render.BisectReport;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync bisect}: finds the entry that has broken something. */
@Command(
    name = "bisect",
    description = {
      "Find the first entry of the log with which a command fails, by running it on states of the"
          + " past, read-only, while the others go on.",
      "",
      "The command runs as with ./hypersync at. Exit code 0 means good, 125 that the state cannot be"
          + " judged, any other up to 127 bad. Both ends are tried first. About 10 runs are needed for a"
          + " thousand entries, 20 for a million.",
      "",
      "The exit code is 0 if the entry is found, 1 if it is one of several because some cannot be"
          + " judged."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync bisect --good 2h --bad head -- make -C src test O=/tmp/out",
      "  ./hypersync bisect --good before-the-rewrite --bad 48213 --path src -- sh -c '! grep -rq FIXME src'",
      "  ./hypersync bisect --good 48000 --bad 48213 --json -- python3 -m py_compile tool.py"
    })
final class BisectCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);
  private static final int SKIP = 125;
  private static final int MOST_BAD = 127;

  /** As many as a leader lists with their paths. */
  private static final int MOST_ENTRIES = 10_000;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final PastWorker past = new PastWorker();

  @Option(
      names = "--good",
      paramLabel = "<state>",
      required = true,
      description = "A state with which it works: as for ./hypersync at.")
  private String good = "";

  @Option(
      names = "--bad",
      paramLabel = "<state>",
      required = true,
      description = "A later state with which it does not.")
  private String bad = "";

  @Option(
      names = "--path",
      paramLabel = "<path>",
      description =
          "Try only entries that change what is at this path or below it, 10000 at most; the leader"
              + " must be on this machine.")
  private @Nullable String path;

  @Parameters(
      index = "0..*",
      arity = "1..*",
      paramLabel = "<command>",
      description = "What to run, after --.")
  private List<String> command = List.of();

  private int runs;

  @Override
  public Integer call() throws InterruptedException {
    Path here = Path.of("").toAbsolutePath();
    Daemons.Living worker = past.worker(here);
    String only = path == null ? "" : WorkspacePath.of(path, past.daemons()).inWorkspace();
    long first;
    long last;
    try (PastView from = PastView.mount(worker, good);
        PastView to = PastView.mount(worker, bad)) {
      first = from.index();
      last = to.index();
      if (first >= last) {
        throw new UserError(
            "the good state, of entry " + first + ", is not before the bad one, of entry " + last,
            first == last ? "Give two states." : "Exchange them, or turn the command around.",
            UserError.USAGE);
      }
      requireEnds(from, to, here);
    }
    List<Long> entries = only.isEmpty() ? List.of() : entries(worker, only, first, last);
    if (!entries.isEmpty() && entries.getLast() < last) {
      requireBad(worker, entries.getLast(), here);
    }
    Bisection search =
        only.isEmpty() ? new Bisection(first, last) : new Bisection(0, entries.size());
    List<Long> skipped = search(search, entries, worker, here);
    ObjectNode result = result(search, entries, first, skipped);
    if (search.isFound()) {
      result.set("entry", entry(worker, result.path("first_bad").asLong(), only));
    }
    screen.show(result, () -> BisectReport.render(result));
    return search.isFound() ? 0 : 1;
  }

  /** What runs out of order would make of all answers. */
  private void requireEnds(PastView from, PastView to, Path here) throws InterruptedException {
    if (judged(from, here) != Verdict.GOOD) {
      throw new UserError(
          "the command does not work with the good state, of entry " + from.index() + ", either",
          "Give an earlier one.");
    }
    if (judged(to, here) != Verdict.BAD) {
      throw new UserError(
          "the command does not fail with the bad state, of entry " + to.index(),
          "Give a later one, or a command that fails there.");
    }
  }

  /** The last entry of a path must have made it bad, and not one that changes something else. */
  private void requireBad(Daemons.Living worker, long index, Path here)
      throws InterruptedException {
    try (PastView view = PastView.mount(worker, Long.toString(index))) {
      if (judged(view, here) != Verdict.BAD) {
        throw new UserError(
            "after entry " + index + ", the last that changes that path, the command does not fail",
            "What has broken it is elsewhere: try without --path.");
      }
    }
  }

  private enum Verdict {
    GOOD,
    BAD,
    SKIP
  }

  private Verdict judged(PastView view, Path here) throws InterruptedException {
    runs++;
    int code = view.run(command, view.like(here), screen.isJson(), () -> {});
    if (code < 0 || code > MOST_BAD) {
      throw new UserError(
          "the command was ended by a signal (exit code "
              + code
              + ") with the state of entry "
              + view.index(),
          "That says neither good nor bad.");
    }
    Verdict verdict =
        switch (code) {
          case 0 -> Verdict.GOOD;
          case SKIP -> Verdict.SKIP;
          default -> Verdict.BAD;
        };
    screen.tell(
        "hypersync: entry "
            + view.index()
            + (switch (verdict) {
              case GOOD -> " is good";
              case SKIP -> " cannot be judged";
              case BAD -> " is bad (exit code " + code + ")";
            }));
    return verdict;
  }

  private List<Long> search(Bisection search, List<Long> entries, Daemons.Living worker, Path here)
      throws InterruptedException {
    List<Long> skipped = new ArrayList<>();
    for (OptionalLong next = search.next(); next.isPresent(); next = search.next()) {
      long position = next.getAsLong();
      long index = index(position, entries);
      screen.tell(
          "hypersync: trying entry " + index + ", about " + search.stepsLeft() + " runs are left");
      try (PastView view = PastView.mount(worker, Long.toString(index))) {
        switch (judged(view, here)) {
          case GOOD -> search.good(position);
          case BAD -> search.bad(position);
          case SKIP -> {
            search.skip(position);
            skipped.add(index);
          }
        }
      }
    }
    return skipped;
  }

  /** The entry of a position; with a path, positions count its entries from 1 on. */
  private static long index(long position, List<Long> entries) {
    return entries.isEmpty() ? position : entries.get((int) position - 1);
  }

  private ObjectNode result(Bisection search, List<Long> entries, long first, List<Long> skipped) {
    long lastGood = search.lastGood();
    ObjectNode result =
        JsonNodeFactory.instance
            .objectNode()
            .put("found", search.isFound())
            .put("last_good", entries.isEmpty() || lastGood > 0 ? index(lastGood, entries) : first)
            .put("first_bad", index(search.firstBad(), entries));
    result.put("runs", runs);
    ArrayNode list = result.putArray("skipped");
    skipped.stream().sorted().forEach(list::add);
    return result;
  }

  private AdminClient leader(Daemons.Living worker) {
    Optional<Daemons.Living> leader = past.daemons().leaderOf(worker);
    if (leader.isEmpty()) {
      throw new UserError(
          "the leader of that mount does not run on this machine, so entries of a path are not known",
          "Leave --path out, or run this on its host.");
    }
    return new AdminClient(leader.get().socket(), LIMIT);
  }

  /** The entries that change a path. */
  private List<Long> entries(Daemons.Living worker, String only, long first, long last) {
    JsonNode log =
        leader(worker).call("log", question(first + 1, last, MOST_ENTRIES).put("path", only));
    List<Long> entries =
        log.path("entries").valueStream().map(entry -> entry.path("log_index").asLong()).toList();
    if (entries.isEmpty()) {
      throw new UserError(
          "nothing has changed at that path between entries " + first + " and " + last,
          "What the command rests on is elsewhere: try without --path.");
    }
    if (entries.size() >= MOST_ENTRIES) {
      throw new UserError(
          "more than " + MOST_ENTRIES + " entries have changed that path",
          "Give states that are closer to each other, or leave --path out.");
    }
    return entries;
  }

  private static ObjectNode question(long first, long last, int tail) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("since", Long.toString(first))
        .put("until", Long.toString(last))
        .put("tail", tail);
  }

  /** The entry that was found; JSON null if the leader cannot be asked. */
  private JsonNode entry(Daemons.Living worker, long index, String only) {
    Optional<Daemons.Living> leader = past.daemons().leaderOf(worker);
    if (leader.isEmpty()) {
      return JsonNodeFactory.instance.nullNode();
    }
    AdminClient client = new AdminClient(leader.get().socket(), LIMIT);
    ObjectNode withPath =
        question(index, index, 1).put("path", only.isEmpty() ? WorkspacePath.ROOT : only);
    JsonNode found =
        client.ask("log", withPath) instanceof AdminClient.Reply.Result(JsonNode value)
            ? value
            : client.call("log", question(index, index, 1));
    JsonNode entry = found.path("entries").path(0);
    return entry.isMissingNode() ? JsonNodeFactory.instance.nullNode() : entry;
  }
}
