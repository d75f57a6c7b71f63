package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code doctor} on this host, with the socket of a worker that has died. */
final class DoctorCommandTest {
  @TempDir Path run;
  private Path socket;

  @BeforeEach
  void aWorkerHasDied() throws IOException {
    socket = run.resolve("worker-00112233-f\u001b[31mmd.sock");
    try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listening.bind(UnixDomainSocketAddress.of(socket));
    }
  }

  private JsonNode finding(Invocation doctor) throws IOException {
    for (JsonNode each : new ObjectMapper().readTree(doctor.out()).path("findings")) {
      if (each.path("detail").asText().contains(run.toString())) {
        return each;
      }
    }
    throw new AssertionError(doctor.out());
  }

  @Test
  void withoutFixItOnlyShowsWhatItWouldDo() throws IOException {
    JsonNode found = finding(Invocation.of("doctor", "--json", "--run-dir", run.toString()));
    assertEquals("HS102", found.path("code").asText());
    assertEquals("warning", found.path("severity").asText());
    assertEquals("rm " + run + "/worker-00112233-f\\x1b[31mmd.sock", found.path("fix").asText());
    assertEquals(false, found.path("fixed").asBoolean(true));
    assertTrue(Files.exists(socket));
  }

  @Test
  void withFixTheSocketIsGone() throws IOException {
    JsonNode found =
        finding(Invocation.of("doctor", "--fix", "--json", "--run-dir", run.toString()));
    assertEquals(true, found.path("fixed").asBoolean());
    assertTrue(Files.notExists(socket));
  }

  @Test
  void namesAreEscapedForTerminals() {
    Invocation doctor = Invocation.of("doctor", "--run-dir", run.toString());
    assertTrue(doctor.out().contains("HS102  warning worker at " + run), doctor::out);
    assertTrue(doctor.out().contains("--fix does: rm "), doctor::out);
    assertEquals(-1, doctor.out().indexOf('\u001b'), doctor::out);
  }
}
