package io.hypersync.leader.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who holds which path at which time. */
class ReservationTableTest {
  private static final long NOW = 1_000;
  private static final long LATER = 2_000;
  private static final List<String> MOUNTS = List.of("/ntmfs/ws/team", "/mnt/team");

  @ParameterizedTest(name = "{0} {1} and {2}: {3}")
  @CsvSource({
    "/ntmfs/ws/team,          src/*.go,    src/a.go,          true",
    "/ntmfs/ws/team,          *.go,        deep/down/a.go,    true",
    "/ntmfs/ws/team,          a.go,        deep/down/a.go,    true",
    "/ntmfs/ws/team,          **/api/x,    deep/api/x,        true",
    "/mnt/team,               src,         src/a.go,          true",
    "/ntmfs/ws/team/payments, src,         payments/src/a.go, true",
    "/ntmfs/ws/team/payments, a.go,        payments/b/a.go,   true",
    "/ntmfs/ws/team/payments, *.go,        payments/b/a.go,   true",
    "/ntmfs/ws/team/payments, **,          payments/b/a.go,   true",
    "/ntmfs/ws/team/payments, src,         src/a.go,          false",
    "/ntmfs/ws/team/payments, a.go,        a.go,              false",
    "/ntmfs/ws/team/payments, *.go,        paymentsb/a.go,    false",
    "/ntmfs/ws/team/payments, **,          payments,          false",
    "/ntmfs/ws/other,         **,          a.go,              false",
    "/ntmfs/ws/teamwork,      **,          work/a.go,         false",
    "/ntmfs/ws,               team/a.go,   a.go,              false",
  })
  void aPatternBeginsAtItsProject(String project, String pattern, String path, boolean covered) {
    ReservationTable table = table(Held.of(project, "Blue", pattern, true, LATER));
    assertEquals(covered, !table.covering(path, false, NOW).isEmpty());
  }

  @Test
  void aReservationHoldsUntilItExpires() {
    ReservationTable table = table(Held.of("/mnt/team", "Blue", "f", true, LATER));
    assertEquals(1, table.covering("f", false, LATER - 1).size());
    assertEquals(0, table.covering("f", false, LATER).size());
    assertEquals(0, table.active(LATER).size());
    assertTrue(table(Held.of("/mnt/team", "Blue", "f", true, NOW)).isEmpty(), "expired already");
  }

  @Test
  void allHoldersAreFoundAndOnce() {
    ReservationTable table =
        table(
            Held.of("/mnt/team", "Blue", "a", true, LATER),
            Held.of("/mnt/team", "Green", "a/*", false, LATER + 2),
            Held.of("/mnt/team", "Red", "**/a/x", true, LATER + 1),
            Held.of("/mnt/team", "Gray", "b", true, LATER));
    assertEquals(
        List.of("Green", "Red", "Blue"),
        table.covering("a/a/x", false, NOW).stream().map(held -> held.holder().agent()).toList());
  }

  @Test
  void projectsElsewhereAreCounted() {
    ReservationTable table = table(Held.of("/home/me", "Blue", "f", true, LATER));
    assertEquals(1, table.elsewhere());
    assertTrue(table.isEmpty());
  }

  @Test
  void conflictsAreOfDifferentAgentsAndToldOnce() {
    ReservationTable table =
        table(
            Held.of("/mnt/team", "Blue", "src/*.go", true, LATER),
            Held.of("/mnt/team", "Green", "src/main.go", false, LATER),
            Held.of("/ntmfs/ws/team", "Green", "src/main.go", true, LATER),
            Held.of("/mnt/team", "blue", "src/main.go", true, LATER),
            Held.of("/mnt/team", "Red", "doc", false, LATER),
            Held.of("/mnt/team", "Gray", "doc/a", false, LATER),
            Held.of("/mnt/team", "Old", "src/main.go", true, NOW + 1));
    List<String> conflicts =
        table.conflicts(NOW + 1, 100).stream()
            .map(pair -> name(pair.one()) + " | " + name(pair.other()))
            .sorted()
            .toList();
    assertEquals(
        List.of(
            "Blue src/*.go | Green src/main.go",
            "Blue src/*.go | Green src/main.go",
            "Green src/main.go | blue src/main.go",
            "Green src/main.go | blue src/main.go"),
        conflicts);
    assertEquals(3, table.conflicts(NOW, 3).size(), "no more than asked for");
  }

  private static String name(Reservation reservation) {
    return reservation.holder().agent() + " " + reservation.holder().pattern();
  }

  @Test
  void thereIsABoundAndThoseThatEndFirstGo() {
    List<Reservation> known = new ArrayList<>();
    for (int i = 0; i < ReservationTable.MOST + 10; i++) {
      known.add(Held.of("/mnt/team", "Blue", "f" + i, true, LATER + i));
    }
    ReservationTable table = ReservationTable.of(known, MOUNTS, NOW);
    assertEquals(10, table.dropped());
    assertEquals(ReservationTable.MOST, table.active(NOW).size());
    assertEquals(0, table.covering("f9", false, NOW).size());
    assertEquals(1, table.covering("f10", false, NOW).size());
  }

  /** Entries are logged while this is looked at. */
  @Test
  void aLookIsFastHoweverManyThereAre() {
    List<Reservation> known = new ArrayList<>();
    for (int i = 0; i < ReservationTable.MOST; i++) {
      known.add(Held.of("/mnt/team/p", "Blue", "*" + i + ".go", true, LATER + i));
    }
    ReservationTable table = ReservationTable.of(known, MOUNTS, NOW);
    assertEquals(ReservationTable.MOST - ReservationTable.MOST_AT_A_PLACE, table.dropped());
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> {
          for (int i = 0; i < 1_000; i++) {
            assertEquals(0, table.covering("p/a/b/c/d/e/f/g/main.c", false, NOW).size());
          }
        });
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource({
    "/mnt/team,          /ntmfs/ws/team/src/*.go, src/a.go",
    "/mnt/team/payments, /ntmfs/ws/team/src/*.go, src/a.go",
    "/ntmfs/ws/team,     /mnt/team/src,           src/a.go",
    "/ntmfs/ws/team,     /ntmfs/ws/teamwork/src,  ntmfs/ws/teamwork/src/a",
  })
  void aPatternMayBeginAtAnyPathOfTheWorkspace(String project, String pattern, String path) {
    ReservationTable table = table(Held.of(project, "Blue", pattern, true, LATER));
    assertEquals(1, table.covering(path, false, NOW).size());
  }

  /** Each of them takes the product of both lengths, for each name of the path. */
  @Test
  void patternsThatTakeTooLongAreBrokenOff() {
    List<Reservation> known = new ArrayList<>();
    for (int i = 0; i < ReservationTable.MOST_AT_A_PLACE; i++) {
      known.add(Held.of("/mnt/team", "Blue", "*" + "a*".repeat(200) + "b" + i, true, LATER));
    }
    known.add(Held.of("/mnt/team", "Green", "main.c", true, LATER));
    ReservationTable table = ReservationTable.of(known, MOUNTS, NOW);
    String path = ("a".repeat(255) + "/").repeat(15) + "main.c";
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> {
          for (int i = 0; i < 1_000; i++) {
            assertTrue(table.covering(path, false, NOW).size() <= 1);
          }
        });
    assertEquals(1_000, table.brokenOff());
    assertEquals(1, table.covering("src/main.c", false, NOW).size());
    assertEquals(1_000, table.brokenOff());
  }

  private static ReservationTable table(Reservation... known) {
    return ReservationTable.of(List.of(known), MOUNTS, NOW);
  }
}
