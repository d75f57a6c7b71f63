package io.hypersync.trace;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.cli.trace.TraceException;
import io.hypersync.cli.trace.TraceReader;
import io.hypersync.cli.trace.TraceReplay;
import io.hypersync.cli.trace.TraceReport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No bit of a trace may change unnoticed, even if the check hashes are recomputed (22.2). */
final class TraceDamageTest {
  private static final long SEED = 20_261_122;
  private static final int FLIPS = 600;
  private static final int FIRST_RECORD = 8;

  private static final byte[] TRACE = trace();

  private static byte[] trace() {
    return assertDoesNotThrow(() -> TraceHistory.of(SEED, 60).trace());
  }

  private static TraceReport replay(byte[] bytes) throws IOException {
    return TraceReplay.replay(
        new TraceReader(new ByteArrayInputStream(bytes)), new InMemoryChunkStore(), _ -> {});
  }

  @Test
  void anyFlippedBitIsRefusedWithTheReason() {
    Random random = new Random(SEED);
    for (int i = 0; i < FLIPS; i++) {
      int bit = i < 64 ? i : random.nextInt(TRACE.length * 8);
      byte[] damaged = TRACE.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      TraceException refusal =
          assertThrows(TraceException.class, () -> replay(damaged), "seed " + SEED + " bit " + bit);
      assertTrue(
          refusal
              .getMessage()
              .matches(
                  "(damaged in the record at byte \\d+|not a trace): .+|a trace of version .+"),
          refusal.getMessage());
    }
  }

  @Test
  void anyPartAloneIsRefused() {
    for (int length = 0; length < TRACE.length; length += 1 + length / 50) {
      byte[] part = Arrays.copyOf(TRACE, length);
      assertThrows(TraceException.class, () -> replay(part), "the first " + length + " bytes");
    }
    byte[] longer = Arrays.copyOf(TRACE, TRACE.length + 1);
    assertThrows(TraceException.class, () -> replay(longer), "and a byte more");
  }

  /** Kinds of records that are changed before the check hashes are recomputed. */
  enum Forgery {
    CHUNK(2),
    ENTRY(1),
    CHECKPOINT(3);

    private final int kind;

    Forgery(int kind) {
      this.kind = kind;
    }
  }

  /** With valid check hashes, only the replica's own verification can detect the change. */
  @ParameterizedTest
  @EnumSource
  void whatIsForgedIsRefusedByTheReplica(Forgery forgery) throws IOException {
    List<Integer> records = ForgedTrace.recordsOf(TRACE, forgery.kind);
    Random random = new Random(SEED);
    for (int i = 0; i < 60; i++) {
      int record = records.get(random.nextInt(records.size()));
      byte[] forged = ForgedTrace.flip(TRACE, record, random);
      String where = "seed " + SEED + " round " + i;
      try {
        TraceReport report = replay(forged);
        if (forgery == Forgery.CHUNK) {
          fail(where + ": a forged chunk was taken");
        } else if (forgery == Forgery.CHECKPOINT) {
          assertNotNull(report.mismatch(), where);
        } else {
          assertHarmless(record, report, where);
        }
      } catch (TraceException e) {
        assertTrue(e.getMessage().startsWith("damaged"), e.getMessage());
      }
    }
  }

  /**
   * Pages and the state that a trace begins with. Bits of its manifest that say nothing of the tree
   * change no root.
   */
  @Test
  void whatIsForgedOfTheStateThatItBeginsWithIsRefused() throws IOException {
    Random random = new Random(SEED);
    byte[] whole = TraceHistory.trimmed(SEED, 260, 230);
    int state = ForgedTrace.recordsOf(whole, 5).getFirst();
    List<Integer> pages = ForgedTrace.recordsOf(whole, 2).stream().filter(i -> i < state).toList();
    assertTrue(pages.size() > 2, pages::toString);
    for (int i = 0; i < 60; i++) {
      String where = "seed " + SEED + " round " + i;
      byte[] page = ForgedTrace.flip(whole, pages.get(random.nextInt(pages.size())), random);
      assertThrows(TraceException.class, () -> replay(page), where);
      try {
        TraceReport report = replay(ForgedTrace.flip(whole, state, random));
        if (report.mismatch() == null) {
          assertEquals(replay(whole).root(), report.root(), where);
        }
      } catch (TraceException e) {
        assertTrue(e.getMessage().startsWith("damaged"), e.getMessage());
      }
    }
  }

  @Test
  void aMissingPageIsNamed() throws IOException {
    byte[] without = ForgedTrace.without(TraceHistory.trimmed(SEED, 260, 230), 2);
    TraceException refusal = assertThrows(TraceException.class, () -> replay(without));
    assertTrue(
        refusal
            .getMessage()
            .matches("damaged: the state that it begins with: page \\w+ is missing"),
        refusal.getMessage());
  }

  /**
   * Some bits do not influence the state, such as the agent name or a flag without effect in this
   * case: then the final root is unchanged. All other changes must be detected.
   */
  private static void assertHarmless(int record, TraceReport report, String where)
      throws IOException {
    if (report.mismatch() == null) {
      assertEquals(replay(TRACE).root(), report.root(), where);
    } else {
      long index = ForgedTrace.recordsOf(TRACE, Forgery.ENTRY.kind).indexOf(record) + 1L;
      assertTrue(report.mismatch().index() >= index, where + " " + report);
    }
  }

  @Test
  void aMissingChunkIsNamedByTheEntryThatNeedsIt() throws IOException {
    TraceReport report = replay(ForgedTrace.without(TRACE, 2));
    assertNotNull(report.mismatch());
    assertTrue(report.mismatch().message().contains("chunks"), report::toString);
  }

  @Test
  void aClaimedLengthIsNotBelieved() {
    byte[] huge = Arrays.copyOf(TRACE, FIRST_RECORD + 5);
    ByteBuffer.wrap(huge).put(FIRST_RECORD, (byte) 2).putInt(FIRST_RECORD + 1, Integer.MAX_VALUE);
    TraceException refusal = assertThrows(TraceException.class, () -> replay(huge));
    assertTrue(refusal.getMessage().contains("claims 2147483647 bytes"), refusal.getMessage());
  }
}
