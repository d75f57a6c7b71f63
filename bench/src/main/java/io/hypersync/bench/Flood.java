package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.flood.StrangerFlood;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.wire.admin.RunDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The suite of strangers: a leader and workers as processes; how long a caller waits for one
 * directory after another, by turns while nobody else speaks to the leader and while strangers send
 * it copies of first packets.
 *
 * @param workers how many of them
 * @param seconds how long each turn is
 */
record Flood(Workers workers, double seconds) {
  /** Unless somebody asks for another time: thousands of commits, of which one in a hundred. */
  static final double USUAL_SECONDS = 10;

  /** hypersync's aim is for so many packets. */
  static final int PACKETS_PER_SECOND = 5_000;

  private static final int ROUNDS = 10;
  private static final double NS_PER_S = 1e9;
  private static final double NS_PER_US = 1e3;

  /** Measures in this folder; what it leaves is the cleanup's. */
  Findings run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    List<byte[]> packets = StrangerFlood.record(folder.root().resolve("nobody"));
    Demo.Cast cast =
        new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
            .start(NewIds.workspace(), workers.names());
    int port = HostPort.parse(cast.leader().status().path("address").asText()).port();
    Place mount = workers.measured(folder);
    EndToEnd.warmUp(narrator, cleanup, mount);
    // Once for nothing: what is compiled for strangers is not compiled while it counts.
    var _ = flooded(cleanup, packets, port, mount, "first");
    List<FloodRound> rounds = new ArrayList<>();
    JsonNode before = handshakes(cast);
    for (int i = 0; i < ROUNDS; i++) {
      rounds.add(round(cleanup, packets, port, mount, i));
      narrator.say("%s", describe(i, rounds.getLast()));
    }
    JsonNode after = handshakes(cast);
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return FloodReport.of(load, workers, rounds, before, after);
  }

  /** Who is first changes, so that what a turn leaves behind burdens both. */
  private FloodRound round(Cleanup cleanup, List<byte[]> packets, int port, Place mount, int number)
      throws IOException, InterruptedException {
    String name = "round-" + number;
    if (number % 2 == 0) {
      Sample quiet = quiet(cleanup, mount, name);
      return flooded(cleanup, packets, port, mount, name).beside(quiet);
    }
    Flooded flooded = flooded(cleanup, packets, port, mount, name);
    return flooded.beside(quiet(cleanup, mount, name));
  }

  private Sample quiet(Cleanup cleanup, Place mount, String name)
      throws IOException, InterruptedException {
    return measure(cleanup, mount, name + "-quiet");
  }

  private Flooded flooded(Cleanup cleanup, List<byte[]> packets, int port, Place mount, String name)
      throws IOException, InterruptedException {
    long beganNs = System.nanoTime();
    try (StrangerFlood flood = StrangerFlood.start(packets, port, PACKETS_PER_SECOND)) {
      Sample sample = measure(cleanup, mount, name + "-flooded");
      return new Flooded(sample, flood.sent(), System.nanoTime() - beganNs);
    }
  }

  private Sample measure(Cleanup cleanup, Place mount, String name)
      throws IOException, InterruptedException {
    Meter meter = new Meter(0, (long) (seconds * NS_PER_S));
    cleanup.add("stop making directories", meter::stop);
    return meter.measure(Operation.MKDIR, new Place(mount.kind(), mount.root().resolve(name)), 1);
  }

  private static JsonNode handshakes(Demo.Cast cast) {
    return cast.leader().status().path("handshakes");
  }

  private static String describe(int number, FloodRound round) {
    return String.format(
        Locale.ROOT,
        "round %d of %d: p50 %.0f us, with strangers %.0f; p99 %.0f us, with strangers %.0f",
        number + 1,
        ROUNDS,
        round.quiet().p50Ns() / NS_PER_US,
        round.flooded().p50Ns() / NS_PER_US,
        round.quiet().p99Ns() / NS_PER_US,
        round.flooded().p99Ns() / NS_PER_US);
  }

  private record Flooded(Sample sample, long packets, long ns) {
    FloodRound beside(Sample quiet) {
      return new FloodRound(quiet, sample, packets, ns);
    }
  }
}
