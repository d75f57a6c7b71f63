package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.doctor.Doctor;
import io.hypersync.cli.doctor.Finding;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code hypersync top}: asks the daemons of this host again and again, and shows what they say.
 * One thread decides and draws; those that ask, listen to keys and look for findings hand it what
 * they have, of each kind the newest at most.
 */
public final class Top {
  /** Looking at a host takes longer than asking a daemon, and changes more slowly. */
  private static final Duration EXAMINED_EVERY = Duration.ofSeconds(30);

  private static final long DRAWN_EVERY_MS = 100;
  private static final long CLOCK_MS = 1_000;

  /** A daemon is waited for as long as its asker does, and a moment. */
  private static final Duration PATIENCE = Duration.ofSeconds(7);

  /** Rows of each view of {@code --once}. */
  private static final int ROWS = 40;

  private final Supplier<Daemons> daemons;
  private final Duration interval;
  private final Map<String, String> environment;
  private final Arrivals events = new Arrivals();
  private final TopModel model;

  /**
   * Begins nothing yet.
   *
   * @param daemons those of this host, looked for anew at each call
   * @param interval between two looks at each of them
   * @param environment in which agents would be started, for doctor
   */
  public Top(Supplier<Daemons> daemons, Duration interval, Map<String, String> environment) {
    this.daemons = daemons;
    this.interval = interval;
    this.environment = environment;
    this.model = new TopModel(daemons.get().searched().toString());
  }

  /**
   * What {@code --once} writes.
   *
   * @param text for people
   * @param json for programs
   * @param isSomebodyHere whether a daemon has answered
   */
  public record Once(String text, ObjectNode json, boolean isSomebodyHere) {}

  /**
   * Looks twice, an interval apart, so that there are rates; waits some seconds at most for daemons
   * that do not answer.
   *
   * @param views what is wanted
   * @param workspace of which workspace only; empty for all
   * @param width where lines are cut
   * @throws UserError if that workspace is not there
   */
  public Once once(List<View> views, String workspace, int width) throws InterruptedException {
    Set<Question> questions = EnumSet.noneOf(Question.class);
    views.forEach(view -> questions.addAll(view.questions()));
    boolean isExamined = views.contains(View.FINDINGS);
    if (isExamined) {
      Thread _ = Thread.ofPlatform().daemon().name("top-doctor").start(this::examine);
    }
    try (Watch watch = watch(questions)) {
      long untilNs = System.nanoTime() + interval.toNanos() + PATIENCE.toNanos();
      while (System.nanoTime() < untilNs) {
        watch.look(model, System.nanoTime());
        if (model.isComplete(questions) && (!isExamined || model.isExamined())) {
          break;
        }
        Arrivals.@Nullable Event event = events.poll(50);
        if (event != null) {
          take(event);
        }
      }
      watch.look(model, System.nanoTime());
    }
    String digits = digits(workspace);
    Instant now = Instant.now();
    StringBuilder text = new StringBuilder();
    String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
    Shown first = Shown.of(views.getFirst(), digits);
    for (Line line : Header.lines(model, first, time)) {
      text.append(TextWidth.fit(line.text(), width).stripTrailing()).append('\n');
    }
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("at", now.truncatedTo(ChronoUnit.MILLIS).toString());
    json.put("interval_ms", interval.toMillis());
    json.set("workspaces", Header.json(model));
    json.set("silent", Header.silentJson(model));
    ObjectNode sheets = json.putObject("views");
    for (View view : views) {
      Shown shown = Shown.of(view, digits);
      text.append('\n');
      for (String line : ScreenText.plain(model, shown, width, ROWS)) {
        text.append(TextWidth.fit(line, width).stripTrailing()).append('\n');
      }
      sheets.set(view.word(), Sheets.of(view, model).shown(shown).json());
    }
    return new Once(text.toString(), json, model.isSomebodyHere());
  }

  /**
   * Shows a screen until somebody has seen enough.
   *
   * @throws UserError if no daemon is here, or not that workspace
   */
  public void run(View begin, String workspace, Supplier<TopScreen> terminal)
      throws InterruptedException {
    try (Watch watch = watch(begin.questions())) {
      awaitSomebody(watch);
      Shown shown = Shown.of(begin, digits(workspace));
      try (TopScreen screen = terminal.get()) {
        screen.listen(input -> events.add(new Arrivals.Event.FromTerminal(input)));
        Thread _ = Thread.ofPlatform().daemon().name("top-doctor").start(this::examineAlways);
        follow(watch, shown, screen);
      }
    }
  }

  /** A screen on which nothing can be is worth less than a sentence. */
  private void awaitSomebody(Watch watch) throws InterruptedException {
    long untilNs = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < untilNs) {
      watch.look(model, System.nanoTime());
      if (model.isSettled() || model.isSomebodyHere()) {
        break;
      }
      Arrivals.@Nullable Event event = events.poll(50);
      if (event != null) {
        take(event);
      }
    }
    if (!model.isSomebodyHere()) {
      throw new UserError(
          model.daemons().isEmpty()
              ? "no HyperSync daemon runs on this machine (looked in " + model.searched() + ")"
              : "no daemon of this machine answers (looked in " + model.searched() + ")",
          model.daemons().isEmpty()
              ? "Start one: ./hypersync up <dir> --mount <dir>, or ./hypersync worker"
              : "See why: ./hypersync doctor");
    }
  }

  private void follow(Watch watch, Shown begin, TopScreen screen) throws InterruptedException {
    Shown shown = begin;
    long drawnNs = 0;
    boolean isOld = true;
    while (true) {
      long nowNs = System.nanoTime();
      long sinceMs = TimeUnit.NANOSECONDS.toMillis(nowNs - drawnNs);
      if (drawnNs == 0 || sinceMs >= (isOld ? DRAWN_EVERY_MS : CLOCK_MS)) {
        watch.look(model, nowNs);
        draw(shown, screen);
        drawnNs = nowNs;
        isOld = false;
        sinceMs = 0;
      }
      Arrivals.@Nullable Event event =
          events.poll(Math.max(1, (isOld ? DRAWN_EVERY_MS : CLOCK_MS) - sinceMs));
      if (event instanceof Arrivals.Event.FromTerminal(TopScreen.Input input)) {
        switch (input) {
          case TopScreen.Input.Ended _ -> {
            return;
          }
          case TopScreen.Input.Changed _ -> drawnNs = 0;
          case TopScreen.Input.Typed(String characters) -> {
            for (String key : Keys.of(characters)) {
              if (shown.isEndedBy(key)) {
                return;
              }
              Sheet sheet = Sheets.of(shown.view(), model).shown(shown);
              shown =
                  shown.press(key, sheet.columns().size(), sheet.rows().size(), model.workspaces());
            }
            watch.want(shown.view().questions());
            drawnNs = 0;
          }
        }
      } else if (event != null) {
        take(event);
        isOld = true;
      }
    }
  }

  private void draw(Shown shown, TopScreen screen) {
    String time = LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS).toString();
    screen.show(ScreenText.lines(model, shown, time, screen.width(), screen.height()));
  }

  private Watch watch(Set<Question> questions) {
    return new Watch(
        () -> daemons.get().sockets(),
        questions,
        interval,
        seen -> events.add(new Arrivals.Event.Seen(seen)),
        events::has);
  }

  private void take(Arrivals.Event event) {
    switch (event) {
      case Arrivals.Event.Seen(Observation observation) -> model.accept(observation);
      case Arrivals.Event.Examined(JsonNode findings) -> model.examined(findings);
      case Arrivals.Event.NotExamined(String why) -> model.notExamined(why);
      case Arrivals.Event.FromTerminal _ -> {
        // Handled where there is a screen.
      }
    }
  }

  /** The first digits of a workspace that a person has named. */
  private String digits(String workspace) {
    if (workspace.isEmpty()) {
      return "";
    }
    for (String digits : model.workspaces()) {
      if (model.nameOf(digits).equals(workspace)
          || digits.startsWith(workspace)
          || workspace.startsWith(digits)) {
        return digits;
      }
    }
    throw new UserError(
        "no daemon of workspace " + workspace + " runs on this machine",
        "These do: " + String.join(", ", model.workspaces().stream().map(model::nameOf).toList()),
        UserError.USAGE);
  }

  private void examineAlways() {
    try {
      while (true) { // until the process ends
        examine();
        Thread.sleep(EXAMINED_EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void examine() {
    try {
      ArrayNode found = JsonNodeFactory.instance.arrayNode();
      for (Finding each : Doctor.examine(daemons.get(), environment)) {
        found.add(each.json());
      }
      events.add(new Arrivals.Event.Examined(found));
    } catch (UserError e) {
      events.add(new Arrivals.Event.NotExamined(e.message()));
    } catch (RuntimeException bug) { // which would be printed over the screen
      events.add(new Arrivals.Event.NotExamined("this is a bug in hypersync: " + bug));
    }
  }
}
