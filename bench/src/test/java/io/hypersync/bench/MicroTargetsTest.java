package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.bench.micro.Figure;
import io.hypersync.bench.micro.MicroSuite;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("An aim for a part")
final class MicroTargetsTest {
  private static Figure figure(
      MicroSuite subject, String method, String param, String value, double us, double p99Us) {
    return new Figure(
        subject, method, Map.of(param, value), Optional.empty(), us, us, Optional.of(p99Us));
  }

  private static List<String> verdicts(Figure... figures) {
    return MicroTargets.of(List.of(figures)).stream()
        .map(aim -> aim.key() + " " + aim.met())
        .toList();
  }

  @ParameterizedTest(name = "{0} bytes in {1} us, {2} us by Codec: {3}")
  @CsvSource({
    "65536, 10, 100,  blake3_64k_times_codec true",
    "65536, 10, 99.9, blake3_64k_times_codec false",
    "4096,  2,  10,   blake3_4k_times_codec true",
    "4096,  2,  9.9,  blake3_4k_times_codec false",
  })
  @DisplayName("asks hashes for a multiple of Commons Codec's speed")
  void timesCodec(String bytes, double ours, double codec, String expected) {
    assertEquals(
        List.of(expected),
        verdicts(
            figure(MicroSuite.BLAKE3, "ours", "bytes", bytes, ours, ours),
            figure(MicroSuite.BLAKE3, "codec", "bytes", bytes, codec, codec)));
  }

  @ParameterizedTest(name = "{0}.{1} {2}={3}, {4} us, p99 {5} us: {6}")
  @CsvSource({
    "BLAKE3, ours,                   bytes,   64,      0.149,  1,     blake3_block_ns true",
    "BLAKE3, ours,                   bytes,   64,      0.150,  0.1,   blake3_block_ns false",
    "MERKLE, writeOneChunk,          files,   1000000, 20,     9.9,   merkle_one_chunk_p99 true",
    "MERKLE, writeOneChunk,          files,   1000000, 5,      10,    merkle_one_chunk_p99 false",
    "MERKLE, truncateThousandChunks, files,   1000000, 5,      99.9,  merkle_thousand_chunks_p99 true",
    "MERKLE, truncateThousandChunks, files,   1000000, 5,      100,   merkle_thousand_chunks_p99 false",
    "MERKLE, proof,                  files,   1000000, 5,      999,   merkle_proof_p99 true",
    "MERKLE, proof,                  files,   1000000, 5,      1000,  merkle_proof_p99 false",
    "LEADER, commit,                 workers, 8,       50,     99999, leader_commits_per_s true",
    "LEADER, commit,                 workers, 8,       50.1,   1,     leader_commits_per_s false",
    "RAPTORQ, encode,                any,     1,       65.5,   99999, raptorq_encode_gb_per_s true",
    "RAPTORQ, encode,                any,     1,       65.6,   1,     raptorq_encode_gb_per_s false",
    "RAPTORQ, decodeLost,            any,     1,       131,    1,     raptorq_decode_lost_gb_per_s true",
    "RAPTORQ, decodeLost,            any,     1,       131.1,  1,     raptorq_decode_lost_gb_per_s false",
    "RAPTORQ, decodeWhole,           any,     1,       32.7,   1,     raptorq_decode_whole_gb_per_s true",
    "RAPTORQ, decodeWhole,           any,     1,       32.8,   1,     raptorq_decode_whole_gb_per_s false",
  })
  @DisplayName("is met at its limit or before, and not behind it")
  void limits(
      MicroSuite subject,
      String method,
      String param,
      String value,
      double us,
      double p99Us,
      String expected) {
    assertEquals(List.of(expected), verdicts(figure(subject, method, param, value, us, p99Us)));
  }

  @Test
  @DisplayName("is not there when what it is about was not measured")
  void notMeasured() {
    assertEquals(
        List.of(),
        verdicts(
            figure(MicroSuite.MERKLE, "proof", "files", "20", 1, 1),
            figure(MicroSuite.LEADER, "commit", "workers", "1", 1, 1),
            figure(MicroSuite.BLAKE3, "ours", "bytes", "4096", 1, 1),
            figure(MicroSuite.BLAKE3, "codec", "bytes", "65536", 100, 100),
            figure(MicroSuite.MERKLE, "writeThousandChunks", "files", "1000000", 1, 1)));
  }

  @Test
  @DisplayName("is in the report for people and in that for programs")
  void report() {
    SuiteResult findings =
        MicroReport.of(
            new Load(Figures.MACHINE, 0, 0),
            List.of(figure(MicroSuite.LEADER, "commit", "workers", "8", 40, 40)));
    assertTrue(
        findings
            .text()
            .endsWith(
                """
                Aims
                  met      20,000 commits a second by a leader with 8 simulated workers
                           here: 25,000
                """),
        findings::text);
    assertEquals("leader_commits_per_s", findings.json().at("/aims/0/aim").asText());
    assertTrue(findings.json().at("/aims/0/met").asBoolean());
  }
}
