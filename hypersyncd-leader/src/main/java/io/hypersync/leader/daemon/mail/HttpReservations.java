package io.hypersync.leader.daemon.mail;

import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.mail.CallOutcome;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationPages;
import io.hypersync.leader.reservation.ReservationSource;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.leader.reservation.ReservationView;
import io.hypersync.leader.reservation.SourceFreshness;
import io.hypersync.runtime.agent.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Agent Mail's server for the reservations of each project every 15 s, where its archive is
 * not on this machine (hypersync.md 10.3). On a thread of its own: nothing that is wrong with the
 * server or slow about it holds the leader up. A server that gives some projects and not others
 * counts as one that gives none, because nobody could tell what is missing.
 */
public final class HttpReservations implements ReservationSource {
  private static final Logger LOG = LoggerFactory.getLogger(HttpReservations.class);
  private static final long MS = 1_000_000;
  private static final long POLL_MS = 15_000;

  /** Entries of a moment ago are decided by reservations that have expired since. */
  private static final long CLOCK_SLACK_NS = 60_000 * MS;

  private final AgentMailOptions options;
  private final AgentMailClient client;
  private final Clock clock;
  private final long pollMs;
  private final Consumer<ReservationView> onChange;
  private final Thread thread;
  private volatile ReservationView view = ReservationView.NOTHING;

  /** What all projects together have. */
  private static final class Found {
    final List<Reservation> reservations = new ArrayList<>();
    long records;
    long damaged;
    long unusable;
    long unread;

    void add(ReservationPages pages) {
      reservations.addAll(pages.reservations());
      records += pages.read();
      damaged += pages.damaged();
      unusable += pages.unusable();
      unread += pages.unread();
    }
  }

  /**
   * Creates the thread without starting it.
   *
   * @param onChange called on the thread with what is known after each look
   */
  public HttpReservations(
      AgentMailOptions options,
      AgentMailClient client,
      Clock clock,
      Consumer<ReservationView> onChange) {
    this(options, client, clock, POLL_MS, onChange);
  }

  /** The same, with another time between two looks. */
  HttpReservations(
      AgentMailOptions options,
      AgentMailClient client,
      Clock clock,
      long pollMs,
      Consumer<ReservationView> onChange) {
    this.options = options;
    this.client = client;
    this.clock = clock;
    this.pollMs = pollMs;
    this.onChange = onChange;
    this.thread = Thread.ofPlatform().daemon().name("leader-reservations").unstarted(this::run);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public ReservationView view() {
    return view;
  }

  @Override
  public SourceFreshness freshness(ReservationView seen) {
    return seen.freshness(SourceFreshness.Source.HTTP, clock.monotonicNs());
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        look();
        Thread.sleep(pollMs);
      }
    } catch (InterruptedException stopped) {
      LOG.debug("reservations are asked for no more");
    }
  }

  private void look() throws InterruptedException {
    long beganNs = clock.monotonicNs();
    Found found = new Found();
    String problem = "";
    for (String project : options.projects()) {
      problem = read(project, found);
      if (!problem.isEmpty()) {
        break;
      }
    }
    ReservationView before = view;
    if (!problem.isEmpty() && !problem.equals(before.lastError())) {
      LOG.warn("cannot ask {} for reservations: {}", options.url(), problem);
    }
    ReservationView now =
        problem.isEmpty() ? view(found, beganNs) : with(before, problem, before.goodNs());
    view = now;
    onChange.accept(now);
  }

  private ReservationView view(Found found, long beganNs) {
    return new ReservationView(
        ReservationTable.of(found.reservations, options.mounts(), clock.epochNs() - CLOCK_SLACK_NS),
        beganNs,
        "",
        found.records,
        found.damaged,
        found.unusable,
        found.unread);
  }

  private static ReservationView with(
      ReservationView before, String problem, @Nullable Long goodNs) {
    return new ReservationView(
        before.table(),
        goodNs,
        problem,
        before.files(),
        before.damaged(),
        before.unusable(),
        before.unread());
  }

  /** Adds those of a project; returns why that failed, else nothing. */
  private String read(String project, Found found) throws InterruptedException {
    ReservationPages pages = new ReservationPages(project);
    while (!pages.isDone()) {
      switch (client.resource(pages.uri())) {
        case CallOutcome.Answered(var page) -> {
          if (!pages.page(page)) {
            return "it answers with something that is no list of reservations";
          }
        }
        case CallOutcome.Refused(String why) -> {
          if (!pages.refused()) {
            return why;
          }
        }
        case CallOutcome.NotDone(String why) -> {
          return why;
        }
        case CallOutcome.Unsure(String why) -> {
          return why;
        }
      }
    }
    found.add(pages);
    return "";
  }
}
