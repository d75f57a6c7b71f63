package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Daemons of a host by their answers: a leader {@code team} with two workers, one of which is on
 * this host. Each call of {@link #second} is a second later.
 */
final class Answers {
  static final String LEADER = "/run/hypersync/leader-00112233.sock";
  static final String WORKER = "/run/hypersync/worker-00112233-fmd.sock";
  static final String WORKSPACE = "00112233445566778899aabbccddeeff";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NS_PER_S = 1_000_000_000;

  private final TopModel model = new TopModel("/run/hypersync");
  private final Map<String, String> sockets = new HashMap<>();
  private long nowNs = NS_PER_S;

  Answers() {
    sockets.put(LEADER, "leader");
    sockets.put(WORKER, "worker");
    present();
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException malformed) {
      throw new AssertionError(text, malformed);
    }
  }

  TopModel model() {
    return model;
  }

  long nowNs() {
    return nowNs;
  }

  void later(int seconds) {
    nowNs += seconds * NS_PER_S;
  }

  void present() {
    model.present(sockets, Map.of(), 0, nowNs);
  }

  /** One question is open since then. */
  void open(String socket, long sinceNs) {
    model.present(sockets, Map.of(socket, sinceNs), 0, nowNs);
  }

  /** A socket is there, or not any more. */
  void socket(String socket, String role) {
    sockets.put(socket, role);
    present();
  }

  void gone(String socket) {
    sockets.keySet().removeAll(Set.of(socket));
    present();
  }

  void answer(String socket, Question question, JsonNode value) {
    tell(socket, question, new Observation.Outcome.Answer(value));
  }

  void tell(String socket, Question question, Observation.Outcome outcome) {
    model.accept(new Observation(socket, sockets.get(socket), question, outcome, nowNs));
  }

  /** The status of the leader and of its worker, with so many commits and calls of BlueLake. */
  void second(long commits, long calls) {
    nowNs += NS_PER_S;
    answer(LEADER, Question.STATUS, leader(commits));
    answer(WORKER, Question.STATUS, worker(commits, calls));
  }

  static JsonNode leader(long commits) {
    return json(
        """
        {"role":"leader","workspace":"%s","workspace_name":"team","pid":7,"uptime_ms":3723000,
         "leader_epoch":"aa","term":3,"commit_index":%d,"address":"10.0.0.1:7890",
         "commit_latency_us_p50":850,"commit_latency_us_p99":4200,
         "bytes":1048576,"log_bytes":2097152,"chunk_bytes":3145728,
         "hazards":{"overlapping_write":2,"destroyed_work":1},
         "locks":{"held":2,"waiting":1,"deadlocks":0,"expired":0},
         "gc":{"last":{"bytes_live":3000000,"bytes_dead":1000,"pins":[
           {"kind":"snapshot","index":90,"name":"before","bytes":2048,
            "since":"2026-11-20T00:00:00Z"}]}},
         "workers":[
           {"worker_id":"fmd","connected":true,"applied_index":%d,"lag":0,"address":"10.0.0.2:1",
            "read_only":false,"local_pressure":{"cpu_percent":12,"memory_percent":40,
            "disk_percent":70,"sync_lag_ms":1.5,"commit_rtt_ms":2.25,"agents":2}},
           {"worker_id":"yto","connected":true,"applied_index":%d,"lag":40,"address":"10.0.0.3:1",
            "read_only":true}],
         "absent":[{"worker_id":"old","state":"left","since_ms":60000,"address":"10.0.0.4:1",
                    "reason":"it was unmounted"}]}
        """
            .formatted(WORKSPACE, commits, commits, commits - 40));
  }

  static JsonNode worker(long commits, long calls) {
    return json(
        """
        {"role":"worker","worker_id":"fmd","workspace":"%s","pid":8,"uptime_ms":60000,
         "mount":"/ntmfs/ws/team","mounted":true,"connected":true,"read_only":false,"link":"live",
         "leader":"10.0.0.1:7890","applied_index":%d,"commit_index":%d,"mutations":%d,
         "catch_up":{"entries_behind":0},"commit_latency_us_p50":1200,
         "commit_latency_us_p99":9000,"chunk_cache":{"bytes":4096,"max_bytes":null},
         "agents":{"unknown_calls":5,"seen":[
           {"agent":"BlueLake","calls":%d,"last_call_ms":100},
           {"agent":"RedFox","calls":9,"last_call_ms":62000}]}}
        """
            .formatted(WORKSPACE, commits, commits, calls, calls));
  }

  /** Most changes are in what tools can make again, the others in this file. */
  static JsonNode hot(String file) {
    return json(
        """
        {"seconds":2,"ops":{"Write":100},
         "directories":[
           {"path":"web/node_modules","mutations":80,"bytes":8000,"created":40,"removed":0}],
         "paths":[
           {"path":"web/node_modules/x.js","mutations":80,"bytes":8000},
           {"path":"%s","mutations":20,"bytes":40}]}
        """
            .formatted(file));
  }

  /** An entry that overlaps with one of another agent. */
  static String hazard(long index, String agent, String path) {
    return """
    {"log_index":%d,"committed_at":"2026-11-28T14:03:22.123456789Z","agent":"%s",
     "worker_id":"fmd","op":"Write","detail":"3 bytes","hazards":[
      {"kind":"destroyed_work","severity":"warning","conflicts_with":%d,"agent":"RedFox",
       "worker_id":"yto","path":"%s","node":"n"}]}
    """
        .formatted(index, agent, index - 1, path);
  }
}
