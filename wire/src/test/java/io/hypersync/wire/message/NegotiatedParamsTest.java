package io.hypersync.wire.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which parameters a worker accepts, and which it does not (hypersync.md 9.5). */
class NegotiatedParamsTest {
  private static final int UNKNOWN_BIT = 40;

  @Test
  void theDefaultsAreFine() {
    assertNull(NegotiatedParams.DEFAULT.problem(Features.NONE));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      textBlock =
          """
          0, 65536, 8192, 0, -
          1, 4096, 0, 1000, -
          1, 65536, 65536, 0, -
          2, 65536, 8192, 0, features 2 are not among those it was offered
          0, 0, 8192, 0, chunk_max is 0
          0, 4095, 8192, 0, chunk_max is 4095
          0, 65537, 8192, 0, chunk_max is 65537
          0, 2147483647, 8192, 0, chunk_max is 2147483647
          0, 65536, 65537, 0, inline_threshold is 65537
          0, 65536, 2147483647, 0, inline_threshold is 2147483647
          0, 65536, 8192, 1001, batch_window_ms is 1001
          """)
  void boundsAreChecked(
      long features, int chunkMax, int inline, int window, @Nullable String problem) {
    String said =
        new NegotiatedParams(new Features(features), chunkMax, inline, window)
            .problem(Features.of(Feature.QUIC_DATAGRAM));
    if (problem == null) {
      assertNull(said);
    } else {
      assertTrue(Objects.requireNonNull(said).startsWith(problem), said);
    }
  }

  @Test
  void whatBothHaveIsUsedAndWhatNobodyKnowsHasNoName() {
    Features theirs = new Features(1L << UNKNOWN_BIT | Features.of(Feature.RAPTORQ).bits());
    Features both = theirs.and(Features.of(Feature.RAPTORQ, Feature.COMPRESSION));
    assertEquals(Features.of(Feature.RAPTORQ), both);
    assertEquals(List.of("raptorq"), theirs.names());
    assertTrue(both.isWithin(theirs));
  }

  @Test
  void ofTwoRevisionsTheOlderIsNamed() {
    assertNull(Protocol.revisionProblem(2, 2));
    assertEquals(
        "the worker is older than the leader: it speaks revision 1 of hypersync/1, the leader 2;"
            + " update HyperSync on the worker's host",
        Protocol.revisionProblem(1, 2));
    String newer = Objects.requireNonNull(Protocol.revisionProblem(3, 2));
    assertTrue(newer.contains("is newer") && newer.contains("the leader's host"), newer);
    assertTrue(Protocol.isAboutRevision(newer));
  }
}
