package io.hypersync.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was observed, and what is said about it. */
final class DoctorChecksTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

  @TempDir Path directory;

  private static List<Finding> found(Observed observed) {
    return Checks.of(observed, NOW);
  }

  private static Observed status(String json) throws IOException {
    return new Observed(
        new ObjectMapper().readTree(json),
        "1",
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        true,
        0,
        0,
        Map.of());
  }

  private static List<String> said(List<Finding> findings) {
    return findings.stream().map(each -> each.trouble().code() + " " + each.detail()).toList();
  }

  /** Part of a status (which list, what one daemon says), and what is found. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          leaders | {"workspace_name":"team"} |
          workers | {"worker_id":"a","mount":"/w","mounted":true,"apply_error":null} |
          unresponsive | {"role":"leader","socket":"/run/l.sock","reason":"no answer"} | HS101 leader at /run/l.sock: no answer
          dead | {"role":"worker","socket":"/run/w.sock"} | HS102 worker at /run/w.sock
          workers | {"worker_id":"a","version":"0"} | HS103 worker a is 0, this command is 1
          workers | {"worker_id":"a","mount":"/w","mounted":false} | HS203 /w
          workers | {"worker_id":"a","mount":"/w","read_only":true,"link":"down","link_reason":"gone"} | HS204 /w: down gone
          workers | {"worker_id":"a","apply_error":{"message":"disk full"}} | HS205 worker a: disk full
          workers | {"worker_id":"a","catch_up":{"entries_behind":10000}} |
          workers | {"worker_id":"a","catch_up":{"entries_behind":10001}} | HS206 worker a is 10001 entries behind
          standbys | {"role":"standby","worker_id":"s","catch_up":{"entries_behind":20000}} | HS206 standby s is 20000 entries behind
          leaders | {"absent":[{"worker_id":"b","state":"left"}]} |
          leaders | {"absent":[{"worker_id":"b","state":"diverged","reason":"root"}]} | HS207 b (diverged): root
          leaders | {"workspace_name":"team","snapshots":{"last_failure":"full"}} | HS302 leader of team: full
          leaders | {"snapshots":{"last_failure":null}} |
          workers | {"worker_id":"a","chunk_cache":{"last_failure":"full"}} | HS303 worker a: full
          leaders | {"workspace_name":"team","scrub":{"last":{"lost":2}}} | HS304 2 items of the leader of team
          leaders | {"gc":{"last":{"pins":[{"kind":"snapshot","name":"x","since":"2026-11-22T00:00:00Z","bytes":5}]}}} |
          leaders | {"gc":{"last":{"pins":[{"kind":"snapshot","name":"x","since":"2026-11-20T00:00:00Z","bytes":5}]}}} | HS305 snapshot x keeps 5 bytes since 2026-11-20T00:00:00Z
          leaders | {"absent":[{"worker_id":"b","state":"revoked","reason":"stolen"}]} |
          workers | {"worker_id":"a","certificate":{"expires_in_ms":2592000000}} |
          workers | {"worker_id":"a","certificate":{"expires_in_ms":2591999999}} | HS402 worker a: in 29 days
          standbys | {"role":"standby","worker_id":"s","certificate":{"expires_in_ms":-1}} | HS402 standby s: has ended
          leaders | {"workspace_name":"team","certificate":{"expires_in_ms":5,"ending":[{"worker_id":null,"not_after":"x"}]}} | HS402 leader of team: in 0 days
          leaders | {"workspace_name":"team","certificate":{"authority_expires_in_ms":5}} | HS402 the authority of leader of team: in 0 days
          leaders | {"workspace_name":"team","certificate":{"ending":[{"worker_id":"b","not_after":"2026-12-01T00:00:00Z"}]}} | HS402 worker b of leader of team: 2026-12-01T00:00:00Z
          leaders | {"workspace_name":"team","invariants_broken":{"PREFIX":1,"OTHER":0}} | HS901 leader of team: PREFIX, 1 times
          """)
  void whatADaemonSaysIsFound(String list, String daemon, String expected) throws IOException {
    List<Finding> findings = found(status("{\"" + list + "\":[" + daemon + "]}"));
    assertEquals(expected == null ? List.of() : List.of(expected), said(findings));
  }

  @Test
  void aMountThatNobodyServesIsFoundWithoutTouchingIt() throws IOException {
    Observed known =
        status("{\"workers\":[{\"worker_id\":\"a\",\"mount\":\"/w\",\"mounted\":true}]}");
    Observed observed =
        new Observed(
            known.status(),
            "1",
            List.of(
                new Observed.Mounted("0:50", "/w", "fuse.hypersync"),
                new Observed.Mounted("0:51", "/old", "fuse.hypersync"),
                new Observed.Mounted("8:1", "/mnt", "ext4")),
            List.of(),
            List.of(),
            List.of(),
            true,
            0,
            0,
            Map.of());
    assertEquals(List.of("HS201 /old"), said(found(observed)));
  }

  private static Observed mounted(String point, Observed.Mounted... mounts) throws IOException {
    Observed known = status("{\"workers\":[{\"mount\":\"" + point + "\",\"mounted\":true}]}");
    return new Observed(
        known.status(),
        "1",
        List.of(mounts),
        List.of(),
        List.of(),
        List.of(),
        true,
        0,
        0,
        Map.of("GOCACHE", "/cache"));
  }

  @Test
  void aBindMountOfAServedWorkspaceIsServed() throws IOException {
    Observed observed =
        mounted(
            "/w",
            new Observed.Mounted("0:49", "/w", "fuse.hypersync"),
            new Observed.Mounted("0:50", "/w", "fuse.hypersync"),
            new Observed.Mounted("0:50", "/container/w", "fuse.hypersync"),
            new Observed.Mounted("0:49", "/container/old", "fuse.hypersync"));
    assertEquals(
        List.of("HS201 /container/old", "HS202 /w is under a fuse.hypersync at /w"),
        said(found(observed)),
        "what is served is the last one at its point");
  }

  /** A lone surrogate is no path in any locale, as no umlaut is one under LC_ALL=C. */
  @Test
  void namesThatAreNoPathsInThisLocaleAreComparedAllTheSame() throws IOException {
    String odd = "/w\uD800";
    Observed observed =
        mounted(
            odd,
            new Observed.Mounted("0:50", odd, "fuse.hypersync"),
            new Observed.Mounted("0:60", odd + "/in", "tmpfs"),
            new Observed.Mounted("0:61", odd + "2", "tmpfs"));
    assertEquals(List.of(), said(found(observed)));
    Observed dead = status("{\"dead\":[{\"role\":\"worker\",\"socket\":\"/run/\uD800.sock\"}]}");
    List<Finding> findings = found(dead);
    assertEquals(List.of("HS102 worker at /run/\uD800.sock"), said(findings));
    assertEquals(Optional.empty(), findings.getFirst().repair());
  }

  @ParameterizedTest
  @CsvSource({"/ws/team, true", "/ws, true", "/ws/team/src, false", "/ws/team2, false"})
  void whatIsMountedLaterAtOrAboveAMountHidesIt(String later, boolean hides) throws IOException {
    Observed known = status("{\"workers\":[{\"mount\":\"/ws/team\",\"mounted\":true}]}");
    Observed observed =
        new Observed(
            known.status(),
            "1",
            List.of(
                new Observed.Mounted("0:50", "/ws/team", "fuse.hypersync"),
                new Observed.Mounted("0:60", later, "tmpfs")),
            List.of(),
            List.of(),
            List.of(),
            true,
            0,
            0,
            Map.of());
    assertEquals(
        hides ? List.of("HS202 /ws/team is under a tmpfs at " + later) : List.of(),
        said(found(observed)));
  }

  @ParameterizedTest
  @CsvSource({
    "100, 11, 10, 65536, ''",
    "100, 10, 10, 65536, HS301",
    "0, 0, 10, 0, ''",
    "100, 50, 10, 1023, HS501",
    "100, 50, 9000, 10000, HS501"
  })
  void disksAndDescriptorsRunLow(long disk, long free, long open, long limit, String code) {
    Observed.DaemonProcess process =
        new Observed.DaemonProcess("worker a", Path.of("/s"), disk, free, open, limit);
    Observed observed =
        new Observed(
            new ObjectMapper().createObjectNode(),
            "1",
            List.of(),
            List.of(process),
            List.of(),
            List.of(),
            true,
            0,
            0,
            Map.of());
    assertEquals(
        code.isEmpty() ? List.of() : List.of(code),
        found(observed).stream().map(each -> each.trouble().code()).toList());
  }

  @Test
  void theHostIsLookedAt() throws IOException {
    Observed known = status("{\"workers\":[{\"mount\":\"/w\",\"mounted\":true}]}");
    Observed observed =
        new Observed(
            known.status(),
            "1",
            List.of(),
            List.of(),
            List.of(Path.of("/s/token")),
            List.of("worker b, process 7: its disk"),
            false,
            1_000,
            900,
            Map.of("GOCACHE", "/w/cache", "CARGO_HOME", "/home/me"));
    List<Finding> findings = found(observed);
    assertEquals(
        List.of(
            "HS104 worker b, process 7: its disk",
            "HS401 /s/token",
            "HS502 900 of 1000 bytes",
            "HS503 /dev/fuse",
            "HS601 GOCACHE=/w/cache"),
        said(findings));
    assertEquals(
        Optional.of("chmod go= /s/token"), findings.get(1).repair().map(Finding.Repair::text));
  }

  @Test
  void aSecretIsClosedToOthersAndASocketRemoved() throws IOException {
    Path secret = Files.writeString(directory.resolve("token"), "x");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    assertEquals(Optional.empty(), Doctor.repair(new Finding.Repair.CloseToOthers(secret)));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)));
    Path socket = Files.writeString(directory.resolve("w.sock"), "");
    assertEquals(Optional.empty(), Doctor.repair(new Finding.Repair.RemoveSocket(socket)));
    assertTrue(Files.notExists(socket));
    assertTrue(
        Doctor.repair(new Finding.Repair.CloseToOthers(directory.resolve("gone"))).isPresent());
  }

  @Test
  void aSocketThatSomebodyListensOnAgainStays() throws IOException {
    Path socket = directory.resolve("w.sock");
    try (ServerSocketChannel began = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      began.bind(UnixDomainSocketAddress.of(socket));
      Thread _ =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      began.accept().close(); // so that it is not waited for
                    } catch (IOException ended) {
                      // by the test
                    }
                  });
      assertTrue(Doctor.repair(new Finding.Repair.RemoveSocket(socket)).isPresent());
      assertTrue(Files.exists(socket));
    }
    assertEquals(Optional.empty(), Doctor.repair(new Finding.Repair.RemoveSocket(socket)));
    assertTrue(Files.notExists(socket));
  }

  @Test
  void thePageHasARowForEachCodeAndNoOther() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("hypersync-cli"))) {
      root = root.getParent();
    }
    List<String> rows =
        Files.readAllLines(root.resolve("docs/doctor.md")).stream()
            .filter(line -> line.startsWith("| HS"))
            .toList();
    List<String> expected = new ArrayList<>();
    TreeSet<String> codes = new TreeSet<>();
    for (Trouble each : Trouble.values()) {
      assertTrue(codes.add(each.code()), each::code);
      expected.add(
          "| "
              + each.code()
              + " | "
              + each.severity().name().toLowerCase(java.util.Locale.ROOT)
              + " | "
              + each.why()
              + " | "
              + each.remedy()
              + " |");
    }
    assertEquals(String.join("\n", expected), String.join("\n", rows));
  }
}
