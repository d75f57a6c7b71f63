package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.flood.HandshakeFlood;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The suite with unauthenticated peers: a leader and workers as processes; one thread creates
 * directories, in turns with no other traffic to the leader, with copies of a few first packets of
 * handshakes, and with first packets of which no two are the same.
 *
 * @param workers how many
 * @param seconds duration of each turn
 */
record Flood(Workers workers, double seconds) {
  /** Default duration of a turn: long enough for thousands of commits, and so for a p99. */
  static final double USUAL_SECONDS = 10;

  /** HyperSync's target is defined for this rate. */
  static final int PACKETS_PER_SECOND = 5_000;

  private static final int ROUNDS = 10;
  private static final double NS_PER_S = 1e9;
  private static final double NS_PER_US = 1e3;

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    List<byte[]> packets = HandshakeFlood.record(folder.root().resolve("nobody"));
    Demo.Cast cast =
        new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
            .start(NewIds.workspace(), workers.names(), Demo.Extras.NONE);
    int port = HostPort.parse(cast.leader().status().path("address").asText()).port();
    MeasuredFilesystem mount = workers.measured(folder);
    EndToEnd.warmUp(narrator, cleanup, mount);
    Turns turns = new Turns(cleanup, cast, packets, port, mount, seconds);
    // One uncounted turn of each kind, so that the JIT compiles the leader's code for these packets
    // before.
    for (HandshakeFlood.Kind kind : HandshakeFlood.Kind.values()) {
      var _ = turns.flooded(kind, "first");
    }
    List<FloodRound> rounds = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      rounds.add(turns.round(i));
      narrator.say("%s", describe(i, rounds.getLast()));
    }
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return FloodReport.of(load, workers, rounds);
  }

  private static String describe(int number, FloodRound round) {
    return String.format(
        Locale.ROOT,
        "round %d of %d: p50 %.0f us, with copies %.0f, made up %.0f; p99 %.0f us, %.0f, %.0f",
        number + 1,
        ROUNDS,
        round.quiet().p50Ns() / NS_PER_US,
        round.copies().sample().p50Ns() / NS_PER_US,
        round.madeUp().sample().p50Ns() / NS_PER_US,
        round.quiet().p99Ns() / NS_PER_US,
        round.copies().sample().p99Ns() / NS_PER_US,
        round.madeUp().sample().p99Ns() / NS_PER_US);
  }

  /** The parameters that all turns share. */
  private record Turns(
      Cleanup cleanup,
      Demo.Cast cast,
      List<byte[]> packets,
      int port,
      MeasuredFilesystem mount,
      double seconds) {
    /**
     * One round of three turns. Their order rotates, so that what a turn leaves behind affects all
     * alike.
     */
    FloodRound round(int number) throws IOException, InterruptedException {
      String name = "round-" + number;
      return switch (number % 3) {
        case 0 -> {
          Sample quiet = measure(name + "-quiet");
          FloodTurn copies = flooded(HandshakeFlood.Kind.COPIES, name);
          yield new FloodRound(quiet, copies, flooded(HandshakeFlood.Kind.MADE_UP, name));
        }
        case 1 -> {
          FloodTurn copies = flooded(HandshakeFlood.Kind.COPIES, name);
          FloodTurn madeUp = flooded(HandshakeFlood.Kind.MADE_UP, name);
          yield new FloodRound(measure(name + "-quiet"), copies, madeUp);
        }
        default -> {
          FloodTurn madeUp = flooded(HandshakeFlood.Kind.MADE_UP, name);
          Sample quiet = measure(name + "-quiet");
          yield new FloodRound(quiet, flooded(HandshakeFlood.Kind.COPIES, name), madeUp);
        }
      };
    }

    FloodTurn flooded(HandshakeFlood.Kind kind, String name)
        throws IOException, InterruptedException {
      JsonNode before = handshakes();
      long beganNs = System.nanoTime();
      try (HandshakeFlood flood = HandshakeFlood.start(kind, packets, port, PACKETS_PER_SECOND)) {
        Sample sample = measure(name + "-" + kind);
        return new FloodTurn(
            sample, flood.sent(), System.nanoTime() - beganNs, before, handshakes());
      }
    }

    private Sample measure(String name) throws IOException, InterruptedException {
      Meter meter = new Meter(0, (long) (seconds * NS_PER_S));
      cleanup.add("stop making directories", meter::stop);
      return meter.measure(
          Operation.MKDIR, new MeasuredFilesystem(mount.kind(), mount.root().resolve(name)), 1);
    }

    private JsonNode handshakes() {
      return cast.leader().status().path("handshakes");
    }
  }
}
