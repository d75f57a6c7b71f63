package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** What {@code status} says of standbys, for people. */
final class StandbyReportTest {
  private static JsonNode json(String text) throws Exception {
    return new ObjectMapper().readTree(text);
  }

  private static String here(boolean complete, boolean connected) throws Exception {
    StringBuilder text = new StringBuilder();
    StandbyReport.append(
        text,
        json(
            """
            [{"worker_id": "spare", "leader": "main:7890", "complete": %s, "connected": %s,
              "synced_index": 41370, "lag_entries": %s, "term_seen": 1, "pid": 4711}]
            """
                .formatted(complete, connected, connected ? 2 : null)));
    return text.toString();
  }

  @Test
  void aStandbyOfThisHostSaysHowFarItIsAndWhetherItCouldLead() throws Exception {
    assertEquals(
        """
        STANDBY  LEADER     STATE     SYNCED  LAG  TERM   PID
        spare    main:7890  complete  41,370    2     1  4711
        """,
        here(true, true));
    assertEquals(
        """
        STANDBY  LEADER     STATE                  SYNCED  LAG  TERM   PID
        spare    main:7890  complete, leader away  41,370    ?     1  4711
        """,
        here(true, false));
    assertTrue(here(false, true).contains("not complete"), here(false, true));
  }

  @Test
  void aLeaderNamesItsStandbys() throws Exception {
    StringBuilder text = new StringBuilder();
    StandbyReport.appendOfLeader(
        text,
        json(
            """
            [{"worker_id": "fmd", "standby": null},
             {"worker_id": "spare", "standby": {"complete": true, "synced_index": 41370,
               "lag_entries": 2, "lag_ms": 3}},
             {"worker_id": "fresh", "standby": {"complete": false, "synced_index": 0,
               "lag_entries": 41372, "lag_ms": 9000}}]
            """),
        json("{}").path("none"));
    assertEquals(
        """
          standby spare: 2 entries and 3 ms behind, acknowledged without it
          standby fresh: not complete yet, it cannot be promoted
        """,
        text.toString());
  }

  @Test
  void aLeaderSaysHowThoseStandThatItWaitsFor() throws Exception {
    StringBuilder text = new StringBuilder();
    StandbyReport.appendOfLeader(
        text,
        json(
            """
            [{"worker_id": "spare", "standby": {"complete": true, "synced_index": 41370,
               "lag_entries": 2, "lag_ms": 3}}]
            """),
        json(
            """
            {"degrade": "alone", "degrade_after_ms": 10000, "standbys": [
              {"worker_id": "spare", "state": "synchronous", "lag_entries": 1},
              {"worker_id": "b", "state": "catching_up", "lag_entries": 1200},
              {"worker_id": "c", "state": "away"},
              {"worker_id": "d", "state": "alone", "alone_after": 41372, "since_ms": 61000}]}
            """));
    assertEquals(
        """
          standby spare: synchronous, 1 entries behind
          standby b: catching up, 1,200 entries behind; it is waited for 10000 ms
          standby c: AWAY; it is waited for 10000 ms
          standby d: LEFT BEHIND since %s: what came after entry 41,372 is on this leader only
        """
            .formatted(Quantities.uptime(61_000)),
        text.toString());
  }

  @Test
  void withoutAnyNothingIsSaid() throws Exception {
    StringBuilder text = new StringBuilder();
    StandbyReport.append(text, json("[]"));
    StandbyReport.append(text, json("{}").path("none"));
    assertTrue(text.isEmpty(), text::toString);
  }
}
