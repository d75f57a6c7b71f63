package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.runtime.admin.AdminServer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code status} and {@code log} with daemons whose answers are scripted. */
final class StatusAndLogTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path run;

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text);
    } catch (IOException malformed) {
      throw new AssertionError(malformed);
    }
  }

  private static ObjectNode leaderStatus() {
    return json(
        """
        {"role":"leader","workspace":"00112233445566778899aabbccddeeff","workspace_name":"team",
         "pid":4711,"uptime_ms":3723000,"address":"0.0.0.0:7890","leader_epoch":"00000000000000aa",
         "commit_index":123456,"root":"abcdef0123456789","files":1200,"bytes":1536,
         "log_bytes":1048576,"log_preallocated_bytes":786432,"chunk_bytes":5,"commit_latency_us_p50":420,
         "commit_latency_us_p99":1234,
         "workers":[
           {"worker_id":"fmd","connected":true,"address":"10.0.0.2:5000","applied_index":123456,
            "lag":0,"read_only":false,"root":"abcdef0123456789","apply_error":null,
            "local_pressure":{"cpu_percent":7,"memory_percent":64,"disk_percent":100}},
           {"worker_id":"yto","connected":true,"address":"10.0.0.3:5000","applied_index":123000,
            "lag":456,"read_only":true,"root":"ffff",
            "apply_error":{"log_index":123001,"errno":"ENOSPC","message":"disk full"}},
           {"worker_id":"css","connected":false,"applied_index":1,"lag":123455}]}
        """);
  }

  private static ObjectNode workerStatus() {
    return json(
        """
        {"role":"worker","worker_id":"fmd","workspace":"00112233445566778899aabbccddeeff",
         "pid":4712,"mount":"/ntmfs/ws/team","connected":true,"read_only":false,
         "applied_index":123456,"commit_index":123460,"root":"abcdef0123456789",
         "apply_error":null,"mutations":10,"reads_that_fetched":17,"commit_latency_us_p50":600,
         "commit_latency_us_p99":2500000}
        """);
  }

  private AdminServer leader() {
    ObjectNode log =
        json(
            """
            {"commit_index":2,"entries":[
              {"log_index":1,"committed_at":"2026-03-01T12:00:00.000000001Z","worker_id":"fmd","agent":"",
               "op":"MakeDir","detail":"src","root":"00ff00ff00ff00ff"},
              {"log_index":2,"committed_at":"2026-03-01T12:00:00.000000002Z","worker_id":"yto","agent":"Blue\\u001b[2JLake",
               "op":"CreateFile","detail":"a\\u001b[31m\\u009bb\\u202e\\n","root":"11ff00ff00ff00ff"}]}
            """);
    return AdminServer.start(
        run.resolve("leader-00112233.sock"),
        Map.of(
            "status", args -> leaderStatus(),
            "log", args -> args.path("tail").asInt() == 7 ? log : json("{\"entries\":[]}")));
  }

  private AdminServer worker() {
    return AdminServer.start(
        run.resolve("worker-00112233-fmd.sock"), Map.of("status", args -> workerStatus()));
  }

  private void leaveDeadSocket(String name) throws IOException {
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(run.resolve(name)));
    }
  }

  @Test
  void statusShowsTheLeaderItsWorkersAndTheMountsOfThisMachine() throws IOException {
    leaveDeadSocket("worker-00112233-old.sock");
    try (AdminServer _ = leader();
        AdminServer _ = worker()) {
      Invocation status = Invocation.of("status", "--run-dir", run.toString());
      assertEquals(0, status.exitCode(), status.err());
      assertEquals(
          """
          Leader of workspace team (001122334455), pid 4711, up 1h 2m, listens on 0.0.0.0:7890
            commit index  123,456                root    abcdef012345
            files         1,200                  data    1.5 KiB
            log           256.0 KiB              chunks  5 B
            preallocated  768.0 KiB              for     the log
            commit p50    420 us                 p99     1.23 ms
            WORKER  STATE                      APPLIED      LAG  ROOT          CHUNKS  CPU  MEM  DISK  ADDRESS
            fmd     ok                         123,456        0  abcdef012345  -        7%%  64%%  100%%  10.0.0.2:5000
            yto     stopped at 123001: ENOSPC  123,000      456  ffff          -         -    -     -  10.0.0.3:5000
            css     disconnected                     1  123,455  -             -         -    -     -  -

          Workers on this machine
            WORKER  MOUNT           STATE  APPLIED  LAG  ROOT          FETCHED     P50     P99   PID
            fmd     /ntmfs/ws/team  ok     123,456    4  abcdef012345       17  600 us  2.50 s  4712

          The worker of %s/worker-00112233-old.sock is dead.
          """
                  .formatted(run)
              + deadMounts("\n"),
          status.out());
    }
  }

  @Test
  void statusSaysWhatSnapshotsAndCollectionsCostAndHowFarWorkersAre() {
    ObjectNode leader = leaderStatus();
    leader.put("log_first_index", 1_001);
    leader.put("log_trimmed_for_size", 700);
    leader.set(
        "snapshots",
        json(
            """
            {"newest_index":123000,"newest_age_ms":61000,"newest_pages_written":12,
             "newest_bytes_written":49152,"last_took_ms":1230,"count":2}
            """));
    leader.set(
        "gc",
        json(
            """
            {"last":{"bytes_live":3145728,"bytes_pinned":1048576,"bytes_dead":2048,
                     "pages_read":1234,"took_ms":850}}
            """));
    leader.set(
        "workers",
        json("""
                {"all":[
                 {"worker_id":"fmd","connected":true,"applied_index":23456,"lag":100000,
                  "catch_up":{"entries_behind":100000,"entries_per_s":2500.4,"ms_left":62000}},
                 {"worker_id":"yto","connected":true,"applied_index":23456,"lag":100000,
                  "catch_up":{"entries_behind":100000,"entries_per_s":null,"ms_left":null}},
                 {"worker_id":"css","connected":true,"applied_index":0,"lag":123456,
                  "installing":true,"catch_up":{"entries_behind":123456}},
                 {"worker_id":"ok","connected":true,"applied_index":123400,"lag":56,
                  "catch_up":{"entries_behind":56,"entries_per_s":300.0,"ms_left":1}}]}
                """)
            .path("all"));
    ObjectNode installing = workerStatus();
    installing.set(
        "install",
        json(
            """
            {"index":123000,"pages":300,"pages_estimate":1200,"bytes":1048576,
             "bytes_estimate":4194304,"pages_per_s":100.0,"ms_left":9000}
            """));
    try (AdminServer _ =
            AdminServer.start(run.resolve("leader-00112233.sock"), Map.of("status", _ -> leader));
        AdminServer _ =
            AdminServer.start(
                run.resolve("worker-00112233-fmd.sock"), Map.of("status", _ -> installing))) {
      String shown = Invocation.of("status", "--run-dir", run.toString()).out();
      for (String line :
          new String[] {
            "  snapshot      entry 123,000                  1m 1s ago, wrote 48.0 KiB in 1.23 s\n",
            "  log begins    entry 1,001            snapshots 2\n",
            "  log too large 700 entries gone       for     log.max_bytes, before their time\n",
            "  collection    3.0 MiB live           pinned  1.0 MiB, dead 2.0 KiB; read 1,234 pages in 850.00 ms\n",
            "  fmd is 100,000 entries behind, 2,500 a second, about 1m 2s left\n",
            "  yto is 100,000 entries behind, it is not known how long that takes\n",
            "  css installs a snapshot; its own status says how far it is\n",
            "  fmd installs the snapshot of entry 123,000: 300 of about 1,200 pages, 1.0 MiB of about"
                + " 4.0 MiB, 100 a second, about 9s left\n",
          }) {
        assertTrue(shown.contains(line), line + shown);
      }
      assertTrue(!shown.contains("ok is"), shown);
      assertTrue(shown.contains("  css     installing "), shown);
    }
  }

  /**
   * The part of the report about real dead mounts of this machine, which the test cannot control.
   */
  private static String deadMounts(String before) {
    String text =
        Mounts.all().stream()
            .filter(mount -> Mounts.probe(mount) == Mounts.Health.DEAD)
            .map(
                mount ->
                    mount
                        + " is the mount of a dead worker; clear it away with: ./hypersync umount "
                        + mount
                        + "\n")
            .collect(Collectors.joining("\n"));
    return text.isEmpty() ? "" : before + text;
  }

  @Test
  void statusSaysWhoHasLeftAndWhoIsNotLetIn() {
    ObjectNode leader = leaderStatus();
    leader.putArray("workers");
    leader.set(
        "absent",
        json("""
        {"all":[
        {"worker_id":"yto","state":"diverged","address":"10.0.0.3:5","reason":"other root",
         "since_ms":61000,"times":3},
        {"worker_id":"css","state":"duplicate","address":"10.0.0.4:5","reason":"is there",
         "since_ms":1000,"times":2},
        {"worker_id":"fmd","state":"left","address":"10.0.0.2:5","reason":"timeout",
         "since_ms":5000,"times":1}]}
        """)
            .path("all"));
    try (AdminServer _ =
        AdminServer.start(run.resolve("leader-00112233.sock"), Map.of("status", _ -> leader))) {
      String shown = Invocation.of("status", "--run-dir", run.toString()).out();
      assertTrue(
          shown.contains(
              """
                no worker is connected

                NOT HERE  STATE       SINCE  TIMES  ADDRESS     WHY
                yto       diverged    1m 1s      3  10.0.0.3:5  other root
                css       used twice     1s      2  10.0.0.4:5  is there: two machines use its token; make another for one of them
                fmd       left           5s      1  10.0.0.2:5  timeout
              """
                  .indent(0)),
          shown);
    }
  }

  @Test
  void noWorkerHasConnectedYetIsSaidOnlyWhenItIsTrue() {
    ObjectNode leader = leaderStatus();
    leader.putArray("workers");
    try (AdminServer _ =
        AdminServer.start(run.resolve("leader-00112233.sock"), Map.of("status", _ -> leader))) {
      assertTrue(
          Invocation.of("status", "--run-dir", run.toString())
              .out()
              .contains("  no worker has connected since the leader was started\n"));
      leader.put("commit_index", 1);
      assertTrue(
          Invocation.of("status", "--run-dir", run.toString())
              .out()
              .contains("  no worker has connected yet\n"));
      leader.put("workers_greeted", 1);
      assertTrue(
          Invocation.of("status", "--run-dir", run.toString())
              .out()
              .contains("  no worker is connected\n"));
    }
  }

  @Test
  void aWorkerThatWaitsSaysForWhomSinceWhenAndWhy() {
    ObjectNode waiting =
        workerStatus()
            .put("mounted", false)
            .put("connected", false)
            .put("link", "down")
            .put("leader", "10.0.0.1:7890")
            .put("link_down_ms", 62_000)
            .put("link_reason", "no answer\u001b[2J");
    try (AdminServer _ =
        AdminServer.start(
            run.resolve("worker-00112233-fmd.sock"), Map.of("status", _ -> waiting))) {
      String shown = Invocation.of("status", "--run-dir", run.toString()).out();
      assertTrue(
          shown.contains(
              "  fmd waits for the leader at 10.0.0.1:7890 for 1m 2s: no answer\\x1b[2J\n"),
          shown);
      assertTrue(shown.contains("  waiting  "), shown);
      waiting.put("link", "refused").put("link_reason", "diverged");
      shown = Invocation.of("status", "--run-dir", run.toString()).out();
      assertTrue(
          shown.contains("  fmd is refused by the leader at 10.0.0.1:7890 for 1m 2s: diverged\n"),
          shown);
    }
  }

  @Test
  void statusAsJsonIsWhatTheDaemonsSay() throws IOException {
    leaveDeadSocket("worker-00112233-old.sock");
    try (AdminServer _ = leader();
        AdminServer _ = worker()) {
      Invocation status = Invocation.of("status", "--json", "--run-dir", run.toString());
      JsonNode tree = JSON.readTree(status.out());
      assertEquals(leaderStatus(), tree.path("leaders").get(0));
      assertEquals(workerStatus(), tree.path("workers").get(0));
      assertEquals("worker", tree.path("dead").get(0).path("role").asText());
    }
  }

  @Test
  void statusWithoutAnyDaemonSaysSoAndExitsWithOne() {
    Invocation status = Invocation.of("status", "--run-dir", run.toString());
    assertEquals(1, status.exitCode());
    assertEquals(
        "No HyperSync daemon runs on this machine (looked in " + run + ").\n" + deadMounts(""),
        status.out());
  }

  @Test
  void aSingleDaemonCanBeAsked() {
    try (AdminServer _ = leader();
        AdminServer worker = worker()) {
      Invocation status = Invocation.of("status", "--socket", worker.socket().toString());
      assertTrue(status.out().startsWith("Workers on this machine\n"), status.out());
    }
  }

  @Test
  void logShowsTheNewestEntriesAndNoControlCharacters() {
    try (AdminServer _ = leader()) {
      Invocation log = Invocation.of("log", "--tail", "7", "--run-dir", run.toString());
      assertEquals(
          """
          INDEX  COMMITTED AT                    WORKER  AGENT            OP          DETAIL                      ROOT
              1  2026-03-01T12:00:00.000000001Z  fmd     -                MakeDir     src                         00ff00ff00ff
              2  2026-03-01T12:00:00.000000002Z  yto     Blue\\x1b[2JLake  CreateFile  a\\x1b[31m\\u009bb\\u202e\\x0a  11ff00ff00ff
          """,
          log.out());
    }
  }

  @Test
  void logAsksForTheEntriesOfAnAgent() {
    ObjectNode one =
        json(
            """
            {"entries":[{"log_index":3,"committed_at":"t","worker_id":"fmd","agent":"Lake",
              "op":"MakeDir","detail":"src","root":"00"}]}
            """);
    try (AdminServer _ =
        AdminServer.start(
            run.resolve("leader-00112233.sock"),
            Map.of(
                "status", _ -> leaderStatus(),
                "log",
                    args ->
                        "Lake".equals(args.path("agent").asText())
                            ? one
                            : json("{\"commit_index\":9,\"oldest_index\":2,\"entries\":[]}")))) {
      Invocation log = Invocation.of("log", "--agent", "Lake", "--run-dir", run.toString());
      assertTrue(log.out().contains("fmd     Lake   MakeDir"), log.out());
      assertEquals(
          "There is no such entry; the log has entries from 2 to 9. Without --since the newest"
              + " 100,000 are looked at.\n",
          Invocation.of("log", "--agent", "River", "--run-dir", run.toString()).out());
    }
  }

  @Test
  void statusShowsWhichAgentsHaveChangedSomething() {
    ObjectNode busy = workerStatus();
    for (int i = 0; i < 14; i++) {
      busy.withObject("/agents")
          .withArray("/seen")
          .addObject()
          .put("agent", i == 0 ? "Blue\u001b[2JLake" : "agent" + i)
          .put("calls", 7)
          .put("last_call_ms", 61_000L * i);
    }
    try (AdminServer _ =
        AdminServer.start(run.resolve("worker-00112233-fmd.sock"), Map.of("status", _ -> busy))) {
      String out = Invocation.of("status", "--run-dir", run.toString()).out();
      assertTrue(
          out.contains("  agents on fmd: Blue\\x1b[2JLake (0s ago), agent1 (1m 1s ago), "), out);
      assertTrue(out.contains("agent11 (11m 11s ago), 2 more\n"), out);
    }
  }

  @Test
  void logOnTheHostOfAWorkerSaysWhereTheLogIs() {
    ObjectNode joined = workerStatus().put("leader", "10.0.0.1:7890");
    try (AdminServer _ =
        AdminServer.start(run.resolve("worker-00112233-fmd.sock"), Map.of("status", _ -> joined))) {
      Invocation log = Invocation.of("log", "--run-dir", run.toString());
      assertEquals(1, log.exitCode());
      assertEquals(
          "hypersync: no leader runs on this machine (looked in "
              + run
              + ")\n  The log is with the leader of this machine's worker, at 10.0.0.1:7890: run"
              + " this on that host.\n",
          log.err());
    }
  }

  @Test
  void logOfAnEmptyWorkspaceSaysSo() {
    try (AdminServer _ = leader()) {
      assertEquals("The log is empty.\n", Invocation.of("log", "--run-dir", run.toString()).out());
    }
  }

  @Test
  void logNeedsToKnowWhichLeader() {
    ObjectNode other = leaderStatus().put("workspace_name", "other").put("workspace", "ff");
    try (AdminServer _ = leader();
        AdminServer _ =
            AdminServer.start(
                run.resolve("leader-ffffffff.sock"),
                Map.of(
                    "status",
                    args -> other,
                    "log",
                    args -> JsonNodeFactory.instance.objectNode()))) {
      Invocation unclear = Invocation.of("log", "--run-dir", run.toString());
      assertEquals(2, unclear.exitCode());
      assertEquals(
          "hypersync: 2 leaders run on this machine\n  Say which: --workspace team or other\n",
          unclear.err());
      Invocation clear = Invocation.of("log", "--run-dir", run.toString(), "--workspace", "other");
      assertEquals(0, clear.exitCode(), clear.err());
    }
  }
}
