package io.hypersync.leader.collection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What files without a name have is put aside within bounds, and all of it is handed on. */
class OpenFilesTest {
  private final List<Hash> marked = new ArrayList<>();
  private final PageVisitor marks =
      new PageVisitor() {
        @Override
        public boolean page(Hash page) {
          throw new AssertionError("there are none");
        }

        @Override
        public void chunk(Hash chunk) {
          marked.add(chunk);
        }
      };
  private final PageWalker head = new PageWalker(OpenFilesTest::none, marks);
  private final OpenFiles open = new OpenFiles(OpenFilesTest::none, marks, 3);

  @Test
  void allIsHandedOnInStepsAndNotBefore() throws Exception {
    List<Hash> chunks = List.of(hash(1), hash(2), hash(3));
    chunks.forEach(open.walker(7, head)::chunk);
    assertEquals(List.of(), marked);
    while (open.step(1)) {}
    assertEquals(chunks, marked);
  }

  @Test
  void whatHasNoPlaceCountsForTheNewestState() {
    for (int i = 1; i <= 4; i++) {
      open.walker(1, head).chunk(hash(i));
    }
    assertSame(head, open.walker(1, head));
    assertEquals(List.of(hash(4)), marked);
  }

  @Test
  void theOldestChangeTimeIsKnown() {
    assertEquals(0, open.oldestNs());
    var _ = open.walker(7, head);
    var _ = open.walker(5, head);
    var _ = open.walker(9, head);
    assertEquals(5, open.oldestNs());
  }

  private static Hash hash(long i) {
    return new Hash(1, 2, 3, i);
  }

  private static byte[] none(Hash page) throws PageMissingException {
    throw new PageMissingException(page, "there are none");
  }
}
