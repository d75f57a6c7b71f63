package io.hypersync.e2e.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A network of its own for the daemons of a test: a namespace for each machine, and a switch
 * between them that loses multicast packets as it is told ({@code net/switch.py}). It is gone when
 * the switch's process is, however that ends. Machines have numbers from 1 on.
 */
public final class LocalNetwork implements AutoCloseable {
  private static final int FIRST_DESCRIPTOR = 100;

  private final PythonProcess process;
  private final Path figures;

  private LocalNetwork(PythonProcess process, Path figures) {
    this.process = process;
    this.figures = figures;
  }

  /** A network of so many machines. */
  public static LocalNetwork start(int machines) throws IOException {
    PythonProcess process = PythonProcess.start();
    try {
      process.define(script());
      for (int machine = 1; machine <= machines; machine++) {
        process.must("port(" + machine + ")");
      }
      process.must("start()");
      return new LocalNetwork(process, Files.createTempFile("hs-switch-", ".json"));
    } catch (IOException | RuntimeException | Error e) {
      process.close();
      throw e;
    }
  }

  private static String script() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(LocalNetwork.class.getResourceAsStream("/net/switch.py"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Its IPv4 address. */
  public static String address(int machine) {
    return "10.77.0." + machine;
  }

  /** The words before a command that run it on a machine. */
  public List<String> on(int machine) {
    return List.of(
        "nsenter", "--net=/proc/" + process.pid() + "/fd/" + (FIRST_DESCRIPTOR + machine));
  }

  /** From now on a machine loses this share of multicast packets, 0 to 1. */
  public void lose(int machine, double share) throws IOException {
    process.must("lose(" + machine + ", " + share + ")");
  }

  /**
   * Sends packets to the group that are not the leader's, and say they are.
   *
   * @param kind {@code noise}, {@code epoch}, {@code forged} or {@code replayed}
   */
  public void strangers(String kind, int count) throws IOException {
    process.must("strangers('" + kind + "', " + count + ")");
  }

  /** Sends packets of strangers to one machine, as fast as this can be. */
  public void flood(int machine, int count) throws IOException {
    process.must("flood(" + machine + ", " + count + ")");
  }

  /** What has passed the switch. */
  public JsonNode figures() throws IOException {
    process.must("tell('" + figures + "')");
    return new ObjectMapper().readTree(figures.toFile());
  }

  @Override
  public void close() throws IOException {
    process.close();
    Files.deleteIfExists(figures);
  }
}
