package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hypersync.chunkstore.Chunk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentChunksTest {
  @Test
  void keepsTheNewestAsFarAsTheyFit() {
    RecentChunks recent = new RecentChunks(1_000);
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      byte[] bytes = new byte[180];
      bytes[0] = (byte) i;
      chunks.add(Chunk.of(bytes));
    }
    for (int i = 0; i < chunks.size(); i++) {
      recent.add(chunks.get(i));
      recent.add(chunks.get(i)); // counts once
      for (int j = 0; j < chunks.size(); j++) {
        byte[] kept = i - 2 <= j && j <= i ? chunks.get(j).bytes() : null;
        assertSame(kept, recent.get(chunks.get(j).hash()), "chunk " + j + " after chunk " + i);
      }
    }
  }

  @Test
  void keepsNothingThatIsTooLarge() {
    RecentChunks recent = new RecentChunks(1_000);
    Chunk large = Chunk.of(new byte[1_001]);
    recent.add(large);
    assertNull(recent.get(large.hash()));
  }
}
