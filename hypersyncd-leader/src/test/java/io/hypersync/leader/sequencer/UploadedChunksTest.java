package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What is kept for intents that have not come (hypersync.md 14.2). */
class UploadedChunksTest {
  private final UploadedChunks uploaded = new UploadedChunks(4, 100);

  @Test
  void aChunkIsKeptUntilItsIntentIsDecided() {
    add(1, "a", 0);
    add(1, "b", 0);
    add(2, "c", 0);
    assertEquals(Set.of("a", "b", "c"), kept(99));
    uploaded.decided(intent(1));
    assertEquals(Set.of("c"), kept(99));
    uploaded.decided(intent(1));
    assertEquals(Set.of("c"), kept(99));
  }

  @Test
  void whatWasSentForTwoIntentsIsKeptForTheOther() {
    add(1, "a", 0);
    add(2, "a", 0);
    uploaded.decided(intent(1));
    assertEquals(Set.of("a"), kept(0));
    uploaded.decided(intent(2));
    assertEquals(Set.of(), kept(0));
  }

  @Test
  void anIntentThatDoesNotComeIsWaitedForAWhileAfterTheLastChunk() {
    add(1, "a", 0);
    add(2, "b", 0);
    add(1, "c", 50);
    assertEquals(Set.of("a", "b", "c"), kept(99));
    assertEquals(Set.of("a", "c"), kept(149));
    assertEquals(Set.of(), kept(150));
  }

  @Test
  void beyondTheMostTheIntentThatHasWaitedLongestIsDropped() {
    add(1, "a", 0);
    add(1, "b", 0);
    add(2, "c", 0);
    add(2, "d", 0);
    add(1, "a", 0); // again, so 2 has waited longest, and there is no more of them
    assertEquals(Set.of("a", "b", "c", "d"), kept(0));
    add(3, "e", 0);
    assertEquals(Set.of("a", "b", "e"), kept(0));
  }

  @Test
  void decidedIntentsMakeRoom() {
    for (String each : new String[] {"a", "b", "c", "d"}) {
      add(1, each, 0);
    }
    uploaded.decided(intent(1));
    for (String each : new String[] {"e", "f", "g", "h"}) {
      add(2, each, 0);
    }
    assertEquals(Set.of("e", "f", "g", "h"), kept(0));
  }

  @Test
  void anIntentAloneCannotHaveMoreEither() {
    for (String each : new String[] {"a", "b", "c", "d", "e"}) {
      add(1, each, 0);
    }
    assertEquals(Set.of(), kept(0));
  }

  private void add(long seqNo, String chunk, long nowNs) {
    uploaded.add(intent(seqNo), hash(chunk), nowNs);
  }

  private Set<String> kept(long nowNs) {
    Set<String> names = new TreeSet<>();
    uploaded.forEach(
        chunk ->
            "abcdefgh"
                .chars()
                .mapToObj(Character::toString)
                .filter(name -> hash(name).equals(chunk))
                .forEach(names::add),
        nowNs);
    return names;
  }

  private static Hash hash(String chunk) {
    return Blake3.hash(new byte[] {(byte) chunk.charAt(0)});
  }

  private static IntentId intent(long seqNo) {
    return new IntentId(new ClientId(1, 1), seqNo);
  }
}
