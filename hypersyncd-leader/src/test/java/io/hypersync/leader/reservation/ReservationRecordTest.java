package io.hypersync.leader.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.hypersync.model.hazard.Holder;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the files of both of Agent Mail's servers say. */
class ReservationRecordTest {
  private static final long ELEVEN = 1_787_396_400L * 1_000_000_000L;

  @Test
  void theFilesOfThePythonServer() throws Exception {
    assertEquals(
        List.of(
            "7 OldStone README.md exclusive",
            "101 GreenCastle app/api/*.py exclusive",
            "102 BlueLake app/api/users.py shared"),
        golden("python/projects/ntmfs-ws-team-payments"));
  }

  @Test
  void theFilesOfTheRustServer() throws Exception {
    assertEquals(
        List.of("1 RedHarbor web/src exclusive", "1 QuietBear web/src shared"),
        golden("rust/projects/ntmfs-ws-team"));
  }

  private static List<String> golden(String folder) throws IOException, URISyntaxException {
    Path files =
        Path.of(
                Objects.requireNonNull(
                        ReservationRecordTest.class.getResource("/reservations/" + folder))
                    .toURI())
            .resolve("file_reservations");
    Map<String, ReservationRecord> records = new TreeMap<>();
    try (Stream<Path> all = Files.list(files)) {
      for (Path file : all.toList()) {
        records.put(
            file.getFileName().toString(), ReservationRecord.read(Files.readAllBytes(file)));
      }
    }
    List<Reservation> read = ArchiveFiles.reservations(records);
    read.forEach(reservation -> assertEquals(ELEVEN, reservation.expiresNs()));
    return read.stream()
        .sorted(Comparator.comparing(Reservation::generation).thenComparingLong(Reservation::id))
        .map(
            reservation ->
                reservation.id()
                    + (" " + reservation.holder().agent())
                    + (" " + reservation.holder().pattern())
                    + (reservation.holder().exclusive() ? " exclusive" : " shared"))
        .toList();
  }

  @Test
  void aRecordHasAllThatMatters() {
    Reservation read =
        held(
            """
            {"id": 101, "project": "/ws/team/", "agent": "Green", "path_pattern": "/ws/team/a/*.py",
             "exclusive": false, "expires_ts": "2026-08-22T11:00:00+00:00", "db_generation": "ff"}
            """);
    assertEquals(101, read.id());
    assertEquals("ff", read.generation());
    assertEquals("/ws/team", read.project());
    assertEquals(new Holder("Green", "/ws/team/a/*.py", false), read.holder());
    assertEquals(List.of("a", "*.py"), read.pattern().written(), "begins at the project");
    assertEquals(ELEVEN, read.expiresNs());
  }

  @Test
  void otherSpellingsOfNames() {
    Reservation read =
        held("{'project': '/ws', 'agent_name': 'Green', 'path': 'a', 'expires_ts': 1}");
    assertEquals(new Holder("Green", "a", true), read.holder(), "exclusive if nothing is said");
    assertEquals(-1, read.id());
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource({
    "'2026-08-22T11:00:00Z',             2026-08-22T11:00:00Z",
    "'2026-08-22T11:00:00.000000+00:00', 2026-08-22T11:00:00Z",
    "'2026-08-22T13:00:00+02:00',        2026-08-22T11:00:00Z",
    "'2026-08-22T11:00:00',              2026-08-22T11:00:00Z",
    "'2026-08-22 11:00:00.5',            2026-08-22T11:00:00.5Z",
    "1787396400000000,                   2026-08-22T11:00:00Z",
  })
  void times(String written, String time) {
    String json = Character.isDigit(written.charAt(4)) ? written : "'" + written + "'";
    Instant expected = Instant.parse(time);
    assertEquals(expected.getEpochSecond() * 1_000_000_000L + expected.getNano(), expiring(json));
  }

  @Test
  void timesFarAway() {
    assertEquals(Long.MAX_VALUE, expiring("9223372036854775807"));
    assertEquals(Long.MAX_VALUE, expiring("1" + "0".repeat(100)));
    assertEquals(Long.MAX_VALUE, expiring("'9999-12-31T23:59:59Z'"));
  }

  private static long expiring(String time) {
    return held("{'project':'/ws','agent':'G','path':'a','expires_ts':" + time + "}").expiresNs();
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "''", "'  '", "0", "false"})
  void whatIsNotReleased(String released) {
    assertInstanceOf(ReservationRecord.Held.class, released(released));
  }

  @ParameterizedTest
  @ValueSource(strings = {"'2026-08-22T10:20:00Z'", "1787394000000000", "'yes'", "true"})
  void whatIsReleased(String released) {
    assertEquals(new ReservationRecord.Released(9), released(released));
  }

  private static ReservationRecord released(String released) {
    return read(
        "{'id':9,'project':'/ws','agent':'G','path':'a','expires_ts':1,'released_ts':"
            + released
            + "}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"tool://x", "resource://a/b", "service://c", "!src", "# a", "../b", "a/../../b"})
  void whatIsNoFileOfTheProject(String pattern) {
    assertInstanceOf(
        ReservationRecord.Unusable.class,
        read("{'project':'/ws','agent':'G','path':'" + pattern + "','expires_ts':1}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "{",
        "{}{}",
        "{'project':'/ws'}",
        "{'project':'/ws','agent':'G','path':'a'}",
        "{'project':'/ws','agent':'','path':'a','expires_ts':1}",
        "{'project':'/ws','agent':['G'],'path':'a','expires_ts':1}",
        "{'project':'/ws','agent':'G','path':'a','expires_ts':'soon'}",
        "{'project':'/ws','agent':'G','path':'a','expires_ts':1.5}",
        "{'project':{},'agent':'G','path':'a','expires_ts':1}"
      })
  void whatIsNoRecord(String text) {
    assertInstanceOf(ReservationRecord.Malformed.class, read(text));
  }

  /** A server may be in the middle of writing. */
  @Test
  void noPartOfARecordIsARecord() {
    byte[] whole = bytes("{'project':'/ws','agent':'G','path':'a','expires_ts':1}");
    for (int length = 0; length < whole.length; length++) {
      assertInstanceOf(
          ReservationRecord.Malformed.class,
          ReservationRecord.read(Arrays.copyOf(whole, length)),
          "the first " + length + " bytes");
    }
  }

  @Test
  void hostileFilesAreBounded() {
    assertInstanceOf(
        ReservationRecord.Unusable.class,
        ReservationRecord.read(new byte[ReservationRecord.MAX_BYTES + 1]));
    assertInstanceOf(ReservationRecord.Malformed.class, read("[".repeat(60_000)));
    assertInstanceOf(
        ReservationRecord.Malformed.class,
        ReservationRecord.read(new byte[] {'{', (byte) 0xff, (byte) 0xfe, '}'}));
    assertInstanceOf(
        ReservationRecord.Malformed.class,
        read("{'project':'/ws','agent':'G','path':'" + "x".repeat(5_000) + "','expires_ts':1}"));
  }

  private static Reservation held(String json) {
    return assertInstanceOf(ReservationRecord.Held.class, read(json)).reservation();
  }

  private static ReservationRecord read(String json) {
    return ReservationRecord.read(bytes(json));
  }

  private static byte[] bytes(String json) {
    return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
