package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.relay.NetworkConditions;
import io.hypersync.cli.relay.UdpRelay;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * The loss suite: how long it takes until a write through one mount shows on others, whose packets
 * are lost and delayed. The writer reaches its leader without loss, so its uploads are not in the
 * figures; each of the others has a relay between, with packets as small as on a network.
 *
 * @param workers how many, with the writer
 * @param losses shares of packets that are lost
 * @param bursts how long packets are lost in one go, on average; zero for each by itself
 * @param delays in each direction
 */
record LossRun(Workers workers, List<Double> losses, List<Duration> bursts, List<Duration> delays) {
  static final List<Double> USUAL_LOSSES = List.of(0.0, 0.01, 0.05);
  static final List<Duration> USUAL_BURSTS = List.of(Duration.ZERO);
  static final List<Duration> USUAL_DELAYS = List.of(Duration.ofMillis(5));

  /** What a leader can be set to. */
  static final List<String> MODES = List.of("streams", "datagrams", "auto");

  private static final int CHUNK_BYTES = 64 << 10;
  private static final int SMALL_BYTES = 64 << 10;
  private static final int LARGE_BYTES = 1 << 20;
  private static final int SAMPLES = 60;

  /** Of writes of a MiB: with fewer the 99th percentile would be the longest of all. */
  private static final int LARGE_SAMPLES = 200;

  private static final int STREAM_WRITES = 64;

  /** Writes before the first that counts: the leader measures the path, and codes are made. */
  private static final int WARM_UP = 40;

  private static final int PAUSE_MS = 5;
  private static final long LOOK_NS = 50_000;
  private static final long LIMIT_NS = 60_000_000_000L;
  private static final double NS_PER_S = 1e9;
  private static final String PATH_OPTION = "-Dhypersync.quic.smallPackets=true";

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    List<LossFound> found = new ArrayList<>();
    for (String mode : MODES) {
      DemoFolder own = DemoFolder.create(folder.root());
      try (Cleanup undo = new Cleanup(narrator)) {
        cleanup.add("stop the daemons", undo::undo);
        found.addAll(inMode(mode, narrator, undo, own));
      }
      own.delete();
    }
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return LossReport.of(load, workers, found);
  }

  private List<LossFound> inMode(String mode, Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    Demo.Extras extras =
        Demo.Extras.settings(List.of("hypersync.replication.data_plane=" + mode), List.of())
            .withJavaOptions(List.of(PATH_OPTION));
    Demo demo = new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()));
    String writer = workers.names().getFirst();
    Demo.Cast cast = demo.start(NewIds.workspace(), List.of(writer), extras);
    List<UdpRelay> relays = new ArrayList<>();
    List<Path> readers = new ArrayList<>();
    List<ChildDaemon> daemons = new ArrayList<>();
    for (String name : workers.names().subList(1, workers.count())) {
      HostPort leader = cast.address();
      UdpRelay relay =
          UdpRelay.start(new InetSocketAddress(leader.host(), leader.port()), relays.size());
      cleanup.add("stop a relay", relay::close);
      relays.add(relay);
      Demo.Cast through =
          new Demo.Cast(cast.workspace(), relay.address(), cast.leader(), cast.workers());
      ChildDaemon reader = demo.join(through, name, extras);
      var _ = reader.await("reach the leader", status -> status.path("mounted").asBoolean());
      readers.add(folder.mount(name));
      daemons.add(reader);
    }
    List<LossFound> found = new ArrayList<>();
    Stage stage = new Stage(folder.mount(writer), readers, daemons, relays);
    for (LossPath path : paths()) {
      narrator.say("%s: %s", mode, path.text());
      NetworkConditions conditions =
          NetworkConditions.path(path.lost(), path.burst(), path.delay());
      relays.forEach(relay -> relay.become(conditions));
      found.add(stage.measure(mode, path));
    }
    return found;
  }

  private List<LossPath> paths() {
    List<LossPath> paths = new ArrayList<>();
    for (double lost : losses) {
      for (Duration burst : lost > 0 ? bursts : USUAL_BURSTS) {
        delays.forEach(delay -> paths.add(new LossPath(lost, burst, delay)));
      }
    }
    return paths;
  }

  /** One writer and those who wait for what it writes. */
  private static final class Stage {
    private final Path writer;
    private final List<Path> readers;
    private final List<ChildDaemon> daemons;
    private final List<UdpRelay> relays;
    private final Random random = new Random(1);
    private int files;

    Stage(Path writer, List<Path> readers, List<ChildDaemon> daemons, List<UdpRelay> relays) {
      this.writer = writer;
      this.readers = readers;
      this.daemons = daemons;
      this.relays = relays;
    }

    LossFound measure(String mode, LossPath path) throws IOException, InterruptedException {
      long[] _ = times(SMALL_BYTES, WARM_UP);
      long[] small = times(SMALL_BYTES, SAMPLES);
      long sentBefore = sent();
      long askedBefore = asked();
      long[] large = times(LARGE_BYTES, LARGE_SAMPLES);
      double perByte = (double) (sent() - sentBefore) / ((long) LARGE_SAMPLES * LARGE_BYTES);
      double chunks = (double) readers.size() * LARGE_SAMPLES * LARGE_BYTES / CHUNK_BYTES;
      double asked = (asked() - askedBefore) / chunks;
      long ns = streamed();
      double bytesPerSecond = (double) STREAM_WRITES * LARGE_BYTES * NS_PER_S / ns;
      return new LossFound(mode, path, small, large, bytesPerSecond, perByte, asked);
    }

    private long asked() throws InterruptedException {
      long asked = 0;
      for (ChildDaemon daemon : daemons) {
        JsonNode status = daemon.await("say what it has asked for", _ -> true);
        asked += status.path("data_plane").path("chunks_asked").asLong();
      }
      return asked;
    }

    private long sent() {
      return relays.stream().mapToLong(UdpRelay::bytesToWorkers).sum();
    }

    private long[] times(int bytes, int samples) throws IOException, InterruptedException {
      long[] times = new long[samples];
      String name = "file" + ++files;
      try (FileChannel file = create(name)) {
        for (int i = 0; i < samples; i++) {
          Thread.sleep(PAUSE_MS);
          write(file, bytes);
          times[i] = untilShown(name, (long) (i + 1) * bytes, System.nanoTime());
        }
      }
      Files.delete(writer.resolve(name));
      Arrays.sort(times);
      return times;
    }

    private long streamed() throws IOException {
      String name = "file" + ++files;
      long beganNs = System.nanoTime();
      try (FileChannel file = create(name)) {
        for (int i = 0; i < STREAM_WRITES; i++) {
          write(file, LARGE_BYTES);
        }
        long ns = untilShown(name, (long) STREAM_WRITES * LARGE_BYTES, beganNs);
        Files.delete(writer.resolve(name));
        return ns;
      }
    }

    private FileChannel create(String name) throws IOException {
      return FileChannel.open(
          writer.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
    }

    /** Bytes that no chunk has had before. */
    private void write(FileChannel file, int bytes) throws IOException {
      byte[] content = new byte[bytes];
      random.nextBytes(content);
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        int _ = file.write(buffer);
      }
    }

    /** How long after this moment the last reader shows a file of this size. */
    private long untilShown(String name, long size, long sinceNs) throws IOException {
      for (Path reader : readers) {
        while (size(reader.resolve(name)) < size) {
          if (System.nanoTime() - sinceNs > LIMIT_NS) {
            throw new IOException(name + " did not get to " + reader + " within a minute");
          }
          LockSupport.parkNanos(LOOK_NS);
        }
      }
      return System.nanoTime() - sinceNs;
    }

    private static long size(Path file) throws IOException {
      try {
        return Files.size(file);
      } catch (NoSuchFileException notYet) {
        return 0;
      }
    }
  }
}
