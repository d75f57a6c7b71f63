package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.AdminServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code why-slow} with daemons whose answers are scripted. */
final class WhySlowTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path run;

  /** Two mutations of the last seconds; the leader has timestamps of one of them. */
  private static final String WORKER =
      """
      {"recent":{"fuse":%1$s,"leader":%2$s,"apply":%1$s,"total":%3$s},
       "since_start":{"fuse":%1$s,"leader":%2$s,"apply":%1$s,"total":%3$s},
       "newest":{"%4$s/1":[1000000,1900000],"%4$s/2":[2000000,2700000]},
       "slowest":[
         {"intent":"%4$s/2","op":"Write","path":"src/a","pid":7,"ago_ms":4200,
          "us":{"fuse":100.0,"leader":700.0,"apply":100.0,"total":900.0},
          "sent_ns":2000000,"arrived_ns":2700000},
         {"intent":"%4$s/1","op":"CreateFile","path":null,"pid":7,"ago_ms":900,
          "us":{"fuse":300.0,"leader":200.0,"apply":100.0,"total":600.0},
          "sent_ns":1000000,"arrived_ns":1900000}]}
      """
          .formatted(figures(100, 0.1), figures(700, 0.8), figures(900, 1), "0".repeat(31) + "1");

  /**
   * Timestamps of one mutation: 100 us to the leader, queue 20, sequence 30, sync 400, ack 50, 100
   * us back.
   */
  private static final String LEADER =
      """
      {"since_start":{"upload":%1$s,"queue":%2$s,"sequence":%2$s,"sync":%2$s,"ack":%2$s},
       "intents":{"%3$s/2":[2100000,2100000,2120000,2150000,2550000,2600000]}}
      """
          .formatted(figures(0, 0).replace("2", "0"), figures(50, 0.5), "0".repeat(31) + "1");

  private static final String NO_CHANGES =
      "{\"fuse\":%1$s,\"leader\":%1$s,\"apply\":%1$s,\"total\":%1$s}"
          .formatted(figures(0, 0).replace("\"count\":2", "\"count\":0"));

  private static String figures(int us, double share) {
    return "{\"count\":2,\"us_p50\":%d,\"us_p95\":%d,\"us_p99\":%d,\"us_max\":%d,\"share\":%s}"
        .formatted(us, us, us, us, share);
  }

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text);
    } catch (IOException malformed) {
      throw new AssertionError(text, malformed);
    }
  }

  private AdminServer worker() {
    ObjectNode status =
        json(
            "{\"role\":\"worker\",\"worker_id\":\"fmd\",\"workspace\":\"aa\",\"mount\":\"/ws/t\"}");
    return AdminServer.start(
        run.resolve("worker-aa-fmd.sock"),
        Map.of("status", _ -> status, "stages", _ -> json(WORKER)));
  }

  private AdminServer leader(AtomicReference<JsonNode> asked) {
    ObjectNode status = json("{\"role\":\"leader\",\"workspace\":\"aa\",\"workspace_name\":\"t\"}");
    return AdminServer.start(
        run.resolve("leader-aa.sock"),
        Map.of(
            "status",
            _ -> status,
            "stages",
            args -> {
              asked.set(args.path("intents"));
              return json(LEADER);
            }));
  }

  @Test
  void withTheLeaderHereItsPartIsTakenApart() {
    AtomicReference<JsonNode> asked = new AtomicReference<>();
    try (AdminServer _ = worker();
        AdminServer _ = leader(asked)) {
      Invocation shown = Invocation.of("why-slow", "/ws/t/src/a", "--run-dir", run.toString());
      assertEquals(0, shown.exitCode(), shown.err());
      String expected =
          """
          Worker fmd, mounted at /ws/t: 2 changes in the last 10 s, 2 since the start

            STAGE      NOW P50     P95     P99  SHARE  EVER P50     P95     P99  SHARE  WHAT IT IS
            fuse        100 us  100 us  100 us   10 %    100 us  100 us  100 us   10 %  the worker takes the request from the kernel
            leader           -       -       -      -    700 us  700 us  700 us      -  the way to the leader and back, and the leader
            send        100 us  100 us  100 us   11 %    100 us  100 us  100 us   11 %  the way to the leader
            queue        20 us   20 us   20 us    2 %     50 us   50 us   50 us    2 %  waiting for its turn at the leader
            sequence     30 us   30 us   30 us    3 %     50 us   50 us   50 us    3 %  the leader puts it in order and computes the Merkle root
            sync        400 us  400 us  400 us   46 %     50 us   50 us   50 us   46 %  the leader's disk
            ack          50 us   50 us   50 us    6 %     50 us   50 us   50 us    6 %  the leader's thread notices that the disk is done
            replicate   100 us  100 us  100 us   11 %    100 us  100 us  100 us   11 %  the way back from the leader
            apply       100 us  100 us  100 us   10 %    100 us  100 us  100 us   10 %  the worker applies the entry and compares the Merkle root
            total       900 us  900 us  900 us  100 %    900 us  900 us  900 us  100 %  from the call's arrival to its answer

            The slowest of the last minute
            AGO    TOOK  MOST OF IT IN          OP          PATH
            4 s  900 us  sync           400 us  Write       /src/a
            0 s  600 us  fuse           300 us  CreateFile  (gone)

          The limit is sync: the leader's disk. 46 % of the time of a change goes there, over the last seconds.
          """;
      assertTrue(shown.out().startsWith(expected), shown.out());
      assertTrue(shown.out().contains("The load of this machine is "), shown.out());
      assertEquals(4, asked.get().size(), "the newest and the slowest: " + asked);
    }
  }

  /** Ten seconds after the last mutation, when the worker reports no recent ones. */
  @Test
  void aLeaderThatIsHereIsTakenApartThoughNothingWasChangedLately() throws IOException {
    String idle = WORKER.replaceFirst("\"recent\":\\{.*?\\}\\}", "\"recent\":" + NO_CHANGES);
    JsonNode limit = limit(idle, LEADER);
    assertEquals("sync", limit.path("stage").asText(), limit::toString);
    assertTrue(limit.path("sentence").asText().contains("since the start"), limit::toString);
    assertTrue(limit.path("advice").asText().contains("faster disk"), limit::toString);
  }

  /** A leader keeps the timestamps of the newest mutations of all workers only. */
  @Test
  void aLeaderThatRemembersNoneOfTheseChangesIsJudgedByItsOwnFigures() throws IOException {
    String forgot = LEADER.replaceFirst("\"intents\":\\{.*\\}", "\"intents\":{}}");
    JsonNode limit = limit(WORKER, forgot);
    assertEquals("queue", limit.path("stage").asText(), "all have the same share: " + limit);
  }

  @Test
  void aLeaderThatKnowsNothingIsNotSaidToBeElsewhere() throws IOException {
    JsonNode limit = limit(WORKER, "{\"since_start\":{},\"intents\":{}}");
    assertEquals("leader", limit.path("stage").asText());
    assertTrue(limit.path("advice").asText().contains("started again"), limit::toString);
  }

  private JsonNode limit(String workerSays, String leaderSays) throws IOException {
    ObjectNode worker = json("{\"role\":\"worker\",\"workspace\":\"aa\",\"mount\":\"/ws/t\"}");
    ObjectNode leader = json("{\"role\":\"leader\",\"workspace\":\"aa\"}");
    try (AdminServer _ =
            AdminServer.start(
                run.resolve("worker-aa-fmd.sock"),
                Map.of("status", _ -> worker, "stages", _ -> json(workerSays)));
        AdminServer _ =
            AdminServer.start(
                run.resolve("leader-aa.sock"),
                Map.of("status", _ -> leader, "stages", _ -> json(leaderSays)))) {
      Invocation shown = Invocation.of("why-slow", "--json", "--run-dir", run.toString());
      assertEquals(0, shown.exitCode(), shown.err());
      return JSON.readTree(shown.out()).path("workers").get(0).path("limit");
    }
  }

  /** A snapshot, a collection and a worker that is behind take time from changes. */
  @Test
  void whatElseTheDaemonsAreBusyWithIsSaid() throws IOException {
    ObjectNode worker =
        json(
            """
            {"role":"worker","worker_id":"fmd","workspace":"aa","mount":"/ws/t","install":null,
             "catch_up":{"entries_behind":90000,"entries_per_s":3000.0,"ms_left":30000},
             "snapshots":{"taking":true},"chunk_cache":{"running":true}}
            """);
    ObjectNode leader =
        json(
            """
            {"role":"leader","workspace":"aa","log_bytes":1048576,"log_first_index":77,
             "snapshots":{"newest_index":123000,"newest_age_ms":61000,"newest_bytes_written":49152,
                          "last_took_ms":2,"taking":true},
             "gc":{"running":true,"last":{"bytes_live":3145728,"bytes_pinned":1048576,
                   "bytes_dead":2048,"pages_read":1234,"took_ms":850}}}
            """);
    try (AdminServer _ =
            AdminServer.start(
                run.resolve("worker-aa-fmd.sock"),
                Map.of("status", _ -> worker, "stages", _ -> json(WORKER)));
        AdminServer _ =
            AdminServer.start(
                run.resolve("leader-aa.sock"),
                Map.of("status", _ -> leader, "stages", _ -> json(LEADER)))) {
      String shown = Invocation.of("why-slow", "--run-dir", run.toString()).out();
      assertTrue(
          shown.contains(
              """
              Worker fmd is 90,000 entries behind, 3,000 a second, about 30s left
              The worker takes a snapshot now.
              The worker collects chunks now.
              The leader's log takes 1.0 MiB, from entry 77 on.
              Its newest snapshot is of entry 123,000, 1m 1s ago, wrote 48.0 KiB in 2.00 ms; it takes one now.
              Its last collection found 3.0 MiB live, pinned 1.0 MiB, dead 2.0 KiB; read 1,234 pages in 850.00 ms; one runs now.
              """),
          shown);
      JsonNode tree =
          JSON.readTree(Invocation.of("why-slow", "--json", "--run-dir", run.toString()).out())
              .path("workers")
              .get(0);
      assertEquals(worker.path("catch_up"), tree.path("catch_up"));
      assertEquals(77, tree.path("leader").path("log_first_index").asInt());
      assertEquals(leader.path("gc"), tree.path("leader").path("gc"));
    }
  }

  @Test
  void withoutTheLeaderItIsOneStageAndTheAdviceIsToLookThere() throws IOException {
    try (AdminServer _ = worker()) {
      Invocation shown = Invocation.of("why-slow", "--json", "--run-dir", run.toString());
      JsonNode worker = JSON.readTree(shown.out()).path("workers").get(0);
      assertFalse(worker.path("leader_is_here").asBoolean());
      assertEquals(700, worker.path("recent").path("leader").path("us_p50").asInt());
      assertTrue(worker.path("recent").path("sync").isMissingNode());
      assertEquals("leader", worker.path("limit").path("stage").asText());
      assertTrue(
          worker.path("limit").path("advice").asText().contains("on the leader's host"),
          shown::out);
      assertEquals("leader", worker.path("slowest").get(0).path("stage").asText());
    }
  }

  @Test
  void aMountThatNothingHasChangedSaysSo() {
    String unused = figures(0, 0).replace("\"count\":2", "\"count\":0");
    ObjectNode status = json("{\"role\":\"worker\",\"worker_id\":\"fmd\",\"mount\":\"/ws/t\"}");
    ObjectNode stages =
        json(
            """
            {"recent":{"fuse":%1$s,"total":%1$s},"since_start":{"fuse":%1$s,"total":%1$s},
             "newest":{},"slowest":[]}
            """
                .formatted(unused));
    try (AdminServer _ =
        AdminServer.start(
            run.resolve("worker-aa-fmd.sock"),
            Map.of("status", _ -> status, "stages", _ -> stages))) {
      Invocation shown = Invocation.of("why-slow", "--run-dir", run.toString());
      assertEquals(0, shown.exitCode(), shown.err());
      assertTrue(
          shown.out().contains("Nothing has been changed through this mount yet.\n"), shown.out());
    }
  }

  @Test
  void aPathOutsideSaysWhatIsMounted() {
    try (AdminServer _ = worker()) {
      Invocation outside = Invocation.of("why-slow", "/ws/tea", "--run-dir", run.toString());
      assertEquals(1, outside.exitCode());
      assertEquals(
          """
          hypersync: /ws/tea is in no workspace that a worker of this machine has mounted
            These are mounted:
            /ws/t
          """,
          outside.err());
    }
  }

  @Test
  void withoutAWorkerItSaysHowToStartOne() {
    Invocation none = Invocation.of("why-slow", "--run-dir", run.toString());
    assertEquals(1, none.exitCode());
    assertTrue(none.err().startsWith("hypersync: no worker runs on this machine"), none.err());
  }
}
