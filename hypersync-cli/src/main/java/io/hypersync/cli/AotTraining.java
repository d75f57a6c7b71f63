package io.hypersync.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.cli.robot.Robot;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Training run for the AOT cache of short commands: asks for the status of fake daemons. The build
 * runs this class once and the JVM records the classes that were loaded, so later commands start
 * faster.
 */
final class AotTraining {
  private static final String LEADER =
      """
      {"role":"leader","workspace":"00112233445566778899aabbccddeeff","workspace_name":"team",
       "pid":4711,"uptime_ms":3723000,"address":"0.0.0.0:7890","leader_epoch":"00000000000000aa",
       "commit_index":123456,"root":"abcdef0123456789","files":1200,"bytes":1536,
       "log_bytes":1048576,"chunk_bytes":5,"commit_latency_us_p50":420,
       "commit_latency_us_p99":1234,"lag_seconds":0.5,"address_of_old":null,
       "workers":[
         {"worker_id":"fmd","connected":true,"address":"10.0.0.2:5000","applied_index":123456,
          "lag":0,"read_only":false,"root":"abcdef0123456789","apply_error":null}]}
      """;
  private static final String WORKER =
      """
      {"role":"worker","worker_id":"fmd","workspace":"00112233445566778899aabbccddeeff",
       "pid":4712,"mount":"/ntmfs/ws/team","connected":true,"read_only":false,
       "applied_index":123456,"commit_index":5000000000,"root":"abcdef0123456789",
       "apply_error":null,"commit_latency_us_p50":600,"commit_latency_us_p99":2500000}
      """;

  private static final String HAZARDS =
      """
      {"commit_index":123456,"entries":[
        {"log_index":7,"committed_at":"2026-08-22T10:00:00.000000001Z","worker_id":"fmd",
         "agent":"BlueLake","hazards":[
           {"kind":"overlapping_write","conflicts_with":6,"agent":"Red","worker_id":"yto",
            "path":"a","node":"n"}]}]}
      """;
  private static final String RESERVATIONS =
      """
      {"source":"archive","fresh":true,"age_ms":12,"last_error":"","active":1,"conflicts":0,
       "held":[{"agent":"Red","pattern":"*.go","exclusive":true,"project":"/ws","id":1,
                "expires_at":"2099-01-01T00:00:00Z","expires_in_ms":60000}],
       "conflicting":[]}
      """;
  private static final List<String> ROBOTS =
      List.of(
          "snapshot",
          "status",
          "workers --limit 10",
          "hazards --since 1h",
          "reservations",
          "health",
          "place --count 3 --explain",
          "capabilities");

  private AotTraining() {}

  /** Takes no arguments; prints only if it fails. */
  public static void main(String[] args) throws IOException {
    FastStatus.hasten();
    train(Files.createTempDirectory("hypersync-training-"));
  }

  /**
   * Puts the admin sockets of the fake daemons into directory {@code run}, asks them, and removes
   * the directory.
   */
  static void train(Path run) throws IOException {
    try (AdminServer _ = daemon(run.resolve("leader-00112233.sock"), LEADER);
        AdminServer _ = daemon(run.resolve("worker-00112233-fmd.sock"), WORKER)) {
      ask(run, List.of("status", "--json"));
      ask(run, List.of("status"));
      for (String line : ROBOTS) {
        askRobot(run, List.of(line.split(" ", -1)));
      }
      Mounts.probe(run); // loads the mount probe even if nothing is mounted on this machine
    } finally {
      Files.delete(run);
    }
  }

  private static AdminServer daemon(Path socket, String status) throws IOException {
    ObjectMapper json = new ObjectMapper();
    ObjectNode tree = (ObjectNode) json.readTree(status);
    AdminCommand answer = _ -> tree;
    JsonNode hazards = json.readTree(HAZARDS);
    JsonNode reservations = json.readTree(RESERVATIONS);
    AdminCommand allHazards = _ -> hazards;
    AdminCommand allReservations = _ -> reservations;
    // Each answer is a new tree: who asks may change it.
    AdminCommand place = _ -> JsonNodeFactory.instance.objectNode().put("unplaced", 0);
    return AdminServer.start(
        socket,
        Map.of(
            "status",
            answer,
            "hazards",
            allHazards,
            "reservations",
            allReservations,
            "place",
            place));
  }

  private static void askRobot(Path run, List<String> words) {
    PrintWriter out = Main.writer(OutputStream.nullOutputStream());
    PrintWriter err = Main.writer(System.err);
    int exitCode =
        Robot.run(
            words,
            Map.of(RunDirectory.VARIABLE, run.toString()),
            run,
            ProcessHandle.current().info().startInstant().orElseGet(Instant::now),
            out,
            err);
    if (exitCode != 0) {
      throw new IllegalStateException("robot " + words + " ends with " + exitCode);
    }
  }

  private static void ask(Path run, List<String> args) {
    PrintWriter out = Main.writer(OutputStream.nullOutputStream());
    PrintWriter err = Main.writer(System.err);
    int exitCode = FastStatus.run(args, Map.of(RunDirectory.VARIABLE, run.toString()), out, err);
    if (exitCode != 0) {
      throw new IllegalStateException("the daemons of the training run do not answer");
    }
  }
}
