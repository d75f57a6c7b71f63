package io.hypersync.wire.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.admission.HandshakeAdmission.Verdict;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which handshakes are admitted, with a clock that the test advances. */
class HandshakeAdmissionTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final HandshakeLimits LIMITS = HandshakeLimits.defaults();

  private long nowNs = Long.MAX_VALUE - SECOND_NS; // overflows to negative
  private final HandshakeAdmission admission = new HandshakeAdmission(LIMITS, nowNs);

  @Test
  void whileThereIsNoCrowdNobodyHasToProveAnything() {
    for (int i = 0; i < LIMITS.unprovenBurst(); i++) {
      assertEquals(Verdict.BEGIN, admission.unproven(0, nowNs));
    }
    assertEquals(Verdict.PROVE, admission.unproven(0, nowNs), "they come too fast");
    nowNs += SECOND_NS;
    assertEquals(Verdict.BEGIN, admission.unproven(LIMITS.unprovenUnopened() - 1, nowNs));
    assertEquals(Verdict.PROVE, admission.unproven(LIMITS.unprovenUnopened(), nowNs), "a crowd");
  }

  /** Twenty thousand packets a second for ten seconds, none of which completes a handshake. */
  @Test
  void aFloodBeginsNoMoreHandshakesThanItsShareAndNoMoreProofsThanTheirs() {
    Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    int packets = 200_000;
    for (int i = 0; i < packets; i++) {
      verdicts.merge(admission.unproven(0, nowNs), 1, Integer::sum);
      nowNs += 10 * SECOND_NS / packets;
    }
    long begun = verdicts.get(Verdict.BEGIN);
    assertTrue(
        begun <= LIMITS.unprovenBurst() + 10 * LIMITS.unprovenPerSecond(), "begun: " + begun);
    long asked = verdicts.get(Verdict.PROVE);
    assertTrue(asked <= LIMITS.retriesBurst() + 10 * LIMITS.retriesPerSecond(), "asked: " + asked);
    assertEquals(packets, begun + asked + verdicts.get(Verdict.DROP));
  }

  @Test
  void oneSourceDoesNotTakeThePlaceOfAll() {
    SourceNetwork greedy = SourceNetwork.of(new byte[] {10, 0, 0, 1});
    SourceNetwork modest = SourceNetwork.of(new byte[] {10, 0, 0, 2});
    for (int i = 0; i < LIMITS.perSourceBurst(); i++) {
      assertTrue(admission.proven(greedy, nowNs), "number " + i);
    }
    for (int i = 0; i < 10_000; i++) {
      assertFalse(admission.proven(greedy, nowNs));
    }
    assertTrue(admission.proven(modest, nowNs), "what the other was refused is still there");
  }

  @Test
  void allSourcesTogetherBeginNoMoreThanTheShareOfTheLoop() {
    long begun = 0;
    for (int i = 0; i < 1_000; i++) {
      if (admission.proven(
          SourceNetwork.of(new byte[] {10, 1, (byte) (i >> 8), (byte) i}), nowNs)) {
        begun++;
      }
    }
    assertEquals(LIMITS.burst(), begun);
    nowNs += SECOND_NS;
    assertTrue(admission.proven(SourceNetwork.of(new byte[] {10, 2, 0, 0}), nowNs));
  }

  @Test
  void soManySourcesAreRememberedAndNoMore() {
    for (int i = 0; i < 2 * LIMITS.maxSources(); i++) {
      var _ =
          admission.proven(SourceNetwork.of(new byte[] {10, 2, (byte) (i >> 8), (byte) i}), nowNs);
    }
    assertEquals(LIMITS.maxSources(), admission.sources());
  }

  @Test
  void theAddressesOfOneIpv6NetworkAreOneSource() {
    byte[] one = new byte[16];
    one[0] = 0x20;
    one[7] = 7;
    byte[] other = one.clone();
    other[15] = 99;
    assertEquals(SourceNetwork.of(one), SourceNetwork.of(other));
    other[7] = 8;
    assertFalse(SourceNetwork.of(one).equals(SourceNetwork.of(other)));
    assertFalse(SourceNetwork.of(new byte[4]).equals(SourceNetwork.of(new byte[16])));
  }
}
